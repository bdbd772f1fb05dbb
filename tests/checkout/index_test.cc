#include "checkout/index.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "checkout/cache_tree.h"
#include "checkout/index_settings.h"
#include "tests/checkout/index_worlds.h"

namespace pfetch::checkout {
namespace {

TEST(Index, WrittenAgainIsTheSameForGit) {
  for (const auto& [name, script] : index_worlds()) {
    SCOPED_TRACE(name);
    const IndexWorld world(script);
    const std::string listing = git_debug_listing(world);
    const std::string tags = world.git("ls-files --sparse -z -f");
    const std::string undo = world.git("ls-files -z --resolve-undo");
    const std::string status = world.git("--no-optional-locks status --porcelain");
    const Index index = world.read();
    world.write(index);
    EXPECT_EQ(git_debug_listing(world), listing);
    EXPECT_EQ(world.git("ls-files --sparse -z -f"), tags);
    EXPECT_EQ(world.git("ls-files -z --resolve-undo"), undo);
    world.run("git fsck --strict --no-dangling");  // the checksum, and the cache tree's objects
    const Index again = world.read();
    EXPECT_EQ(again.version, index.version);
    EXPECT_EQ(again.cache_tree.size(), index.cache_tree.size());
    EXPECT_EQ(again.untracked_cache, index.untracked_cache);
    EXPECT_EQ(again.fsmonitor, index.fsmonitor);
    EXPECT_EQ(world.git("--no-optional-locks status --porcelain"), status);
    EXPECT_EQ(world.git("status --porcelain"), status);
  }
}

TEST(Index, IsBytewiseWhatGitWrites) {
  for (const char* name :
       {"version 2", "version 3", "version 4", "version 4 with flags", "long paths", "long paths in version 4",
        "conflict", "resolved conflict", "fsmonitor 2", "sparse", "untracked cache", "many entries"}) {
    SCOPED_TRACE(name);
    const IndexWorld world(index_worlds().at(name));
    const std::string bytes = world.bytes();
    world.write(world.read());
    EXPECT_TRUE(world.bytes() == bytes);
  }
}

TEST(Index, HasTheVersionItNeeds) {
  const IndexWorld world("true");
  const auto version_after = [&](std::uint32_t present, std::uint32_t wished, bool flag) {
    Index index = world.read();
    index.version = present;
    index.entries[0].skip_worktree = flag;
    world.write(index, wished);
    return world.read().version;
  };
  EXPECT_EQ(version_after(0, 3, false), 2U);
  EXPECT_EQ(version_after(0, 2, true), 3U);
  EXPECT_EQ(version_after(0, 4, false), 4U);
  EXPECT_EQ(version_after(3, 4, false), 2U);
  EXPECT_EQ(version_after(2, 4, true), 3U);
  EXPECT_EQ(version_after(4, 2, true), 4U);
}

TEST(Index, GoesWithoutAChecksumWhenAsked) {
  const IndexWorld world("true");
  const std::string listing = git_debug_listing(world);
  const std::string bytes = world.bytes();
  world.write(world.read(), 2, true);
  EXPECT_EQ(world.bytes(),
            bytes.substr(0, bytes.size() - object::Oid::raw_size) + std::string(object::Oid::raw_size, '\0'));
  EXPECT_EQ(git_debug_listing(world), listing);
  EXPECT_EQ(debug_listing(world.read()), listing);
}

// A path that became tracked behind the untracked cache's back stays untracked for git until the cache is emptied.
TEST(Index, EmptiedUntrackedCacheStaysSwitchedOn) {
  const IndexWorld world(
      "git update-index --untracked-cache; echo x > a/new; touch -d @1500000000 a b b/c d-e .;"
      "git status >/dev/null; git status >/dev/null");
  Index index = world.read();
  const std::string full = index.untracked_cache;
  ASSERT_FALSE(full.empty());
  index.untracked_cache = emptied_untracked_cache(base::as_bytes(full));
  EXPECT_LT(index.untracked_cache.size(), full.size());
  IndexEntry added = *index.find("a/one");
  added.path = "a/new";
  added.stat = {};
  index.entries.insert(index.entries.begin() + (index.find("a/one") - index.entries.data()), added);
  const std::vector<std::string> changed = {"a/new"};
  invalidate_cache_tree(index.cache_tree, changed);
  world.write(index);
  EXPECT_EQ(world.run("git --no-optional-locks status --porcelain"), "AM a/new");
  world.run("git status");
  EXPECT_GT(world.read().untracked_cache.size(), index.untracked_cache.size());
}

TEST(Index, MalformedUntrackedCacheIsLeftOut) {
  EXPECT_EQ(emptied_untracked_cache({}), "");
  for (const std::size_t size : {1U, 60U, 117U})
    EXPECT_EQ(emptied_untracked_cache(base::as_bytes(std::string(size, 1))), "");
  EXPECT_EQ(emptied_untracked_cache(base::as_bytes(std::string(3, '\xff'))), "");
}

TEST(Index, MalformedMonitorIsDropped) {
  std::vector<IndexEntry> entries(100);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    entries[i].mode = i == 3 ? object::mode_gitlink : object::mode_file;
    entries[i].fsmonitor_valid = i % 7 != 0 && i != 3;
  }
  const FileSystemMonitor monitor{1, std::string("\0\0\0\1\0\0\0\2", 8)};
  const std::string content = fsmonitor_content(monitor, entries);
  std::vector<IndexEntry> read = entries;
  for (IndexEntry& entry : read) entry.fsmonitor_valid = !entry.fsmonitor_valid;
  EXPECT_EQ(apply_fsmonitor(base::as_bytes(content), read), monitor);
  for (std::size_t i = 0; i < entries.size(); ++i) EXPECT_EQ(read[i].fsmonitor_valid, entries[i].fsmonitor_valid) << i;

