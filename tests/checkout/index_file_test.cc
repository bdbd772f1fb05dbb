#include "checkout/index_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/fd.h"
#include "object/tree_view.h"
#include "tests/support/git_oracle.h"

namespace pfetch::checkout {
namespace {

using object::Oid;

struct Wanted {
  std::string path;
  std::uint32_t mode = object::mode_file;
  Oid id;
  IndexStat stat;
};

void write_index(const test::GitOracle& git, const std::vector<Wanted>& entries,
                 const std::vector<CacheTreeNode>& cache_tree) {
  base::LockFile lock = base::LockFile::take(git.worktree() + "/.git/index");
  IndexWriter writer(lock, entries.size());
  for (const Wanted& entry : entries) writer.add({entry.path, entry.mode, entry.id, entry.stat});
  writer.finish(cache_tree);
  lock.commit();
}

Oid id_of(const std::string& hex) {
  return Oid::from_hex(hex).value();
}

IndexStat lstat_of(const std::string& path) {
  struct stat found {};
  if (lstat(path.c_str(), &found) != 0) throw_errno(errno, "lstat", path);
  return index_stat(found);
}

// Moves a file's mtime back, so that git does not distrust its stat data for being as young as the index.
void make_old(const std::string& path) {
  const timespec times[2] = {{1600000000, 5}, {1600000000, 123456789}};
  ASSERT_EQ(utimensat(AT_FDCWD, path.c_str(), times, AT_SYMLINK_NOFOLLOW), 0);
}

// A worktree with everything a tree can hold, known to git as HEAD, and the entries an index for it should have.
std::vector<Wanted> make_worktree(const test::GitOracle& git, int files) {
  std::mt19937 random(5);
  const std::vector<std::string> directories = {
      "", "d/", "d/e/", "d-e/", "d.e/", "\xc3\xa4/", "very-long-directory-name/"};
  std::map<std::string, std::uint32_t> modes;
  for (int i = 0; i < files; ++i) {
    const std::string path =
        directories[random() % directories.size()] + std::string(1 + random() % 40, 'f') + std::to_string(i);
    git.write(path, "content " + std::to_string(i));
    modes[path] = i % 7 == 0 ? object::mode_executable : object::mode_file;
    if (i % 7 == 0) std::filesystem::permissions(git.worktree() + "/" + path, std::filesystem::perms(0755));
  }
  std::filesystem::create_symlink("d/nowhere", git.worktree() + "/d/link");
  modes["d/link"] = object::mode_symlink;
  std::filesystem::create_directory(git.worktree() + "/module");
  modes["module"] = object::mode_gitlink;
  git.must({"add", "."});
  git.must({"update-index", "--add", "--cacheinfo", "160000," + std::string(Oid::hex_size, '1') + ",module"});
  git.must({"commit", "-qm", "all"});

  std::vector<Wanted> entries;
  for (const auto& [path, mode] : modes) {
    const std::string file = git.worktree() + "/" + path;
    make_old(file);
    entries.push_back({path, mode, id_of(git.must({"rev-parse", "HEAD:" + path})),
                       mode == object::mode_gitlink ? IndexStat{} : lstat_of(file)});
  }
  return entries;
}

// The cache tree of `directory` ("" or ending in '/') over sorted entries, as git names its trees.
void append_cache_tree(const test::GitOracle& git, const std::vector<Wanted>& entries, const std::string& directory,
                       std::string_view name, std::vector<CacheTreeNode>& nodes) {
  std::vector<std::string_view> names;
  std::int64_t count = 0;
  for (const Wanted& entry : entries) {
    if (entry.path.compare(0, directory.size(), directory) != 0) continue;
    ++count;
    const std::size_t slash = entry.path.find('/', directory.size());
    if (slash == std::string::npos) continue;
    const auto child = std::string_view(entry.path).substr(directory.size(), slash - directory.size());
    if (std::find(names.begin(), names.end(), child) == names.end()) names.push_back(child);
  }
  nodes.push_back(
      {name, count, static_cast<std::uint32_t>(names.size()), id_of(git.must({"rev-parse", "HEAD:" + directory}))});
  for (const std::string_view child : names) {
    append_cache_tree(git, entries, directory + std::string(child) + "/", child, nodes);
  }
}

TEST(IndexFile, IsAnIndexForGit) {
  const test::GitOracle git;
  const std::vector<Wanted> entries = make_worktree(git, 60);
  std::vector<CacheTreeNode> cache_tree;
  append_cache_tree(git, entries, "", "", cache_tree);
  const std::string git_stage = git.must({"ls-files", "--stage"});
  git.must({"update-index", "--refresh"});
  const std::string git_debug = git.must({"ls-files", "--stage", "--debug"});
  const std::string git_tree = git.must({"write-tree"});
  std::filesystem::remove(git.worktree() + "/.git/index");

  write_index(git, entries, cache_tree);
  EXPECT_EQ(git.must({"diff-files"}), "");
  EXPECT_EQ(git.must({"status", "--porcelain"}), "");
  write_index(git, entries, cache_tree);  // status may have refreshed it
  EXPECT_EQ(git.must({"ls-files", "--stage"}), git_stage);
  EXPECT_EQ(git.must({"ls-files", "--stage", "--debug"}), git_debug);  // every number of the stat data
  EXPECT_TRUE(git.run({"update-index", "--refresh"}).ok());
  EXPECT_EQ(git.must({"write-tree"}), git_tree);
  EXPECT_TRUE(git.run({"fsck", "--strict"}).ok());  // checks the checksum and the cache tree's objects
}

// The stat data alone convinces git: an entry with another blob's id is not noticed until the file is touched.
TEST(IndexFile, SparesGitReadingTheFiles) {
  const test::GitOracle git;
  std::vector<Wanted> entries = make_worktree(git, 5);
  const Oid other = id_of(git.must({"hash-object", "-w", "--stdin"}, "CONTENT 0"));
  for (Wanted& entry : entries) {
    if (entry.mode == object::mode_file || entry.mode == object::mode_executable) entry.id = other;
  }
  write_index(git, entries, {});
  EXPECT_EQ(git.must({"diff-files"}), "");
  for (Wanted& entry : entries) entry.stat.mtime_s += 1;
  write_index(git, entries, {});
  EXPECT_NE(git.must({"diff-files"}), "");
}

// `git write-tree` answers from the cache tree when it is valid: with a decoy in it, we see whether git could read it.
TEST(IndexFile, CacheTreeIsReadByGit) {
  const test::GitOracle git;
  const std::vector<Wanted> entries = make_worktree(git, 40);
  const std::string blob = git.must({"hash-object", "-w", "--stdin"}, "x");
  std::vector<CacheTreeNode> nodes;
  append_cache_tree(git, entries, "", "", nodes);
  ASSERT_EQ(nodes.size(), 7u);
  std::vector<std::string> decoys;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    decoys.push_back(git.must({"mktree"}, "100644 blob " + blob + "\tdecoy" + std::to_string(i) + "\n"));
    nodes[i].id = id_of(decoys.back());
  }
  write_index(git, entries, nodes);
  EXPECT_EQ(git.must({"write-tree"}), decoys[0]);
  for (std::size_t i = 1; i < nodes.size(); ++i) {
    const std::string directory = nodes[i].name == "e" ? "d/e/" : std::string(nodes[i].name) + "/";
    EXPECT_EQ(git.must({"write-tree", "--prefix=" + directory}), decoys[i]) << directory;
  }
  // A directory that is not known makes those above it unknown too; git then computes the top tree, from the rest.
  nodes[0].entry_count = -1;
  write_index(git, entries, nodes);
  EXPECT_NE(git.must({"write-tree"}), decoys[0]);
}

TEST(IndexFile, HoldsPathsOfEveryLength) {
  const test::GitOracle git;
  const Oid blob = id_of(git.must({"hash-object", "-w", "--stdin"}, "x"));
  std::vector<Wanted> entries;
  for (std::size_t size = 1; size <= 17; ++size)
    entries.push_back({std::string(size, 'a'), object::mode_file, blob, {}});
  for (const std::size_t size : {0xffeu, 0xfffu, 0x1000u, 0x1001u, 0x3000u}) {
    entries.push_back({std::string(size, 'b'), object::mode_file, blob, {}});
  }
  entries.push_back({"\xff", 0100664, blob, {}});
  std::string expected;
  for (const Wanted& entry : entries) expected += "100644 " + blob.hex() + " 0\t" + entry.path + '\0';
  write_index(git, entries, {});
  EXPECT_EQ(git.run({"ls-files", "--stage", "-z"}).out, expected);
}

TEST(IndexFile, StreamsMoreThanItsBuffer) {
  const test::GitOracle git;
  const Oid blob = id_of(git.must({"hash-object", "-w", "--stdin"}, "x"));
  std::vector<Wanted> entries;
  for (int i = 100000; i < 120000; ++i) entries.push_back({"f" + std::to_string(i), object::mode_file, blob, {}});
  write_index(git, entries, {});
  const std::string listed = git.must({"ls-files"});
  EXPECT_EQ(std::count(listed.begin(), listed.end(), '\n') + 1, 20000);
  EXPECT_TRUE(git.run({"fsck", "--strict"}).ok());
}

TEST(IndexFile, AnEmptyTreeHasAnEmptyIndex) {
  const test::GitOracle git;
  const Oid empty_tree = id_of(git.must({"hash-object", "-w", "-t", "tree", "/dev/null"}));
  write_index(git, {}, {{"", 0, 0, empty_tree}});
  EXPECT_EQ(git.must({"ls-files"}), "");
  EXPECT_EQ(git.must({"write-tree"}), empty_tree.hex());
}

TEST(IndexFile, RefusesEntriesThatNoIndexMayHold) {
  const test::GitOracle git;
  base::UniqueFd fd = base::open_file(git.worktree() + "/index", O_CREAT | O_WRONLY);
  IndexWriter writer(fd.get(), "index", 10);
  writer.add({"b", object::mode_file, {}, {}});
  EXPECT_THROW(writer.add({"b", object::mode_file, {}, {}}), Error);
  EXPECT_THROW(writer.add({"a", object::mode_file, {}, {}}), Error);
  EXPECT_THROW(writer.add({"", object::mode_file, {}, {}}), Error);
  writer.add({"b\xff", object::mode_file, {}, {}});
  EXPECT_THROW(writer.add({"b0", object::mode_file, {}, {}}), Error);
  EXPECT_THROW(IndexWriter(fd.get(), "index", std::uint64_t{1} << 32), Error);
}

TEST(IndexFile, NamesTheFileThatCannotBeWritten) {
  base::UniqueFd full = base::open_file("/dev/full", O_WRONLY);
  IndexWriter writer(full.get(), "here/index.lock", 0);
  try {
    writer.finish({});
    FAIL() << "nothing thrown";
  } catch (const Error& error) {
    EXPECT_NE(error.message().find("here/index.lock"), std::string::npos);
  }
}

}  // namespace
}  // namespace pfetch::checkout
