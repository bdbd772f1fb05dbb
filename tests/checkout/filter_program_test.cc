#include "checkout/filter_program.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <thread>

#include "base/error.h"
#include "tests/support/temporary_directory.h"

namespace pfetch::checkout {
namespace {

struct Ran {
  int status = -1;
  std::string out;
};

Ran run(const std::string& command, std::string_view content, const FilterPlace& place = {"/", {}}) {
  base::Cancellation cancel;
  Ran ran;
  ran.status = run_filter_program(
      command, place, content, [&](base::Bytes piece) { ran.out += base::as_text(piece); }, cancel);
  return ran;
}

TEST(FilterCommand, PutsTheQuotedPathInPlaceOfF) {
  EXPECT_EQ(filter_command("smudge %f", "a b"), "smudge 'a b'");
  EXPECT_EQ(filter_command("%f%f", "x"), "'x''x'");
  EXPECT_EQ(filter_command("x %f", "it's!"), "x 'it'\\''s'\\!''");
  EXPECT_EQ(filter_command("100%% %d %", "x"), "100% %d %");
  EXPECT_EQ(filter_command("%%f", "x"), "%f");
}

TEST(FilterProgram, GivesItTheContentAndTakesItsOutput) {
  const Ran ran = run("tr a-z A-Z", "abc\n");
  EXPECT_EQ(ran.status, 0);
  EXPECT_EQ(ran.out, "ABC\n");
  EXPECT_EQ(run("cat", "").out, "");
}

TEST(FilterProgram, MovesMoreThanThePipesHoldInBothDirectionsAtOnce) {
  const std::string content(8 << 20, 'x');
  const Ran ran = run("cat", content);
  EXPECT_EQ(ran.status, 0);
  EXPECT_EQ(ran.out, content);
}

TEST(FilterProgram, LetsItReadNothing) {
  const Ran ran = run("echo fixed", std::string(8 << 20, 'x'));
  EXPECT_EQ(ran.status, 0);
  EXPECT_EQ(ran.out, "fixed\n");
  EXPECT_EQ(run("head -c 1", std::string(8 << 20, 'x')).out, "x");
}

TEST(FilterProgram, TellsHowItEnded) {
  EXPECT_EQ(run("cat >/dev/null; echo half; exit 3", "x").status, 3);
  EXPECT_EQ(run("kill -9 $$", "x").status, 128 + SIGKILL);
  EXPECT_EQ(run("/no/such/program 2>/dev/null", "x").status, 127);
}

TEST(FilterProgram, RunsInItsPlace) {
  const test::TemporaryDirectory top;
  EXPECT_EQ(run("echo $GIT_DIR $PWD", "", {top.path(), {{"GIT_DIR", "/there/.git"}}}).out,
            "/there/.git " + top.path() + "\n");
}

TEST(FilterProgram, EndsWhenItIsCancelled) {
  base::Cancellation cancel;
  std::thread canceller;
  // The filter's first output says that it is running.
  EXPECT_THROW(run_filter_program(
                   "echo; exec sleep 1000", {"/", {}}, "",
                   [&](base::Bytes) {
                     if (!canceller.joinable()) canceller = std::thread([&] { cancel.request(SIGINT); });
                   },
                   cancel),
               Error);
  canceller.join();
}

TEST(FilterProgram, PassesOnTheTroubleOfWhoTakesTheOutput) {
  base::Cancellation cancel;
  EXPECT_THROW(run_filter_program(
                   "cat", {"/", {}}, "x", [](base::Bytes) { throw Error(ErrorCode::io, "disk full"); }, cancel),
               Error);
}

}  // namespace
}  // namespace pfetch::checkout
