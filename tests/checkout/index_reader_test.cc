#include "checkout/index_reader.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <random>

#include "base/error.h"
#include "base/sha1.h"
#include "checkout/cache_tree.h"
#include "tests/checkout/index_worlds.h"
#include "tests/support/error_message.h"

namespace pfetch::checkout {
namespace {

using test::error_message;

const SharedIndexBytes no_shared = [](const object::Oid&) -> base::Bytes {
  throw Error(ErrorCode::not_found, "no shared index");
};

Index parse(std::string_view bytes) {
  return parse_index(base::as_bytes(bytes), no_shared);
}

constexpr std::size_t checksum_bytes = object::Oid::raw_size;

// The index with another content before its checksum.
std::string with_checksum(std::string content) {
  base::PlainSha1 sha1;
  sha1.update(base::as_bytes(content));
  const base::Sha1Digest digest = sha1.finish();
  return content.append(reinterpret_cast<const char*>(digest.data()), digest.size());
}
std::string without_checksum(std::string bytes) {
  bytes.resize(bytes.size() - checksum_bytes);
  return bytes;
}

std::string extension(const std::string& signature, const std::string& content) {
  std::string size(4, '\0');
  base::store_be32(size.data(), static_cast<std::uint32_t>(content.size()));
  return signature + size + content;
}

TEST(IndexReader, ReadsWhatGitWrote) {
  for (const auto& [name, script] : index_worlds()) {
    SCOPED_TRACE(name);
    const IndexWorld world(script);
    const Index index = world.read();
    EXPECT_EQ(debug_listing(index), git_debug_listing(world));
    EXPECT_EQ(tag_listing(index, 't'), world.git("ls-files --sparse -z -t"));
    EXPECT_EQ(tag_listing(index, 'v'), world.git("ls-files --sparse -z -v"));
    EXPECT_EQ(tag_listing(index, 'f'), world.git("ls-files --sparse -z -f"));
    struct stat found {};
    ASSERT_EQ(::stat(world.index_path().c_str(), &found), 0);
    EXPECT_EQ(index.file, index_stat(found));
  }
}

// The worlds are what they are called: each extension was really there.
TEST(IndexReader, ReadsEveryExtension) {
  const auto read = [](const std::string& name) {
    const IndexWorld world(index_worlds().at(name));
    std::pair<Index, std::string> result(world.read(), world.bytes());
    return result;
  };
  EXPECT_EQ(read("version 2").first.version, 2U);
  EXPECT_EQ(read("version 3").first.version, 3U);
  EXPECT_EQ(read("version 4 with flags").first.version, 4U);
  EXPECT_FALSE(read("resolved conflict").first.resolve_undo.empty());
  EXPECT_TRUE(read("split").first.shared_index);
  EXPECT_TRUE(read("split with a conflict").first.shared_index);
  EXPECT_FALSE(read("untracked cache").first.untracked_cache.empty());
  EXPECT_TRUE(read("sparse").first.sparse);
  EXPECT_FALSE(read("version 2").first.sparse);
  const Index monitored = read("fsmonitor 2").first;
  EXPECT_EQ(monitored.fsmonitor.value(), (FileSystemMonitor{2, "token"}));
  EXPECT_TRUE(monitored.find("b/c/one")->fsmonitor_valid);
  EXPECT_FALSE(monitored.find("d-e/two")->fsmonitor_valid);
  EXPECT_TRUE(read("fsmonitor 1").first.fsmonitor);
  const auto [with_offsets, bytes] = read("offset table");
  EXPECT_GE(with_offsets.entries.size(), 20000U);
  EXPECT_NE(bytes.find("IEOT"), std::string::npos);
  EXPECT_NE(bytes.find("EOIE"), std::string::npos);
}

TEST(IndexReader, ReadsTheCacheTree) {
  for (const char* name : {"version 2", "version 4", "sparse", "many entries"}) {
    SCOPED_TRACE(name);
    const IndexWorld world(index_worlds().at(name));
    const Index index = world.read();
    ASSERT_FALSE(index.cache_tree.empty());
    std::size_t known = 0;
    visit_cache_tree(index.cache_tree, [&](std::size_t node, std::string_view directory) {
      if (index.cache_tree[node].entry_count < 0 || ++known > 10) return;
      const std::string tree = directory.empty()
                                   ? world.run("git write-tree")
                                   : world.run("git rev-parse $(git write-tree):" + std::string(directory));
      EXPECT_EQ(index.cache_tree[node].id.hex(), tree) << directory;
    });
    EXPECT_GT(known, 3U);
  }
}

TEST(IndexReader, TakesNoFileForAnEmptyIndex) {
  const IndexWorld world("rm .git/index");
  const Index index = world.read();
  EXPECT_EQ(index.version, 0U);
  EXPECT_TRUE(index.entries.empty());
  EXPECT_EQ(index.file, IndexStat());
  world.run(": > .git/index");
  EXPECT_NE(error_message([&] { world.read(); }, ErrorCode::corrupt).find(world.index_path()), std::string::npos);
}

TEST(IndexReader, FindsTheFirstStageOfAPath) {
  const IndexWorld world(index_worlds().at("conflict"));
  const Index index = world.read();
  EXPECT_EQ(index.find("top")->stage, 1);
  EXPECT_EQ((index.find("top") + 1)->stage, 2);
  EXPECT_EQ(index.find("a/one")->stage, 0);
  EXPECT_EQ(index.find("a"), nullptr);
  EXPECT_EQ(index.find("zzz"), nullptr);
}

TEST(IndexReader, DropsUnknownOptionalExtensionsAndRefusesOthersByName) {
  const IndexWorld world("true");
  const std::string content = without_checksum(world.bytes());
  EXPECT_EQ(debug_listing(parse(with_checksum(content + extension("ABCD", "what?")))), git_debug_listing(world));
  const auto required = [&] { parse(with_checksum(content + extension("aBC\n", ""))); };
  EXPECT_NE(error_message(required, ErrorCode::unsupported).find("'aBC?'"), std::string::npos);
}

TEST(IndexReader, TakesAChecksumOfZerosForNone) {
  const IndexWorld world("true");
  const std::string bytes = world.bytes();
  const std::string content = without_checksum(bytes);
  EXPECT_EQ(debug_listing(parse(content + std::string(checksum_bytes, '\0'))), git_debug_listing(world));
  std::string wrong = bytes;
  wrong.back() = static_cast<char>(wrong.back() ^ 1);
  EXPECT_NE(error_message([&] { parse(wrong); }, ErrorCode::corrupt).find("checksum"), std::string::npos);
}

TEST(IndexReader, RefusesWhatItDoesNotKnow) {
  const IndexWorld world(index_worlds().at("version 3"));
  const std::string content = without_checksum(world.bytes());
  std::string changed = content;
  changed[7] = 5;
  EXPECT_NE(error_message([&] { parse(with_checksum(changed)); }, ErrorCode::unsupported).find("version is 5"),
            std::string::npos);
  changed[7] = 2;  // extended flags are there
  error_message([&] { parse(with_checksum(changed)); }, ErrorCode::corrupt);
  changed = content;
  changed[12 + 62] = static_cast<char>(0x80);  // a/one has extended flags; their reserved bit
  EXPECT_NE(error_message([&] { parse(with_checksum(changed)); }, ErrorCode::unsupported).find("extended flags"),
            std::string::npos);
}

// An index of version 2 whose entries are as the test says, right or wrong.
struct RawEntry {
  std::string path;
  std::uint32_t mode = 0100644;
  unsigned stage = 0;
};
std::string raw_index(const std::vector<RawEntry>& entries) {
  std::string bytes = std::string("DIRC\0\0\0\2\0\0\0", 11) + static_cast<char>(entries.size());
  for (const RawEntry& entry : entries) {
    std::string fixed(62, '\0');
    base::store_be32(fixed.data() + 24, entry.mode);
    base::store_be16(fixed.data() + 60, static_cast<std::uint16_t>(entry.path.size() | entry.stage << 12));
    bytes += fixed + entry.path;
    bytes.append(8 - (fixed.size() + entry.path.size()) % 8, '\0');
  }
  return with_checksum(bytes);
}

TEST(IndexReader, RefusesEntriesThatNoIndexMayHold) {
  EXPECT_EQ(parse(raw_index({{"a"}, {"b", 0100644, 1}, {"b", 0100755, 3}, {"b-"}, {"b/c"}})).entries.size(), 5U);
  const std::vector<std::vector<RawEntry>> wrong = {
      {{"b"}, {"a"}},
      {{"a"}, {"a"}},
      {{"a"}, {"a", 0100644, 1}},
      {{"a", 0100644, 2}, {"a", 0100644, 1}},
      {{"a", 0100644, 2}, {"a", 0100644, 2}},
      {{""}},
      {{"/a"}},
      {{"a/"}},
      {{"a//b"}},
      {{"../a"}},
      {{"a/../b"}},
      {{"a/./b"}},
      {{"a/b"}, {"a/../c"}},
      {{"a/b/c"}, {"a/b/.git/hooks/x"}},
      {{".git/config"}},
      {{".GIT"}},
      {{"a", 0040000}},
      {{"a/", 0040000}},
      {{"a", 0}},
      {{std::string("a\0b", 3)}},
  };
  for (const auto& entries : wrong) {
    const bool in_order = entries.size() < 2 || entries[0].path < entries[1].path;
    SCOPED_TRACE(entries.back().path + (in_order ? "" : ", order"));
    EXPECT_NE(error_message([&] { parse(raw_index(entries)); }, ErrorCode::corrupt), "accepted");
  }
}

TEST(IndexReader, NamesASharedIndexThatIsGoneOrAnother) {
  const IndexWorld world(index_worlds().at("split"));
  const std::string shared = world.git_dir() + "/sharedindex." + world.read().shared_index->hex();
  world.run("cp " + shared + " .git/kept; cp .git/index " + shared);
  EXPECT_NE(error_message([&] { world.read(); }, ErrorCode::corrupt).find("another checksum"), std::string::npos);
  world.run("rm " + shared);
  EXPECT_NE(error_message([&] { world.read(); }, ErrorCode::not_found).find("sharedindex."), std::string::npos);
  world.run("mv .git/kept " + shared);
  EXPECT_EQ(debug_listing(world.read()), git_debug_listing(world));
}

TEST(IndexReader, BoundsTheMemoryOfCompressedPaths) {
  // Each entry has the path of the last one and one byte more.
  constexpr std::uint32_t count = 2000;
  std::string bytes("DIRC\0\0\0\4\0\0\7\xd0", 12);
  ASSERT_EQ(base::load_be32(bytes.data() + 8), count);
  for (std::uint32_t i = 0; i < count; ++i) {
    std::string fixed(62, '\0');
    base::store_be32(fixed.data() + 24, 0100644);
    base::store_be16(fixed.data() + 60, 0xfff);
    bytes += fixed + '\0' + (i == 0 ? std::string(600000, 'p') : "p") + '\0';
  }
  const auto read = [&] { parse(bytes + std::string(checksum_bytes, '\0')); };
  EXPECT_NE(error_message(read, ErrorCode::corrupt).find("1 GiB"), std::string::npos);
}

TEST(IndexReader, SurvivesEveryTruncation) {
  for (const char* name : {"version 2", "version 4 with flags", "split", "fsmonitor 2", "untracked cache"}) {
    SCOPED_TRACE(name);
    const IndexWorld world(index_worlds().at(name));
    const std::string bytes = world.bytes();
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      EXPECT_NE(error_message([&] { parse(bytes.substr(0, size)); }), "accepted") << size;
      if (size < checksum_bytes) continue;
      // The same where no checksum saves us: an error, or whatever can be read.
      try {
        parse(bytes.substr(0, size - checksum_bytes) + std::string(checksum_bytes, '\0'));
      } catch (const Error&) {
      }
    }
  }
}

TEST(IndexReader, SurvivesFlippedBits) {
  std::mt19937 random(6);
  for (const char* name : {"version 3", "version 4 with flags", "conflict", "fsmonitor 2", "sparse"}) {
    SCOPED_TRACE(name);
    const IndexWorld world(index_worlds().at(name));
    const std::string bytes = world.bytes();
    const std::string unguarded = without_checksum(bytes) + std::string(checksum_bytes, '\0');
    std::size_t refused = 0;
    for (int i = 0; i < 2000; ++i) {
      const std::size_t at = random() % (bytes.size() - checksum_bytes);
      const auto flip = static_cast<char>(1 + random() % 255);
      std::string damaged = bytes;
      damaged[at] = static_cast<char>(damaged[at] ^ flip);
      EXPECT_NE(error_message([&] { parse(damaged); }), "accepted") << at;
      damaged = unguarded;
      damaged[at] = static_cast<char>(damaged[at] ^ flip);
      try {
        parse(damaged);
      } catch (const Error&) {
        ++refused;
      }
    }
    EXPECT_GT(refused, 100U);
  }
}

}  // namespace
}  // namespace pfetch::checkout
