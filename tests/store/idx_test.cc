#include "store/idx.h"

#include <gtest/gtest.h>

#include <random>

#include "base/error.h"
#include "tests/support/error_message.h"
#include "tests/support/git_fixture.h"

namespace pfetch::store {
namespace {

constexpr std::size_t v2_ids_at = 8 + 1024;

struct IndexFixture : GitFixture {
  explicit IndexFixture(const std::string& version) {
    make_history(20);
    git("repack -q -ad");
    pack = files(".git/objects/pack/*.pack").at(0);
    index = pack.substr(0, pack.size() - 5) + ".idx";
    run("rm -f " + index + " && git index-pack --index-version=" + version + " " + pack);
  }
  std::string pack;
  std::string index;
};

std::string refusal(const std::string& path) {
  return test::error_message(
      [&] {
        const PackIndex index(path);
        for (std::uint32_t i = 0; i < index.count(); ++i) index.offset_at(i);
      },
      ErrorCode::corrupt);
}

TEST(PackIndex, SaysWhatGitShowIndexSays) {
  for (const std::string version : {"1", "2", "2,0x40"}) {
    const IndexFixture repository(version);
    const PackIndex index(repository.index);
    EXPECT_EQ(index.version(), version == "1" ? 1 : 2);
    std::istringstream lines(repository.run("git show-index < " + repository.index));
    std::uint32_t position = 0;
    for (std::string line; std::getline(lines, line); ++position) {
      std::istringstream words(line);
      std::uint64_t offset = 0;
      std::string hex, crc;
      words >> offset >> hex >> crc;
      const auto id = object::Oid::from_hex(hex).value();
      EXPECT_EQ(index.find(id), position);
      EXPECT_EQ(index.id_at(position), id);
      EXPECT_EQ(index.offset_at(position), offset);
      EXPECT_EQ(index.crc_at(position).has_value(), version != "1");
      if (version == "1") continue;
      EXPECT_EQ(*index.crc_at(position), std::stoul(crc.substr(1, 8), nullptr, 16));
    }
    EXPECT_EQ(index.count(), position);
    const std::string pack = GitFixture::slurp(repository.pack);
    EXPECT_EQ(index.pack_checksum(), object::Oid::from_raw(pack.data() + pack.size() - object::Oid::raw_size));
    EXPECT_FALSE(index.find(object::Oid{}));
  }
}

TEST(PackIndex, RefusesEveryTruncation) {
  for (const std::string version : {"1", "2", "2,0x40"}) {
    const IndexFixture repository(version);
    const std::string good = GitFixture::slurp(repository.index);
    for (const std::size_t cut : {1UL, 4UL, 20UL, 100UL, good.size() - 1031, good.size()}) {
      GitFixture::overwrite(repository.index, good.substr(0, good.size() - cut));
      EXPECT_NE(refusal(repository.index), "") << version << " without its last " << cut << " bytes";
    }
  }
}

TEST(PackIndex, ChecksTheBoundsOf64BitOffsets) {
  const IndexFixture repository("2,0x40");
  std::string bad = GitFixture::slurp(repository.index);
  const std::uint32_t count = PackIndex(repository.index).count();
  const std::size_t large_at = v2_ids_at + count * 28UL;
  bad[large_at] = '\xff';  // the first 64-bit offset no longer fits
  GitFixture::overwrite(repository.index, bad);
  EXPECT_NE(refusal(repository.index).find("an offset does not fit"), std::string::npos);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t at = v2_ids_at + count * 24UL + 4 * i;
    if ((bad[at] & '\x80') != 0) bad[at] = '\xff';
  }
  GitFixture::overwrite(repository.index, bad);
  EXPECT_NE(refusal(repository.index).find("lies outside its table"), std::string::npos);
}

TEST(PackIndex, RefusesAFanOutThatFalls) {
  const IndexFixture repository("2");
  std::string bad = GitFixture::slurp(repository.index);
  bad[8 + 4 * 100] = 1;
  GitFixture::overwrite(repository.index, bad);
  EXPECT_NE(refusal(repository.index).find("fan-out"), std::string::npos);
}

TEST(PackIndex, FlippedBitsAreReadOrRefused) {
  const IndexFixture repository("2,0x40");
  const std::string good = GitFixture::slurp(repository.index);
  std::mt19937 random(3);
  for (int round = 0; round < 500; ++round) {
    std::string bad = good;
    bad[random() % (round % 2 == 0 ? v2_ids_at : bad.size())] ^= static_cast<char>(1U << random() % 8);
    GitFixture::overwrite(repository.index, bad);
    refusal(repository.index);
  }
}

}  // namespace
}  // namespace pfetch::store
