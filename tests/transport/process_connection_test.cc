#include "transport/process_connection.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <map>
#include <thread>

#include "tests/transport/fake_connection.h"
#include "tests/transport/git_repository.h"

namespace pfetch::transport {
namespace {

using test::error_message;

// The command for `url`, with nothing in the environment but `variables`.
base::ProcessOptions command_for(const std::string& url, ConnectOptions options = {},
                                 std::map<std::string, std::string> variables = {}) {
  options.environment = [variables = std::move(variables)](const std::string& name) -> std::optional<std::string> {
    const auto at = variables.find(name);
    return at == variables.end() ? std::nullopt : std::optional(at->second);
  };
  return connect_command(parse_url(url), options);
}

using Words = std::vector<std::string>;

std::optional<std::string> set_to(const base::ProcessOptions& process, const std::string& name) {
  for (const auto& [key, value] : process.environment) {
    if (key == name) return value;
  }
  ADD_FAILURE() << name << " is left as it is";
  return std::nullopt;
}

TEST(ConnectCommand, RunsTheServiceOnThisMachineThroughAShell) {
  const auto process = command_for("file:///a/it's%20here");
  EXPECT_TRUE(process.use_shell);
  EXPECT_EQ(process.argv, (Words{"git-upload-pack '/a/it'\\''s here'"}));
  EXPECT_EQ(set_to(process, "GIT_PROTOCOL"), "version=2");
  for (const char* name :
       {"GIT_DIR", "GIT_WORK_TREE", "GIT_CONFIG_COUNT", "GIT_SHALLOW_FILE", "GIT_OBJECT_DIRECTORY"}) {
    EXPECT_FALSE(set_to(process, name)) << name;
  }
  ConnectOptions old;
  old.protocol_version = 0;
  EXPECT_FALSE(set_to(command_for("/a", old), "GIT_PROTOCOL"));
}

TEST(ConnectCommand, SpeaksOpenSsh) {
  EXPECT_EQ(command_for("ssh://u@host:22/p").argv,
            (Words{"ssh", "-o", "SendEnv=GIT_PROTOCOL", "-p", "22", "u@host", "git-upload-pack '/p'"}));
  EXPECT_FALSE(command_for("ssh://u@host:22/p").use_shell);
  ConnectOptions options;
  options.protocol_version = 0;
  options.family = AddressFamily::ipv6;
  options.service = "/opt/git upload-pack";
  EXPECT_EQ(command_for("host:p", options).argv, (Words{"ssh", "-6", "host", "/opt/git upload-pack 'p'"}));
}

TEST(ConnectCommand, ChoosesTheSshProgramAsGitDoes) {
  ConnectOptions options;
  options.ssh_command = "ssh -i 'my key'";
  auto process = command_for("host:p", options);
  EXPECT_TRUE(process.use_shell);
  EXPECT_EQ(process.argv[0], "ssh -i 'my key'");
  process = command_for("host:p", options, {{"GIT_SSH_COMMAND", "ssh -v"}, {"GIT_SSH", "/x/ssh"}});
  EXPECT_EQ(process.argv[0], "ssh -v");
  process = command_for("host:p", {}, {{"GIT_SSH", "/x/ssh"}});
  EXPECT_FALSE(process.use_shell);
  EXPECT_EQ(process.argv[0], "/x/ssh");
}

TEST(ConnectCommand, KnowsTheDialectsByNameAndBySetting) {
  const auto words = [](const std::string& program, const std::string& variant) {
    ConnectOptions options;
    if (!variant.empty()) options.ssh_variant = variant;
    Words all = command_for("ssh://h:22/p", options, {{"GIT_SSH", program}}).argv;
    return Words(all.begin() + 1, all.end() - 2);
  };
  EXPECT_EQ(words("/x/PLINK.EXE", ""), (Words{"-P", "22"}));
  EXPECT_EQ(words("tortoiseplink", "auto"), (Words{"-batch", "-P", "22"}));
  EXPECT_EQ(words("ssh", "putty"), (Words{"-P", "22"}));
  EXPECT_EQ(words("any", "unknown word"), (Words{"-o", "SendEnv=GIT_PROTOCOL", "-p", "22"}));
  EXPECT_EQ(error_message([&] { words("ssh", "simple"); }), "ssh variant 'simple' does not support setting port");
  const auto by_variable =
      command_for("ssh://h/p", {}, {{"GIT_SSH", "any"}, {"GIT_SSH_VARIANT", "tortoiseplink"}}).argv;
  EXPECT_EQ(by_variable, (Words{"any", "-batch", "h", "git-upload-pack '/p'"}));
}

TEST(ConnectCommand, AsksAnUnknownProgramForItsSettings) {
  const auto words = [](const std::string& program) { return command_for("h:p", {}, {{"GIT_SSH", program}}).argv; };
  EXPECT_EQ(words("true"), (Words{"true", "-o", "SendEnv=GIT_PROTOCOL", "h", "git-upload-pack 'p'"}));
  EXPECT_EQ(words("false"), (Words{"false", "h", "git-upload-pack 'p'"}));
  const auto shell = command_for("h:p", {}, {{"GIT_SSH_COMMAND", "f() { test \"$1\" = -G; }; f"}}).argv;
  EXPECT_EQ(shell[1], "-o");
}

TEST(ConnectCommand, RunsNothingForOtherSchemesAndNamesNoSecret) {
  EXPECT_EQ(error_message([] { command_for("https://me:secret@host/x"); }), "no program is run for 'https://host/x'");
}

std::unique_ptr<Connection> shell(const std::string& script, const base::Cancellation& cancel) {
  base::ProcessOptions options;
  options.argv = {script};
  options.use_shell = true;
  options.in = options.out = base::ProcessOptions::Stream::pipe;
  return connection_over(base::Process::start(options), cancel);
}

TEST(ProcessConnection, CarriesBytesBothWays) {
  base::Cancellation cancel;
  const auto connection = shell("cat", cancel);
  const std::string text(300000, 'x');
  connection->write(base::as_bytes(text));
  std::string got(text.size(), '\0');
  std::size_t at = 0;
  while (at < got.size()) {
    const auto rest = std::as_writable_bytes(std::span(got)).subspan(at);
    at += connection->read_scattered(rest.first(std::min<std::size_t>(rest.size(), 10)),
                                     rest.subspan(std::min<std::size_t>(rest.size(), 10)));
  }
  EXPECT_EQ(got, text);
  connection->finish();
}

TEST(ProcessConnection, AWriteToOneThatHasGoneIsFoundOutByReading) {
  base::Cancellation cancel;
  const auto connection = shell("echo bye; exit 2", cancel);
  std::byte into[16];
  EXPECT_EQ(connection->read(into), 4U);
  EXPECT_EQ(connection->read(into), 0U);
  const std::string text(2000000, 'x');
  connection->write(base::as_bytes(text));  // neither a signal nor an error
  connection->write(base::as_bytes(text));
  EXPECT_EQ(connection->read(into), 0U);
  EXPECT_EQ(error_message([&] { connection->finish(); }), "remote transport reported error (exit status 2)");
}

TEST(ProcessConnection, ACancellationEndsAWait) {
  base::Cancellation cancel;
  const auto connection = shell("read line", cancel);  // says nothing, waits for us
  std::thread other([&] { cancel.request(); });
  std::byte into[16];
  EXPECT_EQ(error_message([&] { connection->read(into); }), "interrupted");
  other.join();
}

TEST(ProcessConnection, ACancellationEndsTheWaitForTheExit) {
  base::Cancellation cancel;
  const auto connection = shell("exec >&-; exec sleep 1000", cancel);
  std::byte into[16];
  EXPECT_EQ(connection->read(into), 0U);
  std::thread other([&] { cancel.request(); });
  EXPECT_EQ(error_message([&] { connection->finish(); }), "interrupted");
  other.join();
}

long cpu_ms(const rusage& usage) {
  const auto ms = [](const timeval& time) { return time.tv_sec * 1000 + time.tv_usec / 1000; };
  return ms(usage.ru_utime) + ms(usage.ru_stime);
}

TEST(ProcessConnection, AWaitForASilentServerCostsNothing) {
  base::Cancellation cancel;
  const auto connection = shell("sleep 1; echo now", cancel);
  rusage before{};
  rusage after{};
  std::byte into[16];
  getrusage(RUSAGE_THREAD, &before);
  EXPECT_EQ(connection->read(into), 4U);
  getrusage(RUSAGE_THREAD, &after);
  EXPECT_LT(after.ru_nvcsw - before.ru_nvcsw, 10);  // a timeout that runs out again and again
  EXPECT_LT(cpu_ms(after) - cpu_ms(before), 100);   // a loop that spins
  connection->finish();
}

}  // namespace
}  // namespace pfetch::transport
