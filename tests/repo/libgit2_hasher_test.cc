#include "repo/libgit2_hasher.h"

#include <gtest/gtest.h>

#include <random>

#include "base/error.h"
#include "tests/support/error_message.h"

namespace pfetch::repo {
namespace {

Config config_of(const std::string& value) {
  ConfigEntry entry;
  entry.key = "pfetch.sha1";
  entry.value = value;
  return Config({entry});
}

TEST(ConfiguredHasher, GivesTheSameIdsWhicheverIsChosen) {
  std::mt19937 random(4);
  std::vector<std::string> contents;
  for (std::size_t size = 0; size < 200; ++size) {
    std::string& content = contents.emplace_back(size * size, '\0');
    for (char& c : content) c = static_cast<char>(random());
  }
  std::vector<object::Hasher::Job> ours;
  for (const std::string& content : contents) {
    ours.push_back({static_cast<object::Kind>(1 + ours.size() % 4), base::as_bytes(content)});
  }
  auto theirs = ours;
  configured_hasher(config_of("checked"))->hash(ours);
  configured_hasher(config_of("libgit2"))->hash(theirs);
  for (std::size_t i = 0; i < ours.size(); ++i) {
    ASSERT_EQ(ours[i].id.hex(), theirs[i].id.hex());
    ASSERT_FALSE(ours[i].attack || theirs[i].attack);
  }
}

TEST(ConfiguredHasher, IsOurOwnWhenNothingIsSet) {
  EXPECT_NE(dynamic_cast<object::CheckedHasher*>(configured_hasher(Config()).get()), nullptr);
}

TEST(ConfiguredHasher, RefusesAnUnknownChoiceByName) {
  EXPECT_EQ(test::error_message([] { configured_hasher(config_of("md5")); }),
            "bad value 'md5' for 'pfetch.sha1': not 'checked' or 'libgit2'");
}

}  // namespace
}  // namespace pfetch::repo