  for (std::size_t size = 0; size < content.size(); ++size) {
    EXPECT_FALSE(apply_fsmonitor(base::as_bytes(content.substr(0, size)), read)) << size;
    EXPECT_FALSE(read[1].fsmonitor_valid);
  }
  EXPECT_FALSE(apply_fsmonitor(base::as_bytes(content + "x"), read));
  EXPECT_FALSE(apply_fsmonitor(base::as_bytes(content), std::span(read).first(50)));  // made for more entries
}

struct NamedSettings {
  const char* key;
  const char* value;
};

IndexSettings settings_of(const std::vector<NamedSettings>& settings, const std::optional<std::string>& environment,
                          std::vector<std::string>& warnings) {
  std::vector<repo::ConfigEntry> entries;
  for (const auto& [key, value] : settings) {
    repo::ConfigEntry entry;
    entry.key = key;
    entry.value = value;
    entries.push_back(entry);
  }
  return index_settings(repo::Config(entries), environment, warnings);
}

TEST(IndexSettings, FollowConfigurationAndEnvironment) {
  std::vector<std::string> warnings;
  EXPECT_EQ(settings_of({}, {}, warnings).new_version, 3U);
  EXPECT_EQ(settings_of({{"index.version", "4"}}, {}, warnings).new_version, 4U);
  EXPECT_EQ(settings_of({{"feature.manyfiles", "true"}}, {}, warnings).new_version, 4U);
  EXPECT_EQ(settings_of({{"feature.manyfiles", "true"}, {"index.version", "2"}}, {}, warnings).new_version, 2U);
  EXPECT_EQ(settings_of({{"index.version", "4"}}, "2", warnings).new_version, 2U);
  EXPECT_FALSE(settings_of({{"feature.manyfiles", "true"}}, {}, warnings).skip_checksum);
  EXPECT_TRUE(settings_of({{"index.skiphash", "true"}}, {}, warnings).skip_checksum);
  EXPECT_TRUE(warnings.empty());
  EXPECT_EQ(settings_of({{"index.version", "5"}}, {}, warnings).new_version, 3U);
  EXPECT_EQ(settings_of({}, "4x", warnings).new_version, 3U);
  EXPECT_EQ(warnings, (std::vector<std::string>{"index.version set, but the value is invalid.\nUsing version 3",
                                                "GIT_INDEX_VERSION set, but the value is invalid.\nUsing version 3"}));
}

}  // namespace
}  // namespace pfetch::checkout
