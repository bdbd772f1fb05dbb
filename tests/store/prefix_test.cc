#include <gtest/gtest.h>

#include <algorithm>

#include "store/reader.h"
#include "tests/support/git_fixture.h"

namespace pfetch::store {
namespace {

object::OidPrefix prefix_of(const std::string& hex) {
  return object::OidPrefix::from_hex(hex).value();
}

TEST(OidPrefix, TakesDigitsOfEitherCaseAndNothingElse) {
  EXPECT_EQ(prefix_of("aBc").first.hex(), "abc0000000000000000000000000000000000000");
  EXPECT_EQ(prefix_of("aBc").digits, 3U);
  EXPECT_EQ(prefix_of(std::string(40, 'f')).digits, 40U);
  EXPECT_FALSE(object::OidPrefix::from_hex(""));
  EXPECT_FALSE(object::OidPrefix::from_hex("abcx"));
  EXPECT_FALSE(object::OidPrefix::from_hex(std::string(41, 'f')));
}

TEST(OidPrefix, MatchesItsDigitsAlone) {
  const object::Oid id = object::Oid::from_hex("abcdef0000000000000000000000000000000001").value();
  EXPECT_TRUE(prefix_of("a").matches(id));
  EXPECT_TRUE(prefix_of("abc").matches(id));
  EXPECT_TRUE(prefix_of("abcd").matches(id));
  EXPECT_TRUE(prefix_of(id.hex()).matches(id));
  EXPECT_FALSE(prefix_of("b").matches(id));
  EXPECT_FALSE(prefix_of("abd").matches(id));
  EXPECT_FALSE(prefix_of("abce").matches(id));
}

// Every prefix of one to five digits of every object, against the list of all.
void expect_all_prefixes(const GitFixture& repository, std::size_t digits_least) {
  Reader reader({repository.objects()});
  std::vector<object::Oid> ids;
  for (const auto& [id, known] : repository.all_objects()) ids.push_back(id);
  ASSERT_GT(ids.size(), 300U);
  for (const object::Oid& id : ids) {
    for (std::size_t digits = digits_least; digits <= 5; ++digits) {
      const object::OidPrefix prefix = prefix_of(id.hex().substr(0, digits));
      std::vector<object::Oid> expected;
      std::copy_if(ids.begin(), ids.end(), std::back_inserter(expected),
                   [&](const object::Oid& other) { return other.hex().starts_with(id.hex().substr(0, digits)); });
      ASSERT_EQ(reader.find_prefix(prefix, ids.size()), expected);
      EXPECT_GE(reader.find_prefix(prefix, 2).size(), std::min<std::size_t>(expected.size(), 2));
    }
    EXPECT_EQ(reader.find_prefix(prefix_of(id.hex()), 2), std::vector{id});
  }
}

TEST(FindPrefix, FindsWhatPacksAndLooseFilesHave) {
  const GitFixture repository;
  repository.make_history(100);
  repository.run("for i in $(seq 50); do echo $i | git hash-object -w --stdin; done");
  expect_all_prefixes(repository, 2);
}

TEST(FindPrefix, FindsWhatAMultiPackIndexAndIndexesOfVersion1Have) {
  const GitFixture repository;
  repository.make_history(80);
  repository.git("multi-pack-index write");
  repository.run("for i in $(seq 50); do echo $i | git hash-object -w --stdin; done > ids");
  repository.run("git pack-objects -q --index-version=1 .git/objects/pack/pack < ids && git prune-packed -q");
  expect_all_prefixes(repository, 1);
}

TEST(FindPrefix, SeesWhatCameAfterTheLastLook) {
  const GitFixture repository;
  Reader reader({repository.objects()});
  const object::OidPrefix prefix = prefix_of("ce0136");
  EXPECT_TRUE(reader.find_prefix(prefix, 2).empty());
  repository.run("echo hello > f && git hash-object -w f | git pack-objects -q .git/objects/pack/pack");
  repository.git("prune-packed -q");
  EXPECT_EQ(reader.find_prefix(prefix, 2).size(), 1U);
}

}  // namespace
}  // namespace pfetch::store
