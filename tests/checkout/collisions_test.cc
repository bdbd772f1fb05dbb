// Paths that share a place, whatever makes them share it. A hard link stands in for a file system that folds case: two
// names, one inode.
#include "checkout/collisions.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "checkout/directory_writer.h"
#include "checkout/file_writer.h"
#include "tests/checkout/slots.h"
#include "tests/support/temporary_directory.h"

namespace pfetch::checkout {
namespace {

class CollisionsTest : public testing::Test, protected Slots {
 protected:
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
  Collisions find() { return find_collisions(directories_.top(), files(), unwritten_); }

  test::TemporaryDirectory scratch_;

 private:
  DirectoryWriter directories_{scratch_.path(), InTheWay::is_kept};
  std::vector<FileSlot*> unwritten_;
};

using Paths = std::vector<std::string>;

TEST_F(CollisionsTest, NoneWhenAllIsWritten) {
  write(file(top, "a"));
  EXPECT_TRUE(find().collided.empty());
  EXPECT_TRUE(find().theirs.empty());
}

TEST_F(CollisionsTest, AllMembersOfAGroupOfFiles) {
  write(file(top, "FILE"));
  write(file(top, "other"));
  same_place("FILE", "File");
  same_place("FILE", "file");
  write(file(top, "File"));
  write(file(top, "file"));
  EXPECT_EQ(find().collided, Paths({"FILE", "File", "file"}));
  EXPECT_TRUE(find().theirs.empty());
}

TEST_F(CollisionsTest, WhatSomebodyElsePutThereIsTheirs) {
  std::ofstream(scratch_ / "a") << "theirs";
  ASSERT_EQ(::mkdir((scratch_ / "d").c_str(), 0777), 0);
  ASSERT_EQ(::symlink("nowhere", (scratch_ / "link").c_str()), 0);
  write(file(top, "a"));
  write(file(top, "d"));
  write(file(below(top, "link"), "inside"));
  write(file(top, "mine"));
  EXPECT_EQ(find().theirs, Paths({"a", "d", "link/inside"}));
  EXPECT_TRUE(find().collided.empty());
}

TEST_F(CollisionsTest, AFileThatStandsWhereADirectoryIsNeeded) {
  write(file(top, "a"));
  Directory& below_it = below(below(top, "a"), "deeper");
  write(file(below_it, "x"));
  write(file(below_it, "y"));
  EXPECT_EQ(find().collided, Paths({"a", "a/deeper/x", "a/deeper/y"}));
}

TEST_F(CollisionsTest, ADirectoryWithAllThatIsBelow) {
  Directory& d = below(top, "d");
  write(file(d, "one"));
  write(file(below(d, "e"), "two"));
  write(file(below(top, "f"), "three"));
  write(file(top, "d"));
  EXPECT_EQ(find().collided, Paths({"d", "d/e/two", "d/one"}));
}

TEST_F(CollisionsTest, ASubmoduleIsAMember) {
  write_submodule(file(top, "module", object::mode_gitlink));
  write(file(top, "module"));
  write(file(top, "file"));
  write_submodule(file(top, "file", object::mode_gitlink));
  EXPECT_EQ(find().collided, Paths({"file", "module"}));
  EXPECT_TRUE(find().theirs.empty());
}

}  // namespace
}  // namespace pfetch::checkout
