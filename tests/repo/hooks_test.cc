#include "repo/hooks.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "base/error.h"
#include "repo/init.h"
#include "tests/support/scratch.h"

namespace pfetch::repo {

namespace {

class Hooks : public ::testing::Test {
 protected:
  Hooks() : environment(Environment::from({{"GIT_CONFIG_NOSYSTEM", "1"}, {"HOME", "/nonexistent"}})) {}

  Repository make(bool bare = false) {
    InitOptions options;
    options.directory = scratch / "r";
    options.bare = bare;
    options.template_dir = "";
    return init_repository(options, environment).repository;
  }

  std::string write_hook(const std::string& name, const std::string& script, mode_t mode = 0755) {
    const std::string path = scratch.write(name, "#!/bin/sh\n" + script + "\n");
    ::chmod(path.c_str(), mode);
    return path;
  }

  test::Scratch scratch;
  Environment environment;
};

}  // namespace

TEST_F(Hooks, RunInTheWorkTreeWithArgumentsInputAndEnvironment) {
  const Repository repository = make();
  write_hook("r/.git/hooks/post-checkout",
             "{ pwd; echo \"$GIT_DIR\"; echo \"$@\"; echo \"$EXTRA\"; cat; } >" + (scratch / "seen") + "; exit 3");
  const HookOutcome outcome = run_hook(repository, "post-checkout", {"a b", "c"}, {"in\nput\n", {{"EXTRA", "e"}}});
  EXPECT_TRUE(outcome.ran);
  EXPECT_EQ(outcome.status, 3);
  EXPECT_EQ(base::read_file(scratch / "seen"), (scratch / "r\n") + (scratch / "r/.git\n") + "a b c\ne\nin\nput\n");
}

TEST_F(Hooks, OfABareRepositoryRunInIt) {
  const Repository repository = make(true);
  write_hook("r/hooks/update", "pwd >" + (scratch / "seen"));
  EXPECT_EQ(run_hook(repository, "update", {}).status, 0);
  EXPECT_EQ(base::read_file(scratch / "seen"), scratch / "r\n");
}

TEST_F(Hooks, ThatAreNotThereDoNotRun) {
  const HookOutcome outcome = run_hook(make(), "post-checkout", {});
  EXPECT_FALSE(outcome.ran);
  EXPECT_EQ(outcome.advice, "");
}

TEST_F(Hooks, ThatAreNotExecutableAreToldOf) {
  Repository repository = make();
  const std::string path = write_hook("r/.git/hooks/pre-push", "exit 1", 0644);
  const HookOutcome outcome = run_hook(repository, "pre-push", {});
  EXPECT_FALSE(outcome.ran);
  EXPECT_EQ(outcome.advice, "The '" + path +
                                "' hook was ignored because it's not set as executable.\n"
                                "You can disable this warning with `git config advice.ignoredHook false`.");
  scratch.output("git -C r config advice.ignoredHook false");
  repository.reload_config();
  EXPECT_EQ(run_hook(repository, "pre-push", {}).advice, "");
}

TEST_F(Hooks, AreLookedForUnderHooksPathFromTheWorkTree) {
  environment.add_override("core.hooksPath=../shared");
  const Repository repository = make();
  write_hook("shared/post-merge", "exit 5");
  EXPECT_EQ(run_hook(repository, "post-merge", {}).status, 5);
}

TEST_F(Hooks, MayLeaveTheirInputUnread) {
  const Repository repository = make();
  write_hook("r/.git/hooks/pre-receive", "exec <&-; exit 4");
  HookOptions options;
  options.input = std::string(4 << 20, 'x');
  EXPECT_EQ(run_hook(repository, "pre-receive", {}, options).status, 4);
}

TEST_F(Hooks, SeeCommandLineSettings) {
  environment.add_override("my.key=it's");
  const Repository repository = make();
  write_hook("r/.git/hooks/post-checkout", "git config my.key >" + (scratch / "seen"));
  run_hook(repository, "post-checkout", {});
  EXPECT_EQ(base::read_file(scratch / "seen"), "it's\n");
}

TEST_F(Hooks, TellTheSignalThatEndedThem) {
  const Repository repository = make();
  write_hook("r/.git/hooks/post-checkout", "kill -9 $$");
  EXPECT_EQ(run_hook(repository, "post-checkout", {}).status, 128 + 9);
}

}  // namespace pfetch::repo
