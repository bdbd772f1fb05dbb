// What becomes of each file when a long-running filter works, delays, fails or goes away.
#include "checkout/filter_dispatcher.h"

#include <gtest/gtest.h>

#include <deque>

#include "base/error.h"
#include "tests/checkout/scripted_filter.h"

namespace pfetch::checkout {
namespace {

using test::flush;
using test::line;
using test::ScriptedFilter;

class FakeFile : public FilteredFile {
 public:
  explicit FakeFile(std::string path) : path_(std::move(path)) {}

  std::string_view path() const override { return path_; }
  object::Oid blob() const override { return {}; }
  std::string content() override { return path_; }
  void put(base::Bytes piece) override { got_ += base::as_text(piece); }
  void succeed() override { end("filtered " + got_); }
  void fail(std::string reason) override { end("failed: " + reason); }
  void leave(std::string reason) override { end("left: " + reason); }

  std::string ended;

 private:
  void end(std::string how) { ended = ended.empty() ? std::move(how) : "ended twice"; }

  const std::string path_;
  std::string got_;
};

const std::string hello = line("git-filter-server") + line("version=2") + flush + line("capability=smudge") +
                          line("capability=delay") + flush;
const std::string ok = line("status=success") + flush;

std::string status(const std::string& word) {
  return line("status=" + word) + flush;
}
std::string content(const std::string& text) {
  return ok + fmt::format("{:04x}{}", text.size() + 4, text) + flush + flush;
}
std::string offer(const std::vector<std::string>& paths) {
  std::string list;
  for (const std::string& path : paths) list += line("pathname=" + path);
  return list + flush + ok;
}

// Files a, b and c through a filter that answers from `scripts`, one for each time it is started.
struct World {
  explicit World(std::vector<std::string> scripts) {
    FilterDispatcher dispatcher("cmd", {}, [&]() -> std::unique_ptr<FilterChannel> {
      if (started == scripts.size()) throw Error(ErrorCode::remote, "not again");
      auto filter = std::make_unique<ScriptedFilter>(scripts[started++]);
      return filter;
    });
    dispatcher.run({&a, &b, &c});
  }
  FakeFile a{"a"}, b{"b"}, c{"c"};
  std::size_t started = 0;
};

std::string failed(const std::string& why) {
  return "failed: external filter 'cmd' failed (" + why + ")";
}

TEST(FilterDispatcher, StartsOnceForAllFiles) {
  const World world({hello + content("1") + content("2") + content("3")});
  EXPECT_EQ(world.started, 1U);
  EXPECT_EQ(world.a.ended, "filtered 1");
  EXPECT_EQ(world.b.ended, "filtered 2");
  EXPECT_EQ(world.c.ended, "filtered 3");
}

TEST(FilterDispatcher, StartsNothingWithoutFiles) {
  bool started = false;
  FilterDispatcher dispatcher("cmd", {}, [&]() -> std::unique_ptr<FilterChannel> {
    started = true;
    return nullptr;
  });
  dispatcher.run({});
  EXPECT_FALSE(started);
}

TEST(FilterDispatcher, LosesOneFileToAnError) {
  const World world({hello + content("1") + status("error") + content("3")});
  EXPECT_EQ(world.a.ended, "filtered 1");
  EXPECT_EQ(world.b.ended, failed("status=error"));
  EXPECT_EQ(world.c.ended, "filtered 3");
}

TEST(FilterDispatcher, AsksNoMoreAfterAnAbort) {
  const World world({hello + status("delayed") + status("abort")});
  EXPECT_EQ(world.started, 1U);
  EXPECT_EQ(world.a.ended, failed("it said status=abort before"));
  EXPECT_EQ(world.b.ended, failed("status=abort"));
  EXPECT_EQ(world.c.ended, failed("it said status=abort before"));
}

TEST(FilterDispatcher, StartsAgainWhenItHangsUp) {
  const World world({hello + content("1"), hello + content("3")});
  EXPECT_EQ(world.started, 2U);
  EXPECT_EQ(world.a.ended, "filtered 1");
  EXPECT_EQ(world.b.ended, failed("it hung up"));
  EXPECT_EQ(world.c.ended, "filtered 3");
}

TEST(FilterDispatcher, LosesWhatWasDelayedByOneThatHangsUp) {
  const World world({hello + status("delayed"), hello + content("3")});
  EXPECT_EQ(world.a.ended, failed("it hung up"));
  EXPECT_EQ(world.b.ended, failed("it hung up"));
  EXPECT_EQ(world.c.ended, "filtered 3");
}

TEST(FilterDispatcher, TriesABadGreetingOnce) {
  const World world({"hello", hello});
  EXPECT_EQ(world.started, 1U);
  for (const FakeFile* file : {&world.a, &world.b, &world.c}) {
    EXPECT_NE(file->ended.find("could not be started"), std::string::npos) << file->ended;
  }
}

TEST(FilterDispatcher, LeavesFilesAloneThatItDoesNotSmudge) {
  const World world({line("git-filter-server") + line("version=2") + flush + line("capability=clean") + flush});
  EXPECT_EQ(world.c.ended, "left: external filter 'cmd' does not smudge");
}

// One that takes files one by one, from the worktree to the repository.
struct Cleaning {
  explicit Cleaning(std::vector<std::string> filter_scripts)
      : scripts(std::move(filter_scripts)),
        dispatcher(
            "cmd", {}, [this] { return std::make_unique<ScriptedFilter>(scripts.at(started++)); },
            FilterDirection::clean) {}
  std::string taken(FakeFile file) {
    dispatcher.take(file);
    return file.ended;
  }
  const std::vector<std::string> scripts;
  std::size_t started = 0;
  FilterDispatcher dispatcher;
};

const std::string cleaner_hello =
    line("git-filter-server") + line("version=2") + flush + line("capability=clean") + line("capability=delay") + flush;

TEST(FilterDispatcher, CleansFilesOneByOneAndNeverLetsThemWait) {
  Cleaning cleaning({cleaner_hello + content("1") + status("delayed"), cleaner_hello + content("3")});
  EXPECT_EQ(cleaning.taken(FakeFile("a")), "filtered 1");
  EXPECT_EQ(cleaning.taken(FakeFile("b")),
            failed("unexpected 'status=delayed' from the filter, expected success, error or abort"));
  EXPECT_EQ(cleaning.taken(FakeFile("c")), "filtered 3");
  EXPECT_EQ(cleaning.started, 2U);
}

TEST(FilterDispatcher, LeavesFilesAloneThatItDoesNotClean) {
  Cleaning cleaning({hello});
  EXPECT_EQ(cleaning.taken(FakeFile("a")), "left: external filter 'cmd' does not clean");
}

TEST(FilterDispatcher, StartsAgainAfterItsEnd) {
  Cleaning cleaning({cleaner_hello + content("1"), cleaner_hello + content("2")});
  EXPECT_EQ(cleaning.taken(FakeFile("a")), "filtered 1");
  cleaning.dispatcher.finish();
  EXPECT_EQ(cleaning.taken(FakeFile("b")), "filtered 2");
  EXPECT_EQ(cleaning.started, 2U);
}

TEST(FilterDispatcher, StartsAgainWhenAFileBreaksOffTheExchange) {
  struct FullFile : FakeFile {
    using FakeFile::FakeFile;
    void put(base::Bytes) override { throw Error(ErrorCode::io, "full"); }
  };
  Cleaning cleaning({cleaner_hello + content("1") + content("2"), cleaner_hello + content("3")});
  FullFile full("a");
  EXPECT_THROW(cleaning.dispatcher.take(full), Error);
  EXPECT_EQ(cleaning.taken(FakeFile("b")), "filtered 3");
}

TEST(FilterDispatcher, FetchesWhatWasDelayed) {
  const std::string all_delayed = hello + status("delayed") + status("delayed") + status("delayed");
  const World world(
      {all_delayed + offer({"c"}) + content("3") + offer({"a", "b"}) + content("1") + content("2") + offer({})});
  EXPECT_EQ(world.a.ended, "filtered 1");
  EXPECT_EQ(world.b.ended, "filtered 2");
  EXPECT_EQ(world.c.ended, "filtered 3");
}

TEST(FilterDispatcher, NamesADelayedFileThatWasDropped) {
  const World world(
      {hello + status("delayed") + content("2") + status("delayed") + offer({"c"}) + content("3") + offer({})});
  EXPECT_EQ(world.a.ended, failed("it delayed the file and never offered it"));
  EXPECT_EQ(world.b.ended, "filtered 2");
  EXPECT_EQ(world.c.ended, "filtered 3");
}

TEST(FilterDispatcher, TrustsNoOneWhoOffersWhatWasNotDelayed) {
  const World world({hello + content("1") + status("delayed") + status("delayed") + offer({"a", "c"}) + content("3")});
  EXPECT_EQ(world.a.ended, "filtered 1");
  EXPECT_EQ(world.b.ended, failed("it offered 'a', which it had not delayed"));
  EXPECT_EQ(world.c.ended, "filtered 3");
}

TEST(FilterDispatcher, LosesTheRestWhenItHangsUpBetweenDelayedFiles) {
  const World world(
      {hello + status("delayed") + status("delayed") + status("delayed") + offer({"a", "b", "c"}) + content("1")});
  EXPECT_EQ(world.started, 1U);
  EXPECT_EQ(world.a.ended, "filtered 1");
  EXPECT_EQ(world.b.ended, failed("it hung up"));
  EXPECT_EQ(world.c.ended, failed("it hung up"));
}

TEST(FilterDispatcher, LosesADelayedFileToAnError) {
  const World world({hello + status("delayed") + content("2") + content("3") + offer({"a"}) + status("error")});
  EXPECT_EQ(world.a.ended, failed("status=error"));
  EXPECT_EQ(world.c.ended, "filtered 3");
}

}  // namespace
}  // namespace pfetch::checkout
