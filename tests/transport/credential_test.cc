#include "transport/credential.h"

#include <gtest/gtest.h>

#include "tests/support/error_message.h"
#include "tests/support/scratch.h"

namespace pfetch::transport {
namespace {

TEST(Credential, SaysWhatAUrlTellsInGitsLines) {
  EXPECT_EQ(credential_lines(credential_of(parse_http_url("https://me:p%25w@h:8443/a/b.git/"))),
            "capability[]=authtype\ncapability[]=state\nprotocol=https\nhost=h:8443\npath=a/b.git\nusername=me\n"
            "password=p%w\n\n");
}

TEST(Credential, LetsNothingBreakOutOfALine) {
  Credential credential = credential_of(parse_http_url("https://h/"));
  credential.www_auth = {"Basic realm=\"x\ny\""};
  EXPECT_EQ(test::error_message([&] { credential_lines(credential); }),
            "credential value for wwwauth[] contains a line end");
}

TEST(Credential, ReadsATokenWithItsType) {
  Credential credential;
  read_credential_lines("protocol=https\nauthtype=Bearer\ncredential=abc=\nstate[]=s\nephemeral=1\nodd\n", credential);
  EXPECT_EQ(credential.auth_type, "Bearer");
  EXPECT_EQ(credential.token, "abc=");
  EXPECT_EQ(credential.state, std::vector<std::string>{"s"});
  EXPECT_TRUE(credential.ephemeral);
  EXPECT_TRUE(credential.is_complete());
}

class Helper : public ::testing::Test {
 protected:
  CredentialHelper helper(const std::string& configured) {
    CredentialOptions options;
    options.environment = {{"GIT_CONFIG_COUNT", "1"},          {"GIT_CONFIG_KEY_0", "credential.helper"},
                           {"GIT_CONFIG_VALUE_0", configured}, {"GIT_CONFIG_NOSYSTEM", "1"},
                           {"HOME", scratch_.path()},          {"GIT_DIR", "/dev/null"},
                           {"GIT_TERMINAL_PROMPT", "0"}};
    options.warn = [this](std::string_view text) { words_ += std::string(text) + "\n"; };
    options.asking = [this](bool asking) { asked_ += asking ? "(" : ")"; };
    return {options, cancel_};
  }

  base::Cancellation cancel_;
  test::Scratch scratch_;
  std::string words_, asked_;
};

TEST_F(Helper, FillsApprovesAndRejectsThroughGit) {
  CredentialHelper kept = helper("store --file=" + scratch_.path() + "/kept");
  Credential credential = credential_of(parse_http_url("https://h/x"));
  credential.username = "me";
  credential.password = "pw";
  kept.approve(credential);
  Credential asked = credential_of(parse_http_url("https://h/x"));
  kept.fill(asked);
  EXPECT_EQ(asked.username, "me");
  EXPECT_EQ(asked.password, "pw");
  EXPECT_EQ(asked_, "()");
  kept.reject(asked);
  Credential again = credential_of(parse_http_url("https://h/x"));
  EXPECT_EQ(test::error_message([&] { kept.fill(again); }, ErrorCode::remote),
            "could not read Username for 'https://h': terminal prompts disabled");
  EXPECT_EQ(asked_, "()()");
}

TEST_F(Helper, PassesOnWhatAHelperSaysAndSurvivesABrokenOne) {
  CredentialHelper broken = helper("!echo 'I am\x1b[31m broken' >&2; exit 1; :");
  Credential credential = credential_of(parse_http_url("https://me:pw@h/x"));
  broken.approve(credential);
  EXPECT_EQ(words_, "I am broken\n");
}

TEST_F(Helper, StopsWaitingWhenCancelled) {
  CredentialHelper slow = helper("!while kill -0 $PPID 2>/dev/null; do sleep 0.1; done; :");
  cancel_.request();
  Credential credential = credential_of(parse_http_url("https://h/x"));
  EXPECT_EQ(test::error_message([&] { slow.fill(credential); }, ErrorCode::cancelled), "interrupted");
}

}  // namespace
}  // namespace pfetch::transport
