// Lock files, clean-up and child processes.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/lock_file.h"
#include "base/process.h"
#include "tests/support/temporary_directory.h"

namespace pfetch::base {
namespace {

using test::TemporaryDirectory;

void put(const std::string& path, const std::string& content) {
  write_all(open_file(path, O_WRONLY | O_CREAT | O_TRUNC).get(), as_bytes(content), path);
}

TEST(LockFile, ReplacesTheFileWhenItIsCommitted) {
  const TemporaryDirectory scratch;
  put(scratch / "file", "old");
  LockFile lock = LockFile::take(scratch / "file");
  EXPECT_TRUE(lock.held());
  lock.write("new");
  EXPECT_EQ(read_file(scratch / "file"), "old");
  lock.close();  // the lock is still held
  EXPECT_TRUE(path_exists(scratch / "file.lock"));
  lock.commit();
  EXPECT_FALSE(lock.held());
  EXPECT_EQ(read_file(scratch / "file"), "new");
  EXPECT_EQ(scratch.names(), std::vector<std::string>{"file"});
}

TEST(LockFile, LeavesTheFileWhenItIsRolledBackOrForgotten) {
  const TemporaryDirectory scratch;
  put(scratch / "file", "old");
  {
    LockFile lock = LockFile::take(scratch / "file");
    lock.write("new");
    lock.rollback();
    EXPECT_FALSE(path_exists(scratch / "file.lock"));
    LockFile forgotten = LockFile::take(scratch / "file");
    const LockFile moved = std::move(forgotten);
    EXPECT_TRUE(path_exists(scratch / "file.lock"));
  }
  EXPECT_EQ(scratch.names(), std::vector<std::string>{"file"});
  EXPECT_EQ(read_file(scratch / "file"), "old");
}

TEST(LockFile, IsTakenByOneOnly) {
  const TemporaryDirectory scratch;
  const LockFile lock = LockFile::take(scratch / "file");
  try {
    LockFile::take(scratch / "file", 0666, 3);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::exists);
    EXPECT_NE(error.message().find("file.lock"), std::string::npos);
  }
  EXPECT_TRUE(path_exists(scratch / "file.lock"));  // the first one's lock is not touched
}

TEST(LockFile, IsRemovedWhenItCannotBeCommitted) {
  const TemporaryDirectory scratch;
  make_directories(scratch / "file/inside");
  {
    LockFile lock = LockFile::take(scratch / "file");
    EXPECT_THROW(lock.commit(), Error);
  }
  EXPECT_EQ(scratch.names(), std::vector<std::string>{"file"});
}

TEST(RemoveTree, NeverFollowsASymlink) {
  const TemporaryDirectory outside;
  put(outside / "victim", "x");
  const TemporaryDirectory scratch;
  make_directories(scratch / "tree/a/b");
  put(scratch / "tree/a/file", "x");
  ASSERT_EQ(::symlink(outside.path().c_str(), (scratch / "tree/a/b/link").c_str()), 0);
  ASSERT_EQ(::symlink(outside.path().c_str(), (scratch / "top").c_str()), 0);
  EXPECT_TRUE(remove_tree(scratch / "tree"));
  EXPECT_TRUE(remove_tree(scratch / "top"));  // the link itself goes
  EXPECT_TRUE(remove_tree(scratch / "absent"));
  EXPECT_TRUE(scratch.names().empty());
  EXPECT_EQ(outside.names(), std::vector<std::string>{"victim"});
}

TEST(RemoveTree, GoesDeeperThanThereAreDescriptors) {
  const TemporaryDirectory scratch;
  UniqueFd at = open_file(scratch.path(), O_RDONLY | O_DIRECTORY);
  for (int depth = 0; depth < 300; ++depth) {
    ASSERT_EQ(::mkdirat(at.get(), "d", 0777), 0);
    const UniqueFd file(::openat(at.get(), "f", O_WRONLY | O_CREAT | O_CLOEXEC, 0666));
    at = UniqueFd(::openat(at.get(), "d", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  }
  at.reset();
  rlimit before{};
  ::getrlimit(RLIMIT_NOFILE, &before);
  rlimit few = before;
  few.rlim_cur = 40;
  ::setrlimit(RLIMIT_NOFILE, &few);
  const bool all = remove_tree(scratch / "d");
  ::setrlimit(RLIMIT_NOFILE, &before);
  EXPECT_TRUE(all);
  EXPECT_FALSE(path_exists(scratch / "d"));
  EXPECT_TRUE(path_exists(scratch / "f"));
}

TEST(RemoveTree, EmptiesADirectoryThatIsKeptAlsoBehindTheUsersOwnLink) {
  const TemporaryDirectory scratch;
  make_directories(scratch / "real/a");
  put(scratch / "real/file", "x");
  ASSERT_EQ(::symlink("real", (scratch / "link").c_str()), 0);
  EXPECT_TRUE(remove_tree(scratch / "link", true));
  EXPECT_EQ(scratch.names(), (std::vector<std::string>{"link", "real"}));
  EXPECT_FALSE(path_exists(scratch / "real/a"));
  EXPECT_FALSE(path_exists(scratch / "real/file"));
}

TEST(RemoveOnFailure, RemovesWhatIsArmedOnly) {
  using What = RemoveOnFailure::What;
  const TemporaryDirectory scratch;
  for (const char* name : {"file", "kept", "moved"}) put(scratch / name, "x");
  make_directories(scratch / "contents/inside");
  make_directories(scratch / "full/inside");
  make_directory(scratch / "empty");
  {
    const RemoveOnFailure file(scratch / "file", What::file);
    RemoveOnFailure kept(scratch / "kept", What::file);
    kept.dismiss();
    const RemoveOnFailure contents(scratch / "contents", What::tree_contents);
    const RemoveOnFailure full(scratch / "full", What::empty_directory);
    const RemoveOnFailure empty(scratch / "empty", What::empty_directory);
    RemoveOnFailure target;
    {
      RemoveOnFailure source(scratch / "moved", What::file);
      target = std::move(source);
    }
    EXPECT_TRUE(path_exists(scratch / "moved"));
  }
  EXPECT_EQ(scratch.names(), (std::vector<std::string>{"contents", "full", "kept"}));
  EXPECT_FALSE(path_exists(scratch / "contents/inside"));
  EXPECT_TRUE(path_exists(scratch / "full/inside"));
}

ProcessOptions shell(const std::string& script) {
  ProcessOptions options;
  options.argv = {"sh", "-c", script};
  return options;
}

std::string all_of(int fd) {
  std::string text;
  std::byte piece[4096];
  while (const std::size_t count = read_some(fd, piece, "pipe")) text += as_text({piece, count});
  return text;
}

TEST(Process, TellsHowTheChildEnded) {
  EXPECT_EQ(Process::start(shell("exit 0")).wait(), 0);
  EXPECT_EQ(Process::start(shell("exit 7")).wait(), 7);
  EXPECT_EQ(Process::start(shell("kill -9 $$")).wait(), 128 + SIGKILL);
}

TEST(Process, TalksThroughPipes) {
  ProcessOptions options = shell("cat; echo problem >&2");
  options.in = options.out = options.err = ProcessOptions::Stream::pipe;
  Process child = Process::start(options);
  write_all(child.in.get(), as_bytes("hello"), "pipe");
  child.in.reset();
  EXPECT_EQ(all_of(child.out.get()), "hello");
  EXPECT_EQ(all_of(child.err.get()), "problem\n");
  EXPECT_EQ(child.wait(), 0);
  EXPECT_FALSE(child.running());
}

TEST(Process, GivesTheChildItsEnvironmentAndDirectoryAndAnEmptyStdin) {
  const TemporaryDirectory scratch;
  ::setenv("PFETCH_TEST_GONE", "x", 1);
  ProcessOptions options = shell("cat; pwd; echo \"$ONE-${PFETCH_TEST_GONE-unset}\"");
  options.directory = scratch.path();
  options.environment = {{"ONE", "1"}, {"PFETCH_TEST_GONE", std::nullopt}};
  options.out = ProcessOptions::Stream::pipe;
  Process child = Process::start(options);
  EXPECT_EQ(all_of(child.out.get()), scratch.path() + "\n1-unset\n");
  EXPECT_EQ(child.wait(), 0);
  ::unsetenv("PFETCH_TEST_GONE");
}

TEST(Process, SaysThatAProgramIsNotThere) {
  ProcessOptions options;
  options.argv = {"pfetch-no-such-program"};
  try {
    Process::start(options);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::not_found);
    EXPECT_NE(error.message().find("pfetch-no-such-program"), std::string::npos);
  }
}

TEST(Process, UsesTheShellOnlyWhenAsked) {
  ProcessOptions options;
  options.argv = {"printf '%s|' first", "a b", "$HOME"};
  options.use_shell = true;
  options.out = ProcessOptions::Stream::pipe;
  Process child = Process::start(options);
  EXPECT_EQ(all_of(child.out.get()), "first|a b|$HOME|");
  EXPECT_EQ(child.wait(), 0);
}

TEST(Process, EndsAChildThatIsForgotten) {
  ProcessOptions options = shell("exec cat");
  options.in = options.out = ProcessOptions::Stream::pipe;
  pid_t pid = 0;
  {
    const Process child = Process::start(options);
    pid = child.pid();
  }
  EXPECT_NE(::kill(pid, 0), 0);  // gone, and waited for
}

TEST(ShellQuote, MakesOneWordOfAnything) {
  EXPECT_EQ(shell_quote(""), "''");
  EXPECT_EQ(shell_quote("a'b!"), "'a'\\''b'\\!''");
}

}  // namespace
}  // namespace pfetch::base
