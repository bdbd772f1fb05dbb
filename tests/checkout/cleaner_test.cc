// Filters on the way to the repository, beside real git.
#include "checkout/cleaner.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <atomic>
#include <sstream>
#include <thread>

#include "base/ascii.h"
#include "base/error.h"
#include "tests/checkout/conversion_samples.h"
#include "tests/support/fakes.h"
#include "tests/support/scratch.h"

namespace pfetch::checkout {
namespace {

using namespace std::string_literals;

constexpr const char* filter_script = PFETCH_SOURCE_DIR "/tests/support/journey/filter_process.py";

// The driver "x" for every path, in git and here.
class World {
 public:
  explicit World(std::string states = "filter=x") : states_(std::move(states)) {
    scratch_.out_of("git init -q repo; mkdir logs");
    scratch_.write("repo/.gitattributes", "* " + states_ + "\n.gitattributes !filter\n");
  }

  // A long-running filter that does what the names of files say; `log` is what tells of it.
  std::string process(const std::string& log, const std::string& words = "and-clean") const {
    return fmt::format("python3 {} {}/{} {}", base::shell_quote(filter_script), base::shell_quote(scratch_ / "logs"),
                       log, words);
  }
  // What it was asked; that it ended is left out.
  std::vector<std::string> logged(const std::string& log) const {
    std::vector<std::string> lines;
    std::istringstream text(scratch_.read("logs/" + log));
    for (std::string line; std::getline(text, line);) {
      if (line != "end") lines.push_back(line);
    }
    return lines;
  }

  CleanerOptions options(FilterDriver driver, bool to_store = true) const {
    CleanerOptions options;
    options.drivers = {{"x", std::move(driver)}};
    options.rules.to_store = to_store;
    options.place = {scratch_ / "repo", {}};
    return options;
  }

  Cleaned clean(Cleaner& cleaner, std::string_view path, std::string_view content) const {
    return cleaner.clean({path, content, attributes_, nullptr});
  }
  Cleaned clean(const FilterDriver& driver, std::string_view path, std::string_view content) const {
    Cleaner cleaner(options(driver), cancel_);
    return clean(cleaner, path, content);
  }

  // The blob's id, or what git failed with.
  test::Ran git(const FilterDriver& driver, const std::string& arguments) const {
    std::string script = "cd repo; git";
    const auto set = [&](const char* key, const std::optional<std::string>& value) {
      if (value) script += fmt::format(" -c filter.x.{}={}", key, base::shell_quote(*value));
    };
    set("clean", driver.clean);
    set("smudge", driver.smudge);
    set("process", driver.process);
    set("required", driver.required ? "true" : "false");
    return scratch_.run(script + " hash-object " + arguments + " 2>/dev/null");
  }

  const test::Scratch& scratch() const { return scratch_; }
  const base::Cancellation& cancel() const { return cancel_; }

