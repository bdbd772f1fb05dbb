// Files and directories are made through descriptors, and nothing that stands in the way is ever followed.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ctime>
#include <filesystem>

#include "base/error.h"
#include "checkout/file_writer.h"
#include "tests/checkout/slots.h"
#include "tests/support/temporary_directory.h"

namespace pfetch::checkout {
namespace {

std::size_t open_descriptors() {
  const std::filesystem::directory_iterator all("/proc/self/fd");
  return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

class Writers : public testing::Test, protected Slots {
 protected:
  struct stat stat_of(const std::string& name) {
    struct stat info {};
    EXPECT_EQ(::lstat((scratch / name).c_str(), &info), 0) << name;
    return info;
  }
  std::string content_of(const std::string& name) { return base::read_file(scratch / name); }

  test::TemporaryDirectory scratch;
  test::TemporaryDirectory outside;
};

using DirectoryWriterTest = Writers;
using FileWriterTest = Writers;

TEST_F(DirectoryWriterTest, MakesEveryDirectoryAbove) {
  DirectoryWriter writer(scratch.path());
  writer.open(below(below(below(top, "a"), "b"), "c"));
  EXPECT_TRUE(base::is_directory(scratch / "a/b/c"));
  std::string_view leaf;
  writer.open_for(below(top, "d"), "e/f/g", leaf);
  EXPECT_EQ(leaf, "g");
  EXPECT_TRUE(base::is_directory(scratch / "d/e/f"));
  EXPECT_FALSE(base::path_exists(scratch / "d/e/f/g"));
  writer.make_submodule(top, "modules/one");
  EXPECT_TRUE(base::is_directory(scratch / "modules/one"));
  EXPECT_FALSE(writer.displaced_any());
}

TEST_F(DirectoryWriterTest, HoldsABoundedNumberOfDescriptors) {
  DirectoryWriter writer(scratch.path(), InTheWay::gives_way, 4);
  const std::size_t before = open_descriptors();
  std::vector<std::string> names;
  for (int i = 0; i < 200; ++i) names.push_back("d" + std::to_string(i));
  DirectoryWriter::Handle in_use;
  for (const std::string& name : names) {
    const auto handle = writer.open(below(top, name));
    if (!in_use) in_use = handle;
  }
  EXPECT_LE(open_descriptors(), before + 5);
  // The first was let go of by the cache long ago, yet is open for whoever still has it.
  EXPECT_EQ(::mkdirat(in_use->get(), "inside", 0777), 0);
  EXPECT_TRUE(base::is_directory(scratch / "d0/inside"));
}

TEST_F(DirectoryWriterTest, NeverFollowsASymlinkThatStandsInTheWay) {
  ASSERT_EQ(::symlink(outside.path().c_str(), (scratch / "a").c_str()), 0);
  ASSERT_EQ(::symlink(outside.path().c_str(), (scratch / "s").c_str()), 0);
  DirectoryWriter writer(scratch.path());
  writer.open(below(below(top, "a"), "b"));
  EXPECT_TRUE(writer.displaced_any());
  std::string_view leaf;
  writer.open_for(top, "s/t/leaf", leaf);
  EXPECT_TRUE(outside.names().empty());
  EXPECT_TRUE(S_ISDIR(stat_of("a").st_mode));
  EXPECT_TRUE(S_ISDIR(stat_of("s").st_mode));
}

TEST_F(DirectoryWriterTest, RefusesADirectoryThatWasExchangedForASymlink) {
  DirectoryWriter writer(scratch.path(), InTheWay::gives_way, 1);
  Directory& a = below(top, "a");
  writer.open(a);
  writer.open(below(top, "b"));  // takes a's place in the cache
  ASSERT_EQ(::rmdir((scratch / "a").c_str()), 0);
  ASSERT_EQ(::symlink(outside.path().c_str(), (scratch / "a").c_str()), 0);
  EXPECT_THROW(writer.open(a), Error);
  EXPECT_THROW(writer.open(below(a, "inside")), Error);
  EXPECT_TRUE(outside.names().empty());
}

TEST_F(FileWriterTest, WritesContentModeAndStatData) {
  const mode_t umask_before = ::umask(027);
  DirectoryWriter directories(scratch.path());
  FileWriter writer(directories);
  FileSlot& plain = file(below(top, "d"), "plain");
  FileSlot& runs = file(top, "runs", object::mode_executable);
  EXPECT_EQ(writer.write(plain, base::as_bytes("content")), Written::yes);
  EXPECT_EQ(writer.write(runs, {}), Written::yes);
  ::umask(umask_before);
  EXPECT_EQ(content_of("d/plain"), "content");
  EXPECT_EQ(stat_of("d/plain").st_mode & 07777, 0640U);
  EXPECT_EQ(stat_of("runs").st_mode & 07777, 0750U);
  EXPECT_EQ(stat_of("d").st_mode & 07777, 0750U);
  EXPECT_TRUE(plain.written);
  EXPECT_EQ(plain.stat, index_stat(stat_of("d/plain")));
  EXPECT_EQ(runs.stat, index_stat(stat_of("runs")));
  EXPECT_EQ(plain.stat.size, 7U);
}

TEST_F(FileWriterTest, WritesPieces) {
  DirectoryWriter directories(scratch.path());
  FileWriter writer(directories);
  FileSlot& slot = file(top, "pieces");
  writer.write_pieces(slot, [](const auto& put) {
    put(base::as_bytes("one "));
    put({});
    put(base::as_bytes("two"));
  });
  EXPECT_EQ(content_of("pieces"), "one two");
  EXPECT_EQ(slot.stat.size, 7U);
}

TEST_F(FileWriterTest, NeverFollowsOrOverwritesWhatStandsThere) {
  base::UniqueFd victim = base::open_file(outside / "victim", O_WRONLY | O_CREAT);
  base::write_all(victim.get(), base::as_bytes("untouched"), "victim");
  ASSERT_EQ(::symlink((outside / "victim").c_str(), (scratch / "to_file").c_str()), 0);
  ASSERT_EQ(::symlink((outside / "new").c_str(), (scratch / "to_nothing").c_str()), 0);
  base::write_all(base::open_file(scratch / "file", O_WRONLY | O_CREAT).get(), base::as_bytes("theirs"), "file");
  base::make_directory(scratch / "directory");
  DirectoryWriter directories(scratch.path());
  FileWriter writer(directories);
  for (const char* name : {"to_file", "to_nothing", "file", "directory"}) {
    FileSlot& slot = file(top, name);
    EXPECT_EQ(writer.write(slot, base::as_bytes("ours")), Written::collided) << name;
    EXPECT_FALSE(slot.written);
    EXPECT_EQ(writer.write_symlink(slot, "target"), Written::collided) << name;
  }
  EXPECT_EQ(base::read_file(outside / "victim"), "untouched");
  EXPECT_EQ(outside.names(), std::vector<std::string>{"victim"});
  EXPECT_EQ(content_of("file"), "theirs");
}

TEST_F(FileWriterTest, DatesFilesBeforeTheSecondInWhichTheyWereWritten) {
  DirectoryWriter directories(scratch.path());
  FileWriter writer(directories);
  const std::time_t before = std::time(nullptr);
  FileSlot& slot = file(top, "f");
  FileSlot& link = file(top, "l", object::mode_symlink);
  writer.write(slot, base::as_bytes("x"));
  writer.write_symlink(link, "f");
  const std::time_t after = std::time(nullptr);
  for (const FileSlot* each : {&slot, &link}) {
    EXPECT_LT(each->stat.mtime_s, after);
    EXPECT_GE(each->stat.mtime_s, before - 2);
    EXPECT_EQ(each->stat.mtime_ns, 999'999'999U);
  }
  EXPECT_EQ(link.stat, index_stat(stat_of("l")));
}

TEST_F(FileWriterTest, NamesThePathWhenItCannotWrite) {
  DirectoryWriter directories(scratch.path());
  FileWriter writer(directories);
  const std::string long_name(300, 'n');
  try {
    writer.write(file(below(top, "d"), long_name), {});
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(error.message().find("d/nnn"), std::string::npos) << error.message();
  }
}

}  // namespace
}  // namespace pfetch::checkout
