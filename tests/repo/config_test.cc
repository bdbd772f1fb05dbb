#include "repo/config.h"

#include <git2.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "tests/support/error_message.h"
#include "tests/support/scratch.h"

namespace pfetch::repo {

namespace {

using Map = std::map<std::string, std::string>;

using test::error_message;

Map no_system(Map more) {
  more.emplace("GIT_CONFIG_NOSYSTEM", "1");
  return more;
}

}  // namespace

TEST(Config, TheLastLevelWins) {
  test::Scratch scratch;
  scratch.write("system", "[a]\nwho=system\nsystem=1\n");
  scratch.write("home/.config/git/config", "[a]\nwho=xdg\nxdg=1\n");
  scratch.write("home/.gitconfig", "[a]\nwho=global\nglobal=1\n");
  scratch.write("r/config", "[a]\nwho=local\nlocal=1\n");
  scratch.write("r/config.worktree", "[a]\nwho=worktree\n");
  const auto environment =
      Environment::from(Map{{"GIT_CONFIG_SYSTEM", scratch / "system"}, {"HOME", scratch / "home"}});
  auto with_command = environment;
  with_command.add_override("A.who=command");

  EXPECT_EQ(Config::load(environment).get("a.who"), "global");
  EXPECT_EQ(Config::load(environment, {scratch / "r", scratch / "r", false}).get("a.who"), "local");
  EXPECT_EQ(Config::load(environment, {scratch / "r", scratch / "r", true}).get("a.who"), "worktree");
  const Config config = Config::load(with_command, {scratch / "r", scratch / "r", true});
  EXPECT_EQ(config.get("a.who"), "command");
  EXPECT_EQ(config.get_all("a.who"),
            (std::vector<std::string>{"system", "xdg", "global", "local", "worktree", "command"}));
  for (const char* key : {"a.system", "a.xdg", "a.global", "a.local"}) EXPECT_EQ(config.get_int(key), 1) << key;
}

TEST(Config, GlobalAndSystemFilesCanBeReplacedAndLeftOut) {
  test::Scratch scratch;
  scratch.write("home/.gitconfig", "[a]\nb=home\n");
  scratch.write("other", "[a]\nb=other\n");
  EXPECT_EQ(
      Config::load(Environment::from(no_system({{"HOME", scratch / "home"}, {"GIT_CONFIG_GLOBAL", scratch / "other"}})))
          .get_all("a.b"),
      std::vector<std::string>{"other"});
  EXPECT_FALSE(
      Config::load(Environment::from(no_system({{"HOME", scratch / "home"}, {"GIT_CONFIG_GLOBAL", ""}}))).has("a.b"));
  EXPECT_FALSE(Config::load(Environment::from(no_system({{"GIT_CONFIG_SYSTEM", scratch / "other"}}))).has("a.b"));
}

TEST(Config, ReadsValuesAsTheirKind) {
  test::Scratch scratch;
  const Config config(load_config_file(scratch.write("c", "[a]\nflag\nn=2k\npath=~/x\nbad=many\n"), ConfigLevel::local),
                      "/home/me");
  EXPECT_EQ(config.get_bool("A.Flag"), true);
  EXPECT_EQ(config.get_bool("a.none", true), true);
  EXPECT_EQ(config.get_int("a.n"), 2048);
  EXPECT_EQ(config.get_path("a.path"), "/home/me/x");
  EXPECT_EQ(config.get("a.none", "else"), "else");
  const std::string place = " in file " + (scratch / "c");
  EXPECT_EQ(error_message([&] { config.get("a.flag"); }), "missing value for 'a.flag'" + place);
  EXPECT_EQ(error_message([&] { config.get_int("a.bad"); }),
            "bad numeric config value 'many' for 'a.bad'" + place + ": invalid unit");
  EXPECT_EQ(error_message([&] { config.get_bool("a.bad"); }), "bad boolean config value 'many' for 'a.bad'" + place);
}

TEST(Config, KeepsTheCaseOfSubsections) {
  test::Scratch scratch;
  const Config config = Config::load_file(scratch.write(
      "c", "[remote \"Up\"]\nURL=1\n[remote \"a.b\"]\nurl=2\n[remote]\npushDefault=x\n[remote \"Up\"]\nurl=3\n"));
  EXPECT_EQ(config.subsections("remote"), (std::vector<std::string>{"Up", "a.b"}));
  EXPECT_EQ(config.get("remote.Up.url"), "3");
  EXPECT_FALSE(config.has("remote.up.url"));
  int count = 0;
  config.for_each("remote.", [&](const ConfigEntry&) { ++count; });
  EXPECT_EQ(count, 4);
}

TEST(Config, FollowsIncludesAtTheirPlace) {
  test::Scratch scratch;
  scratch.write("home/.gitconfig", "[a]\nb=1\n[include]\npath=more/x\npath=not-there\n[a]\nb=3\n");
  scratch.write("home/more/x", "[a]\nb=2\n[include]\npath=y\n");
  scratch.write("home/more/y", "[a]\nc=~\n");
  const Config config = Config::load(Environment::from(no_system({{"HOME", scratch / "home"}})));
  EXPECT_EQ(config.get_all("a.b"), (std::vector<std::string>{"1", "2", "3"}));
  EXPECT_TRUE(config.has("a.c"));
}

TEST(Config, StopsCircularIncludes) {
  test::Scratch scratch;
  const std::string file = scratch.write("home/.gitconfig", "[include]\npath=.gitconfig\n");
  const auto environment = Environment::from(no_system({{"HOME", scratch / "home"}}));
  EXPECT_EQ(error_message([&] { Config::load(environment); }).substr(0, 41),
            "exceeded maximum include depth (10) while");
}

TEST(Config, EvaluatesConditionsAsGitDoes) {
  test::Scratch scratch;
  scratch.output("git init -q -b topic/one place/A && git -C place/A remote add origin https://host/x.git");
  int number = 0;
  std::string conditions;
  for (const std::string& condition :
       {"gitdir:" + scratch.path() + "/place/", std::string("gitdir:~/../place/"), std::string("gitdir:A/"),
        std::string("gitdir:A"), std::string("gitdir:a/"), std::string("gitdir/i:a/"), std::string("gitdir:./place/"),
        std::string("gitdir:../place/"), std::string("gitdir:place/*/.git"), std::string("gitdir:pl[ao]ce/**"),
        std::string("onbranch:topic/"), std::string("onbranch:topic/o?e"), std::string("onbranch:one"),
        std::string("hasconfig:remote.*.url:https://host/**"), std::string("hasconfig:remote.*.url:https://other/**"),
        std::string("unknown:x")}) {
    const std::string name = "yes" + std::to_string(++number);
    conditions += "[includeIf \"" + condition + "\"]\npath = " + name + "\n";
    scratch.write("no-home/" + name, "[a]\nb = " + condition + "\n");
  }
  scratch.write("no-home/.gitconfig", conditions);
  const auto environment = Environment::from(no_system({{"HOME", scratch / "no-home"}}));
  const std::string git_dir = scratch / "place/A/.git";
  std::string ours;
  for (const std::string& value : Config::load(environment, {git_dir, git_dir, false}).get_all("a.b"))
    ours += value + "\n";
  EXPECT_EQ(ours, scratch.output("git -C place/A config --get-all a.b"));
  EXPECT_NE(ours, "");
}

TEST(Config, RefusesUrlsFromAnIncludeThatDependsOnUrls) {
  test::Scratch scratch;
  scratch.write("home/.gitconfig", "[remote \"o\"]\nurl=u\n[includeIf \"hasconfig:remote.*.url:u\"]\npath=x\n");
  scratch.write("home/x", "[remote \"p\"]\nurl=v\n");
  const auto environment = Environment::from(no_system({{"HOME", scratch / "home"}}));
  EXPECT_THROW(Config::load(environment), Error);
}

// libgit2 is the second opinion: every entry, in order, with its subsection's case.
TEST(Config, ListsWhatLibgit2Lists) {
  test::Scratch scratch;
  const std::string file =
      scratch.write("c", "[A \"X y\"]\nk=\"v ; w\"\nflag\n[b.C]\nd = e \\\n f\n[A \"X y\"]\nk=2\n");
  std::string theirs;
  git_libgit2_init();
  git_config* config = nullptr;
  ASSERT_EQ(git_config_open_ondisk(&config, file.c_str()), 0);
  git_config_iterator* iterator = nullptr;
  ASSERT_EQ(git_config_iterator_new(&iterator, config), 0);
  for (git_config_entry* entry = nullptr; git_config_next(&entry, iterator) == 0;) {
    theirs += std::string(entry->name) + "=" + (entry->value == nullptr ? "(none)" : entry->value) + "\n";
  }
  git_config_iterator_free(iterator);
  git_config_free(config);
  git_libgit2_shutdown();
  std::string ours;
  const Config config_of_ours = Config::load_file(file);
  for (const ConfigEntry& entry : config_of_ours.entries()) {
    ours += entry.key + "=" + entry.value.value_or("(none)") + "\n";
  }
  EXPECT_EQ(ours, theirs);
}

}  // namespace pfetch::repo