 private:
  const test::Scratch scratch_;
  const std::string states_;
  const Attributes attributes_ = test::attributes_of(states_);
  base::Cancellation cancel_;
};

FilterDriver one_shot(std::string command, bool required = false) {
  FilterDriver driver;
  driver.clean = std::move(command);
  driver.required = required;
  return driver;
}

FilterDriver long_running(std::string command, bool required = false) {
  FilterDriver driver;
  driver.process = std::move(command);
  driver.required = required;
  return driver;
}

std::string id_line(std::string_view blob) {
  return test::object_id(object::Kind::blob, blob).hex() + "\n";
}

TEST(Cleaner, RunsOneShotFiltersAsGitDoes) {
  const World world("filter=x text ident");
  const std::vector<std::string> contents = {"", "one\r\ntwo\r\n", "$Id: x $ y", std::string(300'000, 'x') + "\r\n"};
  int refused = 0, failed = 0, changed = 0;
  for (const char* command :
       {"tr a-z A-Z", "cat; echo %f", "echo fixed", "head -c 1", "exit 1", "cat; exit 1", "cat >/dev/null",
        "kill -9 $$", "/no/such/program", "echo 100%%", "printf 'a\\r\\n$Id: z$'", "", "echo %f %x"}) {
    for (const bool required : {false, true}) {
      for (const std::string& content : contents) {
        world.scratch().write("content", content);
        const FilterDriver driver = one_shot(command, required);
        const auto theirs = world.git(driver, "--stdin --path='d/it'\\''s a' <../content");
        const Cleaned ours = world.clean(driver, "d/it's a", content);
        ASSERT_EQ(!ours.refusal, theirs.ok()) << command;
        if (theirs.ok()) {
          EXPECT_EQ(id_line(ours.blob(content)), theirs.out) << command;
        }
        refused += ours.refusal.has_value();
        failed += !ours.errors.empty();
        changed += ours.changed;
      }
    }
  }
  EXPECT_EQ(refused, 5 * 4);
  EXPECT_EQ(failed, 4 * 4);
  EXPECT_GT(changed, 50);
}

TEST(Cleaner, FiltersFirstThenDecodes) {
  const World world("filter=x working-tree-encoding=UTF-16LE text ident");
  const FilterDriver driver = one_shot("printf '$\\0I\\0d\\0:\\0b\\0$\\0\\r\\0\\n\\0'");
  const Cleaned ours = world.clean(driver, "f", "anything");
  EXPECT_EQ(ours.bytes, "$Id$\n");
  EXPECT_EQ(id_line(ours.bytes), world.git(driver, "--stdin --path=f </dev/null").out);
}

TEST(Cleaner, SaysWhatFailed) {
  const World world;
  EXPECT_EQ(world.clean(one_shot("exit 3"), "a", "x").errors,
            std::vector<std::string>{"'a': external filter 'exit 3' failed 3"});
  EXPECT_EQ(world.clean(one_shot("exit 3", true), "a", "x").refusal, "'a': external filter 'exit 3' failed 3");
  EXPECT_EQ(world.clean(one_shot("", true), "a", "x").refusal, "'a': filter.x.clean is not set");
}

TEST(Cleaner, MissesACommandOnlyWhenTheFilterIsRequired) {
  const World world;
  FilterDriver driver;
  driver.smudge = "cat";
  for (const bool required : {false, true}) {
    driver.required = required;
    EXPECT_EQ(!world.clean(driver, "a", "x").refusal, world.git(driver, "--stdin --path=a </dev/null").ok());
    EXPECT_EQ(world.clean(driver, "a", "x").refusal.has_value(), required);
  }
  driver.smudge.reset();
  EXPECT_TRUE(world.clean(driver, "a", "x").refusal);
  EXPECT_FALSE(world.git(driver, "--stdin --path=a </dev/null").ok());
}

// Files that go through one filter, and what their names have it do.
const std::vector<std::string> process_files = {"a",   "b with space", "error-1", "c",      "hang-1",
                                                "d",   "late-1",       "e",       "what-1", "f",
                                                "rot", "delay",        "abort-1", "after",  "at last"};

struct ProcessRun {
  std::string blobs;  // ids, a line for each file
  std::size_t errors = 0;
};

ProcessRun run_process(const World& world, const FilterDriver& driver) {
  Cleaner cleaner(world.options(driver), world.cancel());
  ProcessRun run;
  for (const std::string& path : process_files) {
    const std::string content = "text of " + path + "\n";
    const Cleaned cleaned = world.clean(cleaner, path, content);
    run.blobs += id_line(cleaned.blob(content));
    run.errors += cleaned.errors.size();
  }
  cleaner.finish();
  return run;
}

TEST(Cleaner, TalksToALongRunningFilterAsGitDoes) {
  const World world;
  std::string list;
  for (const std::string& path : process_files) {
    world.scratch().write("repo/" + path, "text of " + path + "\n");
    list += path + "\n";
  }
  world.scratch().write("list", list);
  for (const char* words : {"and-clean", "clean-only", "no-delay"}) {
    world.scratch().run("rm -f logs/*");
    const auto theirs = world.git(long_running(world.process("theirs", words)), "--stdin-paths <../list");
    const ProcessRun ours = run_process(world, long_running(world.process("ours", words)));
    EXPECT_EQ(ours.blobs, theirs.out) << words;
    EXPECT_EQ(world.logged("ours"), world.logged("theirs")) << words;
    EXPECT_EQ(ours.errors, words == "no-delay"s ? 0U : 7U) << words;
  }
}

// git dies of it.
TEST(Cleaner, StartsAFilterThatCannotGreetOnce) {
  const World world;
  const ProcessRun ours = run_process(world, long_running(world.process("ours", "silent")));
  EXPECT_EQ(ours.errors, process_files.size());
  EXPECT_EQ(world.logged("ours"), std::vector<std::string>{"start"});
  EXPECT_EQ(world.clean(long_running("exit 1"), "a", "x").blob("x"), "x");
}

TEST(Cleaner, RefusesWhatARequiredLongRunningFilterFailsAt) {
  const World world;
  int refused = 0;
  for (const std::string& path : process_files) {
    world.scratch().write("repo/" + path, "text\n");
    const auto theirs = world.git(long_running(world.process("theirs"), true), base::shell_quote(path));
    const Cleaned ours = world.clean(long_running(world.process("ours"), true), path, "text\n");
    EXPECT_EQ(!ours.refusal, theirs.ok()) << path;
    EXPECT_TRUE(ours.errors.empty());
    if (!ours.refusal) {
      EXPECT_EQ(id_line(ours.bytes), theirs.out);
    }
    refused += ours.refusal.has_value();
  }
  EXPECT_EQ(refused, 5);
  EXPECT_TRUE(world.clean(long_running(world.process("ours", "no-delay"), true), "a", "x").refusal);
  EXPECT_TRUE(world.clean(long_running("exit 1", true), "a", "x").refusal);
}

TEST(Cleaner, StartsALongRunningFilterOnceForAllThreads) {
  const World world;
  Cleaner cleaner(world.options(long_running(world.process("ours"))), world.cancel());
  std::vector<std::thread> threads;
  std::atomic<int> right{0};
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 25; ++i) {
        const std::string content = fmt::format("t{} {}", t, i);
        right += world.clean(cleaner, fmt::format("p{}-{}", t, i), content).bytes == fmt::format("T{} {}", t, i);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(right, 100);
  const auto log = world.logged("ours");
  EXPECT_EQ(std::count(log.begin(), log.end(), "start"), 1);
  EXPECT_EQ(log.size(), 2U + 100U);
}

TEST(Cleaner, WaitsForTheEndOfFiltersAndStartsThemAgain) {
  const World world;
  Cleaner cleaner(world.options(long_running(world.process("ours"))), world.cancel());
  EXPECT_EQ(world.clean(cleaner, "a", "x").bytes, "X");
  cleaner.finish();
  EXPECT_TRUE(world.scratch().read("logs/ours").ends_with("end\n"));
  EXPECT_EQ(world.clean(cleaner, "a", "y").bytes, "Y");
  const auto log = world.logged("ours");
  EXPECT_EQ(std::count(log.begin(), log.end(), "start"), 2);
}

TEST(Cleaner, RoundTripsWithFilters) {
  const World world("filter=x text eol=crlf ident");
  const std::string content = "Some $Id$ text\n";
  const object::Oid id = test::object_id(object::Kind::blob, content);
  const Conversion conversion = decide_conversion(test::attributes_of("text eol=crlf ident"), {});
  std::string file;
  ASSERT_TRUE(convert_to_worktree(content, id, conversion, file).changed);
  std::string turned;  // by rot13, which both filters are
  for (const char c : file) {
    const char low = base::to_lower(c);
    turned += !base::is_letter(c) ? c : static_cast<char>(c + (low < 'n' ? 13 : -13));
  }
  const std::string rot13 = "tr A-Za-z N-ZA-Mn-za-m";
  EXPECT_EQ(world.clean(one_shot(rot13), "rot", turned).bytes, content);
  EXPECT_EQ(world.clean(long_running(world.process("ours")), "rot", turned).bytes, content);
}

TEST(Cleaner, NamesTheFileWithAnEncodingThatGitRefuses) {
  const World world("working-tree-encoding");
  try {
    world.clean(FilterDriver{}, "some/file", "x");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::config);
    EXPECT_NE(error.message().find("some/file"), std::string::npos);
  }
  EXPECT_FALSE(world.git({}, "--stdin --path=some/file </dev/null").ok());
}

TEST(Cleaner, EndsWhenItIsCancelled) {
  const World world;
  base::Cancellation cancel;
  cancel.request(SIGINT);
  for (const FilterDriver& driver : {one_shot("exec sleep 1000"), long_running("exec sleep 1000")}) {
    Cleaner cleaner(world.options(driver), cancel);
    EXPECT_THROW(world.clean(cleaner, "a", "x"), Error);
  }
}

}  // namespace
}  // namespace pfetch::checkout
