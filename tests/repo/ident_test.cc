#include "repo/ident.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "base/error.h"
#include "base/process.h"
#include "tests/support/scratch.h"

namespace pfetch::repo {
namespace {

IdentSources plain() {
  IdentSources sources;
  sources.env_name = "N";
  sources.env_email = "n@x";
  return sources;
}

// git var GIT_COMMITTER_IDENT is strict, in UTC here.
std::string git_says(const test::Scratch& scratch, const std::string& environment) {
  const auto ran = scratch.run("unset GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL GIT_COMMITTER_DATE EMAIL; " + environment +
                               " TZ=UTC git var GIT_COMMITTER_IDENT");
  return ran.status == 0 ? ran.out.substr(0, ran.out.size() - 1) : "refused";
}

std::string we_say(const IdentSources& sources) {
  try {
    return committer_ident(sources, 0).line();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::config);
    return "refused";
  }
}

class IdentTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ::setenv("TZ", "UTC", 1);  // NOLINT(concurrency-mt-unsafe): one thread
    ::tzset();
    scratch.out_of("git init -q .");
  }
  test::Scratch scratch;
};

TEST_F(IdentTest, ReadsDatesAsGitDoes) {
  for (const std::string date : {"@12 +0000",
                                 "123456789 -0230",
                                 "2020-01-02T03:04:05+0200",
                                 "2020-01-02 03:04:05 +0200",
                                 "2020-01-02T03:04:05",
                                 "Thu, 7 Apr 2005 22:13:13 +0200",
                                 "7 Apr 2005 22:13:13 -0730",
                                 "2020-01-02T03:04:05Z",
                                 "2020-01-02",
                                 "now",
                                 "12",
                                 "1577934245 +02",
                                 "1577934245",
                                 "2020-01-02 03:04",
                                 "@1577934245",
                                 "1577934245 +9999",
                                 "nonsense",
                                 "2020-01-02T03:04:05.123+02:00",
                                 "2020.01.02 03:04:05",
                                 "2020/01/02 03:04:05",
                                 "2020-01-02T03:04:05-02:30",
                                 "2020-02-29T23:59:59 -1200",
                                 "1577934245 +0545"}) {
    IdentSources sources = plain();
    sources.env_date = date;
    EXPECT_EQ(we_say(sources), git_says(scratch, "GIT_COMMITTER_NAME=N GIT_COMMITTER_EMAIL=n@x GIT_COMMITTER_DATE=" +
                                                     base::shell_quote(date)))
        << date;
  }
}

TEST_F(IdentTest, CleansNamesAsGitDoes) {
  for (const std::string name : {" .a<b>c.,\"", "A. U. Thor", "x\ny", "\xc3\xa9", "'q'", "a;", "<", "..", "\\x\\"}) {
    IdentSources sources = plain();
    sources.env_name = name;
    sources.env_email = "<" + name + "@x>";
    sources.env_date = "@1 +0000";
    sources.strict = true;
    EXPECT_EQ(we_say(sources),
              git_says(scratch, "GIT_COMMITTER_DATE='@1 +0000' GIT_COMMITTER_NAME=" + base::shell_quote(name) +
                                    " GIT_COMMITTER_EMAIL=" + base::shell_quote("<" + name + "@x>")))
        << name;
  }
}

TEST_F(IdentTest, TheEnvironmentComesBeforeTheConfiguration) {
  IdentSources sources;
  sources.login = "me";
  sources.real_name = "My Self";
  sources.host = "h.(none)";
  EXPECT_EQ(committer_ident(sources, 0).who(), "My Self <me@h.(none)>");
  sources.mail = "mail@x";
  EXPECT_EQ(committer_ident(sources, 0).who(), "My Self <mail@x>");
  sources.user_name = "U";
  sources.user_email = "u@x";
  EXPECT_EQ(committer_ident(sources, 0).who(), "U <u@x>");
  sources.role_name = "R";
  sources.role_email = "r@x";
  EXPECT_EQ(committer_ident(sources, 0).who(), "R <r@x>");
  sources.env_name = "E";
  sources.env_email = "";
  EXPECT_EQ(committer_ident(sources, 0).who(), "E <>");  // an empty address is one, as with git
  sources.env_name = "";
  EXPECT_EQ(committer_ident(sources, 0).who(), "me <>");
}

TEST_F(IdentTest, StrictRefusesWhatHadToBeGuessed) {
  IdentSources sources;
  sources.login = "me";
  sources.host = "h.(none)";
  sources.strict = true;
  EXPECT_EQ(we_say(sources), "refused");
  sources.mail = "m@x";
  EXPECT_EQ(we_say(sources), "refused");  // no name
  sources.real_name = "Me";
  EXPECT_EQ(we_say(sources), "Me <m@x> 0 +0000");
  sources.use_config_only = true;
  EXPECT_EQ(we_say(sources), "refused");
}

TEST_F(IdentTest, WritesTheLocalZone) {
  ::setenv("TZ", "XST-5:30", 1);  // NOLINT(concurrency-mt-unsafe)
  ::tzset();
  EXPECT_EQ(committer_ident(plain(), 1600000000).line(), "N <n@x> 1600000000 +0530");
  ::setenv("TZ", "XST3:30", 1);  // NOLINT(concurrency-mt-unsafe)
  ::tzset();
  EXPECT_EQ(committer_ident(plain(), 1600000000).line(), "N <n@x> 1600000000 -0330");
}

TEST_F(IdentTest, TheEnvironmentGivesALogin) {
  EXPECT_FALSE(IdentSources::from_environment().login.empty());
}

}  // namespace
}  // namespace pfetch::repo
