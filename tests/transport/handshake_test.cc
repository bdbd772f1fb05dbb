#include "transport/handshake.h"

#include <gtest/gtest.h>

#include "tests/transport/fake_connection.h"
#include "transport/ls_refs.h"

namespace pfetch::transport {
namespace {

using test::error_message;
using test::pkt;
using test::raw_pkt;
using test::ScriptSource;

const std::string id_a(40, 'a');
const std::string id_b(40, 'b');
const std::string id_0(40, '0');
using namespace std::string_literals;

Greeting greet(const std::string& script, std::size_t piece = 3) {
  ScriptSource source(script, piece);
  base::PacketReader reader(source);
  return read_greeting(reader);
}

std::string failure_of(const std::string& script) {
  return error_message([&] { greet(script); });
}

TEST(Handshake, ReadsTheCapabilitiesOfVersion2) {
  const std::string script =
      pkt("version 2") + pkt("agent=git/2") + pkt("ls-refs=unborn") + pkt("fetch=shallow filter") + "0000";
  for (std::size_t piece = 1; piece <= script.size(); ++piece) {
    const Greeting greeting = greet(script, piece);
    EXPECT_EQ(greeting.version, ProtocolVersion::v2);
    EXPECT_EQ(greeting.capabilities.value("agent"), "git/2");
    EXPECT_TRUE(greeting.capabilities.has("ls-refs"));
    EXPECT_FALSE(greeting.capabilities.has("ls"));
    EXPECT_TRUE(greeting.capabilities.has_word("fetch", "filter"));
    EXPECT_FALSE(greeting.capabilities.has_word("fetch", "filt"));
  }
}

TEST(Handshake, ReadsTheRefsOfVersions0And1) {
  const std::string refs = pkt(id_a + " HEAD\0multi_ack symref=HEAD:refs/heads/main agent=x"s) +
                           pkt(id_a + " refs/heads/main") + pkt(id_b + " refs/tags/v1") +
                           pkt(id_a + " refs/tags/v1^{}") + pkt(id_b + " .have") + pkt("shallow " + id_b) + "0000";
  for (const bool named : {false, true}) {
    const Greeting greeting = greet((named ? pkt("version 1") : "") + refs);
    EXPECT_EQ(greeting.version, named ? ProtocolVersion::v1 : ProtocolVersion::v0);
    ASSERT_EQ(greeting.refs.refs.size(), 3U);
    EXPECT_EQ(greeting.refs.refs[0].symref_target, "refs/heads/main");
    EXPECT_EQ(greeting.refs.head_target, "refs/heads/main");
    EXPECT_EQ(greeting.refs.head_id->hex(), id_a);
    EXPECT_EQ(greeting.refs.refs[2].id.hex(), id_b);
    EXPECT_EQ(greeting.refs.refs[2].peeled->hex(), id_a);
    ASSERT_EQ(greeting.shallow.size(), 1U);
    EXPECT_EQ(greeting.shallow[0].hex(), id_b);
    EXPECT_TRUE(greeting.capabilities.has("multi_ack"));
  }
}

TEST(Handshake, ReadsAnEmptyRepository) {
  const Greeting greeting = greet(pkt(id_0 + " capabilities^{}\0shallow symref=HEAD:refs/heads/x"s) + "0000");
  EXPECT_TRUE(greeting.refs.refs.empty());
  EXPECT_EQ(greeting.refs.head_target, "refs/heads/x");
  EXPECT_FALSE(greeting.refs.head_id);
  EXPECT_TRUE(greeting.capabilities.has("shallow"));
  EXPECT_TRUE(greet("0000").refs.refs.empty());
}

TEST(Handshake, IgnoresBadNamesWithAWarning) {
  const Greeting greeting = greet(pkt(id_a + " refs/heads/ok\0x"s) + pkt(id_a + " refs/heads/a..b") +
                                  pkt(id_a + " refs/heads/x.lock") + pkt(id_b + " refs/heads/x.lock^{}") +
                                  pkt(id_a + " ../../etc/passwd") + pkt(id_a + " refs/heads/e\x1b[31m") + "0000");
  ASSERT_EQ(greeting.refs.refs.size(), 1U);
  EXPECT_FALSE(greeting.refs.refs[0].peeled);
  ASSERT_EQ(greeting.refs.warnings.size(), 4U);
  EXPECT_EQ(greeting.refs.warnings[0], "ignoring ref with broken name refs/heads/a..b");
  EXPECT_EQ(greeting.refs.warnings[3], "ignoring ref with broken name refs/heads/e");
}

TEST(Handshake, SaysWhyThereIsNoConversation) {
  EXPECT_EQ(failure_of(""),
            "Could not read from remote repository.\n\nPlease make sure you have the correct access rights\n"
            "and the repository exists.");
  EXPECT_EQ(failure_of(pkt("version 2") + pkt("agent=x")), "the remote end hung up upon initial contact");
  EXPECT_EQ(failure_of(pkt("ERR access \x1b[1mdenied")), "remote error: access denied");
  EXPECT_EQ(failure_of(pkt("version 1") + pkt("ERR no")), "remote error: no");
  EXPECT_EQ(failure_of(pkt("version 3")), "server is speaking an unknown protocol (version '3')");
  EXPECT_EQ(failure_of(pkt("hello there")), "protocol error: unexpected 'hello there'");
  EXPECT_EQ(failure_of(pkt(id_a)), "protocol error: unexpected '" + id_a + "'");
  EXPECT_EQ(failure_of("Welcome to ssh"), "protocol error: bad line length character: 'Welc'");
}

TEST(Handshake, RefusesSha256ByName) {
  const std::string expected = "the remote repository uses the object format 'sha256'; pfetch knows only sha1";
  EXPECT_EQ(failure_of(pkt("version 2") + pkt("object-format=sha256") + "0000"), expected);
  EXPECT_EQ(failure_of(pkt(std::string(64, 'a') + " HEAD\0object-format=sha256"s)), expected);
  EXPECT_EQ(failure_of(pkt("version 2") + pkt("object-format=sha1") + "0000"), "accepted");
}

RemoteRefs list(const std::string& script, const std::vector<std::string>& prefixes, std::string& sent,
                const std::string& feature = "ls-refs=unborn") {
  test::FakeConnection connection(script, 3, sent);
  base::PacketReader reader(static_cast<base::ScatterSource&>(connection));
  Greeting greeting;
  greeting.version = ProtocolVersion::v2;
  for (const char* item : {"agent=x", "object-format=sha1", "server-option"}) greeting.capabilities.add(item);
  greeting.capabilities.add(feature);
  return ls_refs(connection, reader, greeting, {"me/1", {"opt"}, {}}, prefixes);
}

TEST(LsRefs, AsksAndReadsTheAnswer) {
  std::string sent;
  const RemoteRefs refs = list(pkt(id_a + " HEAD symref-target:refs/heads/main") + pkt(id_a + " refs/heads/main") +
                                   pkt(id_b + " refs/tags/v1 peeled:" + id_a) + pkt(id_b + " refs/notes/x") + "0000",
                               {"HEAD", "refs/heads/", "refs/tags/"}, sent);
  EXPECT_EQ(sent, pkt("command=ls-refs") + pkt("agent=me/1") + pkt("server-option=opt") + pkt("object-format=sha1") +
                      "0001" + pkt("peel") + pkt("symrefs") + pkt("unborn") + pkt("ref-prefix HEAD") +
                      pkt("ref-prefix refs/heads/") + pkt("ref-prefix refs/tags/") + "0000");
  ASSERT_EQ(refs.refs.size(), 3U);
  EXPECT_EQ(refs.head_target, "refs/heads/main");
  EXPECT_EQ(refs.refs[2].peeled->hex(), id_a);
}

TEST(LsRefs, ReadsAnUnbornHead) {
  std::string sent;
  const RemoteRefs refs = list(pkt("unborn HEAD symref-target:refs/heads/trunk") + "0000", {}, sent);
  EXPECT_EQ(refs.head_target, "refs/heads/trunk");
  EXPECT_FALSE(refs.head_id);
  EXPECT_TRUE(refs.refs.empty());
}

TEST(LsRefs, DoesNotAskForUnbornWhereItIsNotKnown) {
  std::string sent;
  list("0000", {}, sent, "ls-refs");
  EXPECT_EQ(sent.find("unborn"), std::string::npos);
}

TEST(LsRefs, RefusesBrokenAnswers) {
  std::string sent;
  const auto failure = [&](const std::string& script) { return error_message([&] { list(script, {}, sent); }); };
  EXPECT_EQ(failure(pkt("ERR nope")), "remote error: nope");
  EXPECT_EQ(failure(pkt("nonsense")), "protocol error: unexpected 'nonsense'");
  EXPECT_EQ(failure(pkt(id_a + " ") + "0000"), "accepted");  // a ref without a name is a ref with a bad one: ignored
  EXPECT_EQ(failure("0001"), "protocol error: unexpected 'a delimiter among the refs'");
  EXPECT_EQ(failure(pkt(id_a + " HEAD")), "the remote end hung up unexpectedly");
}

TEST(PrefixFilter, MatchesBeginnings) {
  const PrefixFilter filter({"refs/heads/", "refs/heads/x", "HEAD", "refs/tags/v"});
  for (const char* in : {"HEAD", "refs/heads/a", "refs/heads/x", "refs/tags/v1"}) EXPECT_TRUE(filter.matches(in)) << in;
  for (const char* out : {"HEA", "refs/head", "refs/tags/u", "refs/zz", ""}) EXPECT_FALSE(filter.matches(out)) << out;
  EXPECT_TRUE(PrefixFilter({}).matches("anything"));
}

}  // namespace
}  // namespace pfetch::transport
