#include "shallow/shallow_file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <ctime>
#include <map>
#include <thread>

#include "base/error.h"
#include "repo/repository.h"
#include "tests/support/error_message.h"
#include "tests/support/scratch.h"

namespace pfetch::shallow {
namespace {

using object::Oid;

const std::string one = "1111111111111111111111111111111111111111";
const std::string abc = "abcdefabcdefabcdefabcdefabcdefabcdefabcd";
const std::string two = "2222222222222222222222222222222222222222";

Oid id(const std::string& hex) {
  return *Oid::from_hex(hex);
}

std::string listed(std::span<const Oid> roots) {
  return format_shallow(roots);
}

class ShallowFileTest : public ::testing::Test {
 protected:
  std::string path() const { return scratch / "shallow"; }
  ShallowFile reading(const std::string& content) const {
    scratch.write("shallow", content);
    return read_shallow_file(path());
  }
  struct stat status_of(const std::string& name) const {
    struct stat info {};
    EXPECT_EQ(::stat((scratch / name).c_str(), &info), 0) << name;
    return info;
  }
  void set_age(const std::string& name, std::time_t seconds) const {
    const timespec then{std::time(nullptr) - seconds, 0};
    const timespec times[] = {then, then};
    ASSERT_EQ(::utimensat(AT_FDCWD, (scratch / name).c_str(), times, 0), 0);
  }
  test::Scratch scratch;
};

TEST_F(ShallowFileTest, AbsentIsNotShallow) {
  EXPECT_FALSE(read_shallow_file(path()).there);
  EXPECT_FALSE(read_shallow_file("").there);
}

TEST_F(ShallowFileTest, EmptyIsShallowWithNoRoots) {
  const ShallowFile file = reading("");
  EXPECT_TRUE(file.there);
  EXPECT_TRUE(file.roots.empty());
}

TEST_F(ShallowFileTest, ToleratesWhatGitTolerates) {
  EXPECT_EQ(listed(reading(one + "\r\n" + abc + "\r\n").roots), one + "\n" + abc + "\n");
  EXPECT_EQ(listed(reading(one + " trailing\n").roots), one + "\n");
  EXPECT_EQ(listed(reading(one + "zz\n").roots), one + "\n");
  EXPECT_EQ(listed(reading(one).roots), one + "\n");
  EXPECT_EQ(reading(abc + "\n" + one + "\n" + abc + "\n").roots, (std::vector<Oid>{id(one), id(abc)}));
  EXPECT_EQ(listed(reading("ABCDEFABCDEFABCDEFABCDEFABCDEFABCDEFABCD\n").roots), abc + "\n");
}

TEST_F(ShallowFileTest, RefusesBadLinesAndLeavesTheFileAlone) {
  for (const std::string& bad :
       {one + "\n\n", std::string("\n"), " " + one + "\n", one.substr(1) + "\n", one + "\n#\n"}) {
    try {
      reading(bad);
      ADD_FAILURE() << "accepted: " << bad;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::corrupt);
      EXPECT_EQ(error.message().substr(0, 18), "bad shallow line: ");
      EXPECT_NE(error.message().find(path()), std::string::npos);
    }
    auto lock = ShallowLock::take(path());
    EXPECT_THROW(lock.commit_merged({.add = {id(two)}, .remove = {}}), Error);
    lock.rollback();
    EXPECT_EQ(scratch.read("shallow"), bad);
    EXPECT_EQ(scratch.out_of("ls"), "shallow");
  }
}

TEST_F(ShallowFileTest, KeepsBytesAndStampForTellingAChange) {
  const ShallowFile file = reading(one + "\r\n");
  EXPECT_EQ(file.content, one + "\r\n");
  EXPECT_TRUE(file.has(id(one)));
  EXPECT_FALSE(file.has(id(two)));
  EXPECT_EQ(file.stamp, repo::FileStamp::of_path(path()));
  scratch.write("shallow", two + "\n" + one + "\n");
  EXPECT_NE(file.stamp, repo::FileStamp::of_path(path()));
}

TEST_F(ShallowFileTest, WritesTheBytesThatGitWrites) {
  scratch.out_of(
      "git init -q -b main s; cd s; for i in 1 2 3; do git commit -q --allow-empty -m c$i; done;"
      "for b in a b c d e; do git checkout -q -b $b main~1; git commit -q --allow-empty -m $b; done; cd ..;"
      "git clone -q --depth 1 --no-single-branch file://$PWD/s c; cp c/.git/shallow theirs");
  const std::string theirs = scratch.read("theirs");
  const ShallowFile file = read_shallow_file(scratch / "theirs");
  ASSERT_EQ(file.roots.size(), 6u);
  std::vector<Oid> shuffled(file.roots.rbegin(), file.roots.rend());
  shuffled.push_back(shuffled.front());
  ShallowLock::take(path()).commit(shuffled);
  EXPECT_EQ(scratch.read("shallow"), theirs);
}

TEST_F(ShallowFileTest, NoRootsRemoveTheFile) {
  scratch.write("shallow", one + "\n");
  ShallowLock::take(path()).commit({});
  EXPECT_EQ(scratch.out_of("ls"), "");
  ShallowLock::take(path()).commit({});  // and again, where there is none
  EXPECT_EQ(scratch.out_of("ls"), "");
}

TEST_F(ShallowFileTest, StagedRootsShowOnlyAfterCommit) {
  auto lock = ShallowLock::take(path());
  lock.stage(std::vector<Oid>{id(one)});
  EXPECT_FALSE(read_shallow_file(path()).there);
  EXPECT_THROW(ShallowLock::take(path()), Error);
  lock.commit();
  EXPECT_EQ(scratch.read("shallow"), one + "\n");
  EXPECT_EQ(scratch.out_of("ls"), "shallow");
}

TEST_F(ShallowFileTest, ADroppedLockChangesNothing) {
  scratch.write("shallow", one + "\n");
  {
    auto lock = ShallowLock::take(path());
    lock.stage(std::vector<Oid>{id(two)});
  }
  ShallowLock::take(path()).commit();  // nothing staged
  EXPECT_EQ(scratch.read("shallow"), one + "\n");
  EXPECT_EQ(scratch.out_of("ls"), "shallow");
}

TEST_F(ShallowFileTest, MergesWithWhatIsOnDiskNow) {
  scratch.write("shallow", one + "\n");
  auto lock = ShallowLock::take(path());
  scratch.write("shallow", one + "\n" + abc + "\n");  // somebody who takes no lock
  const auto roots = lock.commit_merged({.add = {id(two)}, .remove = {id(one)}});
  EXPECT_EQ(listed(roots), two + "\n" + abc + "\n");
  EXPECT_EQ(scratch.read("shallow"), two + "\n" + abc + "\n");
}

TEST_F(ShallowFileTest, AChangeBetweenReadingAndLockingLosesNobodysRoot) {
  scratch.write("shallow", one + "\n");
  const ShallowFile seen = read_shallow_file(path());
  ShallowLock::take(path()).commit_merged({.add = {id(abc)}, .remove = {}});  // another process, in between
  const auto roots = ShallowLock::take(path()).commit_merged({.add = {id(two)}, .remove = seen.roots});
  EXPECT_EQ(listed(roots), two + "\n" + abc + "\n");
  EXPECT_EQ(scratch.read("shallow"), two + "\n" + abc + "\n");
}

TEST_F(ShallowFileTest, FourWritersThatWaitForEachOtherAllGetTheirRootsIn) {
  constexpr int roots_each = 10;
  const auto root = [](int writer, int i) {
    Oid made;
    made.raw[0] = static_cast<std::uint8_t>(writer + 1);
    made.raw[1] = static_cast<std::uint8_t>(i);
    return made;
  };
  std::vector<std::thread> writers;
  for (int writer = 0; writer < 4; ++writer) {
    writers.emplace_back([&, writer] {
      for (int i = 0; i < roots_each; ++i) {
        ShallowLock::take(path(), 60'000).commit_merged({.add = {root(writer, i)}, .remove = {}});
      }
    });
  }
  for (std::thread& writer : writers) writer.join();
  const ShallowFile file = read_shallow_file(path());
  EXPECT_EQ(file.roots.size(), 4u * roots_each);
  for (int writer = 0; writer < 4; ++writer) EXPECT_TRUE(file.has(root(writer, roots_each - 1)));
  EXPECT_EQ(scratch.out_of("ls"), "shallow");
}

TEST_F(ShallowFileTest, AnEditWithoutEffectLeavesBytesAndTimeAlone) {
  scratch.write("shallow", abc + "\r\n" + one);
  set_age("shallow", 1000);
  const struct stat before = status_of("shallow");
  ShallowLock::take(path()).commit_merged({.add = {id(one)}, .remove = {id(two)}});
  ShallowLock::take(path()).commit_merged({});
  EXPECT_EQ(scratch.read("shallow"), abc + "\r\n" + one);
  const struct stat after = status_of("shallow");
  EXPECT_EQ(after.st_mtim.tv_sec, before.st_mtim.tv_sec);
  EXPECT_EQ(after.st_ino, before.st_ino);
  EXPECT_EQ(scratch.out_of("ls"), "shallow");
}

TEST_F(ShallowFileTest, AHeldLockIsNamedWithItsAgeAndTheCure) {
  scratch.write("shallow", one + "\n");
  scratch.write("shallow.lock", "");
  const std::pair<std::time_t, const char*> ages[] = {{-50, "[01] seconds?"},    {45, "4[5-9] seconds"},
                                                      {200, "3 minutes"},        {3 * 3600 + 5, "3 hours"},
                                                      {2 * 86400 + 5, "2 days"}, {90 * 60, "90 minutes"}};
  for (const auto& [seconds, age] : ages) {
    set_age("shallow.lock", seconds);
    const std::string message = test::error_message([&] { ShallowLock::take(path(), 1); }, ErrorCode::exists);
    EXPECT_NE(message.find("'" + path() + ".lock'"), std::string::npos) << message;
    EXPECT_THAT(message, testing::ContainsRegex(std::string("\\(created ") + age + " ago\\)"));
    EXPECT_NE(message.find("if none is, remove the file"), std::string::npos) << message;
  }
  EXPECT_EQ(scratch.out_of("ls"), "shallow\nshallow.lock");  // never removed by us
}

TEST_F(ShallowFileTest, TheBoundaryIsWhereTheEnvironmentSaysItIs) {
  scratch.out_of("git init -q r");
  scratch.write("r/.git/shallow", one + "\n");
  scratch.write("elsewhere", two + "\n");
  const auto roots_with = [&](std::map<std::string, std::string> variables) {
    variables.insert({{"GIT_CONFIG_NOSYSTEM", "1"}, {"HOME", "/nonexistent"}});
    const auto repository = repo::Repository::discover(repo::Environment::from(variables), scratch / "r");
    return listed(read_shallow_file(repository.shallow_path()).roots);
  };
  EXPECT_EQ(roots_with({}), one + "\n");
  EXPECT_EQ(roots_with({{"GIT_SHALLOW_FILE", scratch / "elsewhere"}}), two + "\n");
  EXPECT_EQ(roots_with({{"GIT_SHALLOW_FILE", ""}}), "");
}

TEST(ShallowEdit, WhatIsAddedAndRemovedStays) {
  EXPECT_EQ(merged(std::vector<Oid>{id(one)}, {.add = {id(one)}, .remove = {id(one)}}), std::vector<Oid>{id(one)});
}

TEST_F(ShallowFileTest, HonoursSharedRepository) {
  auto lock = ShallowLock::take(path(), 0, repo::SharedMode::parse("0640"));
  lock.commit(std::vector<Oid>{id(one)});
  struct stat info {};
  ASSERT_EQ(::stat(path().c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0640u);
}

}  // namespace
}  // namespace pfetch::shallow
