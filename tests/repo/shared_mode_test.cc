#include "repo/shared_mode.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "base/error.h"
#include "tests/support/scratch.h"

namespace pfetch::repo {

TEST(SharedMode, UnderstandsEveryWayToSayIt) {
  for (const char* value : {"umask", "false", "0", "no"}) EXPECT_FALSE(SharedMode::parse(value).is_shared()) << value;
  for (const char* value : {"group", "true", "1", "yes"}) EXPECT_EQ(SharedMode::parse(value).config_value(), "1");
  for (const char* value : {"all", "world", "everybody", "2"}) EXPECT_EQ(SharedMode::parse(value).config_value(), "2");
  EXPECT_EQ(SharedMode::parse(std::nullopt).config_value(), "1");
  EXPECT_EQ(SharedMode::parse("0640").config_value(), "0640");
  EXPECT_THROW(SharedMode::parse("0400"), Error);
  EXPECT_THROW(SharedMode::parse("foo"), Error);
}

TEST(SharedMode, AdjustsAsGitDoes) {
  EXPECT_EQ(SharedMode::parse("umask").adjusted_directory(0700), 0700U);
  EXPECT_EQ(SharedMode::parse("group").adjusted_file(0600), 0660U);
  EXPECT_EQ(SharedMode::parse("group").adjusted_file(0444), 0444U);
  EXPECT_EQ(SharedMode::parse("group").adjusted_file(0700), 0770U);
  EXPECT_EQ(SharedMode::parse("all").adjusted_file(0400), 0444U);
  EXPECT_EQ(SharedMode::parse("group").adjusted_directory(0755), 02775U);
  EXPECT_EQ(SharedMode::parse("0640").adjusted_file(0666), 0640U);
  EXPECT_EQ(SharedMode::parse("0640").adjusted_directory(0777), 02750U);
  EXPECT_EQ(SharedMode::parse("0600").adjusted_directory(0777), 0700U);
}

TEST(SharedMode, ChangesFilesAndDirectoriesOnDisk) {
  test::Scratch scratch;
  const std::string file = scratch.write("d/f", "");
  ::chmod(file.c_str(), 0600);
  ::chmod((scratch / "d").c_str(), 0700);
  const SharedMode mode = SharedMode::parse("group");
  mode.adjust_path(file);
  mode.adjust_path(scratch / "d");
  struct stat info {};
  ::stat(file.c_str(), &info);
  EXPECT_EQ(info.st_mode & 07777, 0660U);
  ::stat((scratch / "d").c_str(), &info);
  EXPECT_EQ(info.st_mode & 07777, 02770U);
}

}  // namespace pfetch::repo
