#include "store/midx.h"

#include <gtest/gtest.h>

#include <random>

#include "base/error.h"
#include "store/idx.h"
#include "tests/support/git_fixture.h"

namespace pfetch::store {
namespace {

struct MidxFixture : GitFixture {
  MidxFixture() {
    make_history(20);
    git("repack -q -ad");
    run("git commit-tree -m x 'main^{tree}' | git pack-objects -q .git/objects/pack/pack && git prune-packed -q");
    git("multi-pack-index write");
  }
  std::string path() const { return objects() + "/pack/multi-pack-index"; }
};

TEST(MultiPackIndex, PlacesEveryObjectWhereItsPacksIndexDoes) {
  const MidxFixture repository;
  const MultiPackIndex all(repository.path());
  ASSERT_EQ(all.pack_names().size(), 2U);
  std::uint32_t seen = 0;
  for (std::size_t pack = 0; pack < 2; ++pack) {
    const PackIndex index(repository.objects() + "/pack/" + std::string(all.pack_names()[pack]));
    for (std::uint32_t i = 0; i < index.count(); ++i, ++seen) {
      const auto place = all.find(index.id_at(i));
      ASSERT_TRUE(place);
      EXPECT_EQ(place->pack, pack);
      EXPECT_EQ(place->offset, index.offset_at(i));
    }
  }
  EXPECT_EQ(all.count(), seen);
  EXPECT_FALSE(all.find(object::Oid{}));
}

// Opens and looks up every id that a good file has.
void exercise(const std::string& path, const std::vector<object::Oid>& ids) {
  try {
    const MultiPackIndex all(path);
    for (const object::Oid& id : ids) all.find(id);
  } catch (const Error& error) {
    EXPECT_TRUE(error.code() == ErrorCode::corrupt || error.code() == ErrorCode::unsupported) << error.message();
  }
}

TEST(MultiPackIndex, FlippedBitsAndTruncationsAreReadOrRefused) {
  const MidxFixture repository;
  std::vector<object::Oid> ids;
  for (const auto& [id, known] : repository.all_objects()) ids.push_back(id);
  const std::string good = GitFixture::slurp(repository.path());
  std::mt19937 random(5);
  for (int round = 0; round < 500; ++round) {
    std::string bad = good;
    bad[random() % (round % 2 == 0 ? 200 : bad.size())] ^= static_cast<char>(1U << random() % 8);
    GitFixture::overwrite(repository.path(), bad);
    exercise(repository.path(), ids);
  }
  for (std::size_t size = 0; size < good.size(); size += 97) {
    GitFixture::overwrite(repository.path(), good.substr(0, size));
    EXPECT_THROW(MultiPackIndex{repository.path()}, Error) << size;
  }
}

}  // namespace
}  // namespace pfetch::store
