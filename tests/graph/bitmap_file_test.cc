#include "graph/bitmap_file.h"

#include <gtest/gtest.h>

#include <set>

#include "base/error.h"
#include "tests/graph/git_history.h"

namespace pfetch::graph {
namespace {

struct Opened {
  explicit Opened(const std::vector<std::string>& directories) : bitmaps(BitmapFile::open(directories, warnings)) {}
  std::vector<std::string> warnings;
  std::optional<BitmapFile> bitmaps;
};

std::set<Oid> ids_in(const std::string& lines) {
  std::set<Oid> ids;
  std::istringstream stream(lines);
  for (std::string line; std::getline(stream, line);) ids.insert(Oid::from_hex(line.substr(0, 40)).value());
  return ids;
}

std::set<Oid> ids_of(const BitmapFile& bitmaps, const Roaring& set) {
  std::set<Oid> ids;
  for (const std::uint32_t bit : set) ids.insert(bitmaps.id_at(bit));
  return ids;
}

void expect_what_git_lists(const store::GitFixture& repository, const BitmapFile& bitmaps) {
  const std::set<Oid> commits = ids_in(repository.git("rev-list --all"));
  std::uint32_t stored = 0;
  for (const Oid& id : commits) {
    const auto place = bitmaps.find(id);
    ASSERT_TRUE(place);
    EXPECT_EQ(bitmaps.id_at(bitmaps.bit_of(*place)), id);
    const auto reached = bitmaps.reachable_from(id);
    EXPECT_EQ(reached.has_value(), bitmaps.stored_of(*place).has_value());
    if (!reached || ++stored % 7 != 1) continue;
    EXPECT_EQ(ids_of(bitmaps, *reached), ids_in(repository.git("rev-list --objects " + id.hex())));
    EXPECT_EQ(ids_of(bitmaps, *bitmaps.reachable_from(id, BitmapFile::Of::commits)),
              ids_in(repository.git("rev-list " + id.hex())));
  }
  EXPECT_EQ(stored, bitmaps.stored_count());
  EXPECT_GT(stored, 10U);
  EXPECT_FALSE(bitmaps.find(Oid{}));
  EXPECT_FALSE(bitmaps.reachable_from(Oid{}));
}

TEST(BitmapFile, ReachesWhatGitListsInAPack) {
  for (const std::string options : {"-c pack.writeReverseIndex=true", "-c pack.writeReverseIndex=false",
                                    "-c pack.writeBitmapLookupTable=true -c pack.writeBitmapHashCache=false"}) {
    SCOPED_TRACE(options);
    const store::GitFixture repository;
    repository.make_history(120);
    repository.git(options + " repack -qadb");
    const Opened opened({repository.objects()});
    ASSERT_TRUE(opened.bitmaps) << opened.warnings.at(0);
    EXPECT_TRUE(opened.warnings.empty());
    expect_what_git_lists(repository, *opened.bitmaps);
  }
}

TEST(BitmapFile, BitsAreTheSameWhenManyAreAskedFor) {
  const store::GitFixture repository;
  repository.make_history(40);
  repository.git("repack -qadb");
  Opened opened({repository.objects()}), prepared({repository.objects()});
  ASSERT_TRUE(opened.bitmaps);
  prepared.bitmaps->prepare(1000);
  for (std::uint32_t place = 0; place < opened.bitmaps->count(); ++place) {
    EXPECT_EQ(prepared.bitmaps->bit_of(place), opened.bitmaps->bit_of(place));
  }
}

// Two packs, of which the younger one is preferred: bits are not in the order of the packs' names.
struct TwoPacks : store::GitFixture {
  TwoPacks() {
    make_history(100);
    git("repack -qad");
    git("tag old && git checkout -q main && git commit -q --allow-empty -m x && git repack -qd");
    for (const std::string& index : files(".git/objects/pack/*.idx")) {
      const store::PackIndex opened(index);
      if (opened.count() < 10) preferred = index.substr(index.rfind('/') + 1);
    }
  }
  void write_index() const { git("multi-pack-index write --bitmap --preferred-pack=" + preferred); }
  std::string preferred;
};

TEST(BitmapFile, ReachesWhatGitListsInManyPacks) {
  const TwoPacks repository;
  repository.write_index();
  const Opened opened({"/no/such/directory", repository.objects()});
  ASSERT_TRUE(opened.bitmaps) << opened.warnings.at(0);
  EXPECT_TRUE(opened.warnings.empty());
  EXPECT_EQ(opened.bitmaps->count(), repository.all_objects().size());
  expect_what_git_lists(repository, *opened.bitmaps);
}

// As git wrote it before 2.36: the chunk RIDX is made into one that nobody knows, and the checksums follow.
TEST(BitmapFile, TheOrderOfManyPacksMayStandInAFileOfItsOwn) {
  const TwoPacks repository;
  repository.run("GIT_TEST_MIDX_WRITE_REV=1 git multi-pack-index write --bitmap --preferred-pack=" +
                 repository.preferred);
  const std::string path = repository.objects() + "/pack/multi-pack-index";
  const std::string rev = repository.files(".git/objects/pack/multi-pack-index-*.rev").at(0);
  const std::string bitmap = repository.files(".git/objects/pack/multi-pack-index-*.bitmap").at(0);
  const auto checksum_of = [](const std::string& file) { return file.substr(file.size() - Oid::raw_size); };

  std::string index = store::GitFixture::slurp(path);
  index.replace(index.find("RIDX"), 4, "ZZZZ");
  index = test::with_right_checksum(index);
  const std::string name = path + "-" + Oid::from_raw(checksum_of(index).data()).hex();
  std::string bits = store::GitFixture::slurp(bitmap), order = store::GitFixture::slurp(rev);
  bits.replace(12, Oid::raw_size, checksum_of(index));
  order.replace(order.size() - 2 * Oid::raw_size, Oid::raw_size, checksum_of(index));
  store::GitFixture::overwrite(path, index);
  store::GitFixture::overwrite(name + ".bitmap", test::with_right_checksum(bits));
  EXPECT_EQ(Opened({repository.objects()}).warnings.size(), 1U) << "no order, no bitmaps";

  store::GitFixture::overwrite(name + ".rev", test::with_right_checksum(order));
  const Opened opened({repository.objects()});
  ASSERT_TRUE(opened.bitmaps) << opened.warnings.at(0);
  expect_what_git_lists(repository, *opened.bitmaps);
  order[15] ^= 1;
  store::GitFixture::overwrite(name + ".rev", order);
  EXPECT_FALSE(Opened({repository.objects()}).bitmaps);
}

TEST(BitmapFile, NoneIsNoWarning) {
  const store::GitFixture repository;
  repository.make_history(5);
  repository.git("multi-pack-index write");
  const Opened opened({repository.objects()});
  EXPECT_FALSE(opened.bitmaps);
  EXPECT_TRUE(opened.warnings.empty());
}

TEST(BitmapFile, OneMadeForAnotherPackIsPassedOver) {
  const store::GitFixture repository;
  repository.make_history(20);
  repository.git("repack -qadb");
  const std::string bitmap = repository.files(".git/objects/pack/*.bitmap").at(0);
  std::string bytes = store::GitFixture::slurp(bitmap);
  bytes[12] ^= 1;
  store::GitFixture::overwrite(bitmap, test::with_right_checksum(bytes));
  const Opened opened({repository.objects()});
  EXPECT_FALSE(opened.bitmaps);
  ASSERT_EQ(opened.warnings.size(), 1U);
  EXPECT_NE(opened.warnings[0].find("made for another pack"), std::string::npos) << opened.warnings[0];
}

// Asks for all there is. Damage may show late, but only as an Error.
void exercise(const BitmapFile& bitmaps) {
  try {
    for (std::uint32_t number = 0; number < bitmaps.stored_count(); ++number) {
      bitmaps.reachable(number, BitmapFile::Of::objects);
    }
    for (std::uint32_t bit = 0; bit < bitmaps.count(); ++bit)
      EXPECT_EQ(bitmaps.bit_of(bitmaps.find(bitmaps.id_at(bit)).value()), bit);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::corrupt) << error.message();
  }
}

TEST(BitmapFile, FlippedBitsAndTruncationsAreReadOrRefused) {
  const TwoPacks repository;
  repository.write_index();
  std::mt19937 random(3);
  for (const std::string pattern : {"multi-pack-index", "multi-pack-index-*.bitmap"}) {
    const std::string path = repository.files(".git/objects/pack/" + pattern).at(0);
    const std::string good = store::GitFixture::slurp(path);
    for (int round = 0; round < 300; ++round) {
      std::string bad = good;
      bad[random() % (round % 2 == 0 ? 200 : bad.size() - 20)] ^= static_cast<char>(1U << random() % 8);
      const bool checksum_is_right = round % 5 != 0 && pattern != "multi-pack-index";
      store::GitFixture::overwrite(path, checksum_is_right ? test::with_right_checksum(bad) : bad);
      const Opened opened({repository.objects()});
      EXPECT_TRUE(checksum_is_right || !opened.bitmaps);
      EXPECT_NE(opened.bitmaps.has_value(), !opened.warnings.empty());
      if (opened.bitmaps) exercise(*opened.bitmaps);
    }
    for (std::size_t size = 0; size < good.size(); size += 151) {
      store::GitFixture::overwrite(path, good.substr(0, size));
      EXPECT_FALSE(Opened({repository.objects()}).bitmaps);
      store::GitFixture::overwrite(path, test::with_right_checksum(good.substr(0, size) + std::string(20, 'x')));
      if (const Opened opened({repository.objects()}); opened.bitmaps) exercise(*opened.bitmaps);
    }
    store::GitFixture::overwrite(path, good);
  }
  EXPECT_TRUE(Opened({repository.objects()}).bitmaps);
}

TEST(BitmapFile, ADamagedReverseIndexOfAPackIsMadeAnew) {
  const store::GitFixture repository;
  repository.make_history(60);
  repository.git("-c pack.writeReverseIndex=true repack -qadb");
  const std::string path = repository.files(".git/objects/pack/*.rev").at(0);
  std::string bytes = store::GitFixture::slurp(path);
  std::swap(bytes[15], bytes[19]);
  store::GitFixture::overwrite(path, bytes);
  const Opened opened({repository.objects()});
  ASSERT_TRUE(opened.bitmaps);
  expect_what_git_lists(repository, *opened.bitmaps);
}

}  // namespace
}  // namespace pfetch::graph
