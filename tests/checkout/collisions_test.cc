// Paths that share a place, whatever makes them share it. A hard link stands in for a file system that folds case: two
// names, one inode.
#include "checkout/collisions.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <deque>
#include <fstream>

#include "checkout/directory_writer.h"
#include "checkout/file_writer.h"
#include "tests/support/temporary_directory.h"

namespace pfetch::checkout {
namespace {

class CollisionsTest : public testing::Test {
 protected:
  Directory& below(Directory& parent, std::string_view name) {
    Directory& directory = made_.emplace_back();
    directory.parent = &parent;
    directory.name = name;
    return directory;
  }
  FileSlot& slot(Directory& directory, std::string_view name, std::uint32_t mode = object::mode_file) {
    FileSlot& file = files_.emplace_back();
    file.directory = &directory;
    file.name = name;
    file.mode = mode;
    return file;
  }
  void write(FileSlot& file) {
    if (FileWriter(directories_).write(file, base::as_bytes("content")) != Written::yes) unwritten_.push_back(&file);
  }
  void write_submodule(FileSlot& file) {
    file.written = directories_.make_submodule(*file.directory, file.name);
    if (!file.written) unwritten_.push_back(&file);
  }
  void same_place(const std::string& path, const std::string& other) {
    ASSERT_EQ(::link((scratch_ / path).c_str(), (scratch_ / other).c_str()), 0);
  }
  Collisions find() {
    std::vector<const FileSlot*> files;
    for (const FileSlot& file : files_) files.push_back(&file);
    return find_collisions(directories_.top(), files, unwritten_);
  }

  test::TemporaryDirectory scratch_;
  Directory top;

 private:
  DirectoryWriter directories_{scratch_.path(), InTheWay::is_kept};
  std::deque<Directory> made_;
  std::deque<FileSlot> files_;
  std::vector<FileSlot*> unwritten_;
};

using Paths = std::vector<std::string>;

TEST_F(CollisionsTest, NoneWhenAllIsWritten) {
  write(slot(top, "a"));
  EXPECT_TRUE(find().collided.empty());
  EXPECT_TRUE(find().theirs.empty());
}

TEST_F(CollisionsTest, AllMembersOfAGroupOfFiles) {
  write(slot(top, "FILE"));
  write(slot(top, "other"));
  same_place("FILE", "File");
  same_place("FILE", "file");
  write(slot(top, "File"));
  write(slot(top, "file"));
  EXPECT_EQ(find().collided, Paths({"FILE", "File", "file"}));
  EXPECT_TRUE(find().theirs.empty());
}

TEST_F(CollisionsTest, WhatSomebodyElsePutThereIsTheirs) {
  std::ofstream(scratch_ / "a") << "theirs";
  ASSERT_EQ(::mkdir((scratch_ / "d").c_str(), 0777), 0);
  ASSERT_EQ(::symlink("nowhere", (scratch_ / "link").c_str()), 0);
  write(slot(top, "a"));
  write(slot(top, "d"));
  write(slot(below(top, "link"), "inside"));
  write(slot(top, "mine"));
  EXPECT_EQ(find().theirs, Paths({"a", "d", "link/inside"}));
  EXPECT_TRUE(find().collided.empty());
}

TEST_F(CollisionsTest, AFileThatStandsWhereADirectoryIsNeeded) {
  write(slot(top, "a"));
  Directory& below_it = below(below(top, "a"), "deeper");
  write(slot(below_it, "x"));
  write(slot(below_it, "y"));
  EXPECT_EQ(find().collided, Paths({"a", "a/deeper/x", "a/deeper/y"}));
}

TEST_F(CollisionsTest, ADirectoryWithAllThatIsBelow) {
  Directory& d = below(top, "d");
  write(slot(d, "one"));
  write(slot(below(d, "e"), "two"));
  write(slot(below(top, "f"), "three"));
  write(slot(top, "d"));
  EXPECT_EQ(find().collided, Paths({"d", "d/e/two", "d/one"}));
}

TEST_F(CollisionsTest, ASubmoduleIsAMember) {
  write_submodule(slot(top, "module", object::mode_gitlink));
  write(slot(top, "module"));
  write(slot(top, "file"));
  write_submodule(slot(top, "file", object::mode_gitlink));
  EXPECT_EQ(find().collided, Paths({"file", "module"}));
  EXPECT_TRUE(find().theirs.empty());
}

}  // namespace
}  // namespace pfetch::checkout
