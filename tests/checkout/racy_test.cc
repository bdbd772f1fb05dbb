#include "checkout/racy.h"

#include <gtest/gtest.h>

#include "tests/checkout/index_worlds.h"

namespace pfetch::checkout {
namespace {

struct stat file_stat() {
  struct stat found {};
  found.st_mode = S_IFREG | 0644;
  found.st_size = 7;
  found.st_mtim = {1000, 500};
  found.st_ctim = {1000, 600};
  found.st_ino = 11;
  found.st_uid = 12;
  found.st_gid = 13;
  return found;
}

IndexEntry entry_of(const struct stat& found) {
  IndexEntry entry;
  entry.mode = object::mode_file;
  entry.id.raw[0] = 1;
  entry.stat = index_stat(found);
  return entry;
}

IndexStat written_at(std::uint32_t s, std::uint32_t ns) {
  IndexStat index;
  index.mtime_s = s;
  index.mtime_ns = ns;
  return index;
}

const IndexStat later = written_at(2000, 1);

StatVerdict verdict(const IndexEntry& entry, const struct stat& found, const StatRules& rules = {}) {
  return compare_stat(entry, found, later, rules);
}

TEST(CompareStat, KnowsWhatWasNotTouched) {
  EXPECT_EQ(verdict(entry_of(file_stat()), file_stat()), StatVerdict::clean);
}

TEST(CompareStat, LooksAtWhatWasTouched) {
  const auto after = [](auto change, const StatRules& rules = {}) {
    struct stat found = file_stat();
    change(found);
    return verdict(entry_of(file_stat()), found, rules);
  };
  const StatRules minimal{.minimal = true};
  const StatRules no_ctime{.trust_ctime = false};
  const auto mtime = [](struct stat& found) { found.st_mtim.tv_sec = 999; };
  const auto mtime_ns = [](struct stat& found) { found.st_mtim.tv_nsec = 499; };
  const auto ctime = [](struct stat& found) { found.st_ctim.tv_nsec = 1; };
  const auto ino = [](struct stat& found) { found.st_ino = 1; };
  const auto uid = [](struct stat& found) { found.st_uid = 1; };
  const auto gid = [](struct stat& found) { found.st_gid = 1; };
  const auto dev = [](struct stat& found) { found.st_dev = 1; };
  EXPECT_EQ(after(mtime), StatVerdict::look);
  EXPECT_EQ(after(mtime_ns), StatVerdict::look);
  EXPECT_EQ(after(ctime), StatVerdict::look);
  EXPECT_EQ(after(ino), StatVerdict::look);
  EXPECT_EQ(after(uid), StatVerdict::look);
  EXPECT_EQ(after(gid), StatVerdict::look);
  EXPECT_EQ(after(dev), StatVerdict::clean);  // changes when a file system is mounted again
  EXPECT_EQ(after(ctime, no_ctime), StatVerdict::clean);
  EXPECT_EQ(after(mtime, no_ctime), StatVerdict::look);
  EXPECT_EQ(after(mtime, minimal), StatVerdict::look);
  for (const auto& change : std::vector<std::function<void(struct stat&)>>{mtime_ns, ctime, ino, uid, gid}) {
    EXPECT_EQ(after(change, minimal), StatVerdict::clean);
  }
}

TEST(CompareStat, KnowsWhatHasChanged) {
  struct stat found = file_stat();
  found.st_size = 8;
  EXPECT_EQ(verdict(entry_of(file_stat()), found), StatVerdict::changed);
  found = file_stat();
  found.st_mode = S_IFREG | 0755;
  EXPECT_EQ(verdict(entry_of(file_stat()), found), StatVerdict::changed);
  EXPECT_EQ(verdict(entry_of(file_stat()), found, {.trust_executable_bit = false}), StatVerdict::clean);
  found.st_mode = S_IFLNK | 0777;
  EXPECT_EQ(verdict(entry_of(file_stat()), found), StatVerdict::changed);
  found.st_mode = S_IFDIR | 0755;
  EXPECT_EQ(verdict(entry_of(file_stat()), found), StatVerdict::changed);
  IndexEntry link = entry_of(file_stat());
  link.mode = object::mode_symlink;
  EXPECT_EQ(verdict(link, file_stat()), StatVerdict::changed);
  EXPECT_EQ(verdict(link, file_stat(), {.symlinks = false}), StatVerdict::clean);
  IndexEntry intended = entry_of(file_stat());
  intended.intent_to_add = true;
  EXPECT_EQ(verdict(intended, file_stat()), StatVerdict::changed);
}

TEST(CompareStat, LooksIntoRepositoriesOfGitlinks) {
  struct stat found = file_stat();
  IndexEntry module = entry_of(found);
  module.mode = object::mode_gitlink;
  EXPECT_EQ(verdict(module, found), StatVerdict::changed);
  found.st_mode = S_IFDIR | 0755;
  EXPECT_EQ(verdict(module, found), StatVerdict::look);
}

TEST(CompareStat, LooksAtEntriesWithoutASize) {
  struct stat found = file_stat();
  IndexEntry entry = entry_of(found);
  smudge(entry);
  EXPECT_EQ(verdict(entry, found), StatVerdict::look);
  found.st_size = 0;
  EXPECT_EQ(verdict(entry, found), StatVerdict::look);
  entry.id = object::Oid::from_hex("e69de29bb2d1d6434b8b29ae775ad8c2e48c5391").value();
  EXPECT_EQ(verdict(entry, found), StatVerdict::clean);
  found.st_size = 3;
  EXPECT_EQ(verdict(entry, found), StatVerdict::look);
}

TEST(CompareStat, ReadsBothWaysToRecordMultiplesOf4GiB) {
  struct stat found = file_stat();
  found.st_size = off_t{8} << 30;
  IndexEntry entry = entry_of(found);
  EXPECT_EQ(verdict(entry, found), StatVerdict::look);
  entry.stat.size = 0x80000000;
  EXPECT_EQ(verdict(entry, found), StatVerdict::clean);
  found.st_size = 0;
  EXPECT_EQ(verdict(entry, found), StatVerdict::changed);
}

TEST(CompareStat, DistrustsWhatIsAsYoungAsTheIndex) {
  const auto verdict_at = [](const IndexStat& index, std::uint32_t entry_ns = 500, const StatRules& rules = {}) {
    struct stat found = file_stat();
    IndexEntry entry = entry_of(found);
    entry.stat.mtime_ns = entry_ns;
    return compare_stat(entry, found, index, rules);
  };
  EXPECT_EQ(verdict_at(written_at(1000, 499)), StatVerdict::look);
  EXPECT_EQ(verdict_at(written_at(1000, 500)), StatVerdict::look);
  EXPECT_EQ(verdict_at(written_at(1000, 501)), StatVerdict::clean);
  EXPECT_EQ(verdict_at(written_at(999, 900)), StatVerdict::look);
  EXPECT_EQ(verdict_at(written_at(1001, 0)), StatVerdict::clean);
  EXPECT_EQ(verdict_at(written_at(1000, 0)), StatVerdict::look);
  EXPECT_EQ(verdict_at({}), StatVerdict::look);
  // Whole seconds alone.
  EXPECT_EQ(verdict_at(written_at(1000, 501), 500, {.minimal = true}), StatVerdict::look);
  EXPECT_EQ(verdict_at(written_at(1001, 1), 500, {.minimal = true}), StatVerdict::clean);
  // An mtime without nanoseconds may be two seconds old.
  EXPECT_EQ(verdict_at(written_at(1001, 1), 0), StatVerdict::look);
  EXPECT_EQ(verdict_at(written_at(1002, 0), 0), StatVerdict::clean);
}

TEST(StatRules, FollowTheConfiguration) {
  const auto rules_of = [](const std::string& key, const std::string& value) {
    repo::ConfigEntry entry;
    entry.key = key;
    entry.value = value;
    return stat_rules(repo::Config({entry}));
  };
  const StatRules usual = stat_rules(repo::Config());
  EXPECT_TRUE(usual.trust_ctime && !usual.minimal && usual.trust_executable_bit && usual.symlinks);
  EXPECT_FALSE(rules_of("core.trustctime", "false").trust_ctime);
  EXPECT_TRUE(rules_of("core.checkstat", "Minimal").minimal);
  EXPECT_FALSE(rules_of("core.checkstat", "default").minimal);
  EXPECT_FALSE(rules_of("core.filemode", "false").trust_executable_bit);
  EXPECT_FALSE(rules_of("core.symlinks", "false").symlinks);
}

// Files as they are: what is clean by its stat data has not changed, and what git calls modified is never clean.
TEST(CompareStat, AgreesWithGitOnRealFiles) {
  const IndexWorld world(
      "find . -path ./.git -prune -o -type f -exec touch -d @1500000000.5 {} +; git update-index --refresh >/dev/null;"
      "echo x >> a/one; echo XXXxxx > a/three; chmod +x b/c/one; touch b/c/two; rm d-e/one; ln -s x d-e/one;"
      "printf 'd-eTWO\\n' > d-e/two");
  const Index index = world.read();
  std::map<std::string, StatVerdict, std::less<>> verdicts;
  for (const IndexEntry& entry : index.entries) {
    struct stat found {};
    ASSERT_EQ(::lstat((world.git_dir() + "/../" + std::string(entry.path)).c_str(), &found), 0);
    verdicts[std::string(entry.path)] = compare_stat(entry, found, index.file, {});
  }
  const std::map<std::string, StatVerdict, std::less<>> expected = {
      {"a/one", StatVerdict::changed},   {"a/three", StatVerdict::look},    {"a/two", StatVerdict::clean},
      {"b/c/one", StatVerdict::changed}, {"b/c/three", StatVerdict::clean}, {"b/c/two", StatVerdict::look},
      {"d-e/one", StatVerdict::changed}, {"d-e/three", StatVerdict::clean}, {"d-e/two", StatVerdict::look},
      {"link", StatVerdict::clean},      {"module", StatVerdict::look},     {"top", StatVerdict::clean}};
  EXPECT_EQ(verdicts, expected);
  EXPECT_EQ(world.run("git diff-files --name-only"), "a/one\na/three\nb/c/one\nb/c/two\nd-e/one\nd-e/two");
}

}  // namespace
}  // namespace pfetch::checkout
