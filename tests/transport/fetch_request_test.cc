#include "transport/fetch_request.h"

#include <gtest/gtest.h>

#include <deque>

#include "tests/transport/fake_connection.h"
#include "transport/sideband.h"

namespace pfetch::transport {
namespace {

using test::error_message;
using test::pkt;

const std::string id_a(40, 'a');
const std::string id_b(40, 'b');
const std::string id_c(40, 'c');
const Oid a = *Oid::from_hex(id_a);
const Oid b = *Oid::from_hex(id_b);
const Oid c = *Oid::from_hex(id_c);

// Proposes a fixed list and remembers what was acknowledged.
class ListNegotiator : public Negotiator {
 public:
  explicit ListNegotiator(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) all.push_back(numbered(i));
    haves = all;
  }
  static Oid numbered(std::size_t i) {
    Oid id;
    base::store_be32(id.raw.data(), static_cast<std::uint32_t>(i + 1));
    return id;
  }
  std::optional<Oid> next() override {
    if (haves.empty()) return std::nullopt;
    const Oid id = haves.front();
    haves.pop_front();
    return id;
  }
  void ack(const Oid& id) override { acked.push_back(id); }
  void restart() override { haves = all; }

  std::deque<Oid> all, haves;
  std::vector<Oid> acked;
};

struct Talk {
  Greeting greeting;
  CommandContext context{"me/1", {}, {}};
  std::string sent;
  std::string pack;  // what comes after the answer
  std::size_t piece = 5;
  bool is_stateless = false;

  explicit Talk(ProtocolVersion version, const std::vector<std::string>& capabilities) {
    greeting.version = version;
    for (const std::string& item : capabilities) greeting.capabilities.add(item);
    greeting.refs.add({"refs/heads/main", a, {}, ""});
  }

  FetchResponse run(const FetchRequest& request, const std::string& script) {
    sent.clear();
    test::FakeConnection connection(script, piece, sent, is_stateless);
    base::PacketReader reader(static_cast<base::ScatterSource&>(connection));
    const auto response = greeting.version == ProtocolVersion::v2
                              ? request_v2(connection, reader, greeting, context, request)
                              : request_v0(connection, reader, greeting, context, request);
    PackStream stream(reader, response.has_sideband, {});
    pack = test::read_all(stream);
    return response;
  }
  std::string failure(const FetchRequest& request, const std::string& script) {
    return error_message([&] { run(request, script); });
  }
};

const std::string v2_pack = pkt("packfile") + test::raw_pkt("\1PACK") + "0000";
const std::string v0_pack = test::raw_pkt("\1PACK") + "0000";

Talk v2(const std::string& fetch = "fetch=shallow ref-in-want wait-for-done") {
  return Talk(ProtocolVersion::v2, {"agent=x", "object-format=sha1", fetch});
}

TEST(RequestV2, AsksForAShallowCloneAndReadsTheBoundaryWhateverTheCut) {
  FetchRequest request;
  request.wants = {a, b, a};
  request.depth.depth = 1;
  request.thin_pack = true;
  request.include_tag = true;
  request.no_progress = true;
  const std::string script = pkt("shallow-info") + pkt("shallow " + id_a) + pkt("unshallow " + id_b) + "0001" + v2_pack;
  Talk talk = v2();
  for (talk.piece = 1; talk.piece <= script.size(); ++talk.piece) {
    const FetchResponse response = talk.run(request, script);
    EXPECT_TRUE(response.boundary_told);
    EXPECT_EQ(response.shallow, std::vector<Oid>{a});
    EXPECT_EQ(response.unshallow, std::vector<Oid>{b});
    EXPECT_EQ(talk.pack, "PACK");
  }
  EXPECT_EQ(talk.sent, pkt("command=fetch") + pkt("agent=me/1") + pkt("object-format=sha1") + "0001" +
                           pkt("thin-pack") + pkt("no-progress") + pkt("include-tag") + pkt("ofs-delta") +
                           pkt("deepen 1") + pkt("want " + id_a) + pkt("want " + id_b) + pkt("done") + "0000");
}

TEST(RequestV2, SaysEveryKindOfDepthAndOurBoundary) {
  FetchRequest request;
  request.wants = {a};
  request.shallow = {c};
  request.ofs_delta = false;
  request.depth.depth = 3;
  request.depth.relative = true;
  request.depth.since = "1700000000";
  request.depth.exclude = {"v1", "refs/heads/x"};
  Talk talk = v2();
  talk.run(request, v2_pack);
  EXPECT_NE(talk.sent.find(pkt("shallow " + id_c) + pkt("deepen 3") + pkt("deepen-since 1700000000") +
                           pkt("deepen-not v1") + pkt("deepen-not refs/heads/x") + pkt("deepen-relative")),
            std::string::npos);
}

TEST(RequestV2, AcceptsAnEmptyBoundary) {
  FetchRequest request;
  request.wants = {a};
  request.depth.depth = 9;
  Talk talk = v2();
  EXPECT_TRUE(talk.run(request, pkt("shallow-info") + "0001" + v2_pack).boundary_told);
  EXPECT_FALSE(talk.run(request, v2_pack).boundary_told);
}

TEST(RequestV2, NegotiatesInRoundsThatRepeatWhatIsCommon) {
  ListNegotiator negotiator(40);
  FetchRequest request;
  request.wants = {a};
  request.negotiator = &negotiator;
  const std::string first = ListNegotiator::numbered(0).hex();
  Talk talk = v2();
  const FetchResponse response =
      talk.run(request, pkt("acknowledgments") + pkt("ACK " + first) + "0000" +  // after 16
                            pkt("acknowledgments") + pkt("ACK " + first) + pkt("ready") + "0001" + v2_pack);
  EXPECT_EQ(response.haves_sent, 40U);  // 16, then 24 of a round of 32
  EXPECT_EQ(response.common, std::vector<Oid>{ListNegotiator::numbered(0)});
  EXPECT_EQ(negotiator.acked, std::vector<Oid>{ListNegotiator::numbered(0)});
  const auto second_request = talk.sent.find("command=fetch", 20);
  ASSERT_NE(second_request, std::string::npos);
  EXPECT_NE(talk.sent.find("have " + first, second_request), std::string::npos);
  EXPECT_EQ(talk.sent.find("done"), std::string::npos);
  EXPECT_EQ(talk.pack, "PACK");
}

TEST(RequestV2, SaysDoneWhenNothingIsLeftToPropose) {
  ListNegotiator negotiator(3);
  FetchRequest request;
  request.wants = {a};
  request.negotiator = &negotiator;
  Talk talk = v2();
  talk.run(request, pkt("acknowledgments") + pkt("NAK") + "0000" + v2_pack);
  EXPECT_TRUE(talk.sent.ends_with(pkt("done") + "0000"));
}

TEST(RequestV2, GivesUpAfterManyProposalsInVain) {
  ListNegotiator negotiator(5000);
  FetchRequest request;
  request.wants = {a};
  request.negotiator = &negotiator;
  const std::string nak = pkt("acknowledgments") + pkt("NAK") + "0000";
  Talk talk = v2();
  talk.piece = 4096;
  const FetchResponse response =
      talk.run(request, pkt("acknowledgments") + pkt("ACK " + ListNegotiator::numbered(0).hex()) + "0000" + nak + nak +
                            nak + nak + v2_pack);
  EXPECT_EQ(response.haves_sent, 16U + 32 + 64 + 128 + 256);
}

TEST(RequestV2, TakesWantedRefs) {
  FetchRequest request;
  request.want_refs = {"refs/heads/main"};
  Talk talk = v2();
  const FetchResponse response =
      talk.run(request, pkt("wanted-refs") + pkt(id_b + " refs/heads/main") + "0001" + v2_pack);
  ASSERT_EQ(response.wanted_refs.size(), 1U);
  EXPECT_EQ(response.wanted_refs[0].first, "refs/heads/main");
  EXPECT_EQ(response.wanted_refs[0].second, b);
  EXPECT_NE(talk.sent.find(pkt("want-ref refs/heads/main")), std::string::npos);
  EXPECT_EQ(talk.failure(request, pkt("wanted-refs") + pkt(id_b + " refs/heads/other")),
            "protocol error: unexpected 'refs/heads/other'");
}

TEST(RequestV2, NamesWhatTheServerCannotDo) {
  FetchRequest request;
  request.wants = {a};
  request.depth.depth = 1;
  Talk talk = v2("fetch");
  EXPECT_EQ(talk.failure(request, ""), "Server does not support shallow requests");
  EXPECT_EQ(talk.sent, "");
  talk.context.server_options = {"x"};
  EXPECT_EQ(talk.failure({{a}, {}, {}, {}}, ""), "server doesn't support 'server-option'");
  EXPECT_EQ(Talk(ProtocolVersion::v2, {"ls-refs"}).failure({{a}, {}, {}, {}}, ""), "server doesn't support 'fetch'");
}

TEST(RequestV2, RefusesBrokenAnswers) {
  ListNegotiator negotiator(1);
  FetchRequest request;
  request.wants = {a};
  Talk talk = v2();
  EXPECT_EQ(talk.failure(request, pkt("ERR upload-pack: not our ref " + id_a)),
            "remote error: upload-pack: not our ref " + id_a);
  EXPECT_EQ(talk.failure(request, pkt("packfile-uris") + "0001"), "protocol error: unexpected 'packfile-uris'");
  EXPECT_EQ(talk.failure(request, "0000"), "expected 'packfile', received the end of the response");
  EXPECT_EQ(talk.failure(request, pkt("shallow-info") + pkt("shallow x") + "0001"), "protocol error: unexpected 'x'");
  EXPECT_EQ(talk.failure(request, ""), "the remote end hung up unexpectedly");
  request.negotiator = &negotiator;
  EXPECT_EQ(talk.failure(request, pkt("packfile")), "expected 'acknowledgments', received 'packfile'");
}

const std::vector<std::string> v0_all = {
    "multi_ack",  "thin-pack",       "side-band",   "side-band-64k", "ofs-delta",          "shallow", "deepen-since",
    "deepen-not", "deepen-relative", "no-progress", "include-tag",   "multi_ack_detailed", "agent=x"};

TEST(RequestV0, ClonesWithoutAnyHave) {
  FetchRequest request;
  request.wants = {a, a};
  request.include_tag = true;
  Talk talk(ProtocolVersion::v0, v0_all);
  const std::string script = pkt("NAK") + v0_pack;
  for (talk.piece = 1; talk.piece <= script.size(); ++talk.piece) {
    const FetchResponse response = talk.run(request, script);
    EXPECT_FALSE(response.boundary_told);
    EXPECT_EQ(talk.pack, "PACK");
  }
  EXPECT_EQ(talk.sent, pkt("want " + id_a + " multi_ack_detailed side-band-64k include-tag ofs-delta agent=me/1") +
                           "0000" + pkt("done"));
}

TEST(RequestV0, ReadsABoundaryOnlyAfterADepthRequest) {
  FetchRequest request;
  request.wants = {a};
  request.shallow = {c};
  Talk talk(ProtocolVersion::v1, v0_all);
  EXPECT_FALSE(talk.run(request, pkt("NAK") + v0_pack).boundary_told);
  request.depth.depth = 2;
  const FetchResponse response =
      talk.run(request, pkt("shallow " + id_b) + pkt("unshallow " + id_c) + "0000" + pkt("NAK") + v0_pack);
  EXPECT_EQ(response.shallow, std::vector<Oid>{b});
  EXPECT_EQ(response.unshallow, std::vector<Oid>{c});
  EXPECT_NE(talk.sent.find(pkt("shallow " + id_c) + pkt("deepen 2") + "0000" + pkt("done")), std::string::npos);
}

TEST(RequestV0, FallsBackToWhatAnOldServerCanDo) {
  FetchRequest request;
  request.wants = {a};
  request.thin_pack = true;
  Talk talk(ProtocolVersion::v0, {"side-band"});
  talk.run(request, pkt("NAK") + v0_pack);
  EXPECT_EQ(talk.sent, pkt("want " + id_a + " side-band") + "0000" + pkt("done"));
  Talk raw(ProtocolVersion::v0, {});
  const FetchResponse response = raw.run(request, pkt("NAK") + "PACKraw");
  EXPECT_FALSE(response.has_sideband);
  EXPECT_EQ(raw.pack, "PACKraw");
}

TEST(RequestV0, NegotiatesWithDetailedAcknowledgments) {
  ListNegotiator negotiator(100);
  FetchRequest request;
  request.wants = {a};
  request.negotiator = &negotiator;
  const std::string first = ListNegotiator::numbered(0).hex();
  const std::string second = ListNegotiator::numbered(20).hex();
  Talk talk(ProtocolVersion::v0, v0_all);
  const FetchResponse response =
      talk.run(request, pkt("ACK " + first + " common") + pkt("NAK") + pkt("ACK " + second + " common") +
                            pkt("ACK " + second + " ready") + pkt("NAK") + pkt("ACK " + second) + v0_pack);
  EXPECT_EQ(response.haves_sent, 16U + 32);
  EXPECT_EQ(response.common.size(), 2U);
  EXPECT_EQ(talk.pack, "PACK");
}

TEST(RequestV0, StatelessSaysEverythingInOneRequestWhenNothingIsProposed) {
  FetchRequest request;
  request.wants = {a};
  request.depth.depth = 1;
  Talk talk(ProtocolVersion::v0, v0_all);
  talk.is_stateless = true;
  const FetchResponse response = talk.run(request, pkt("shallow " + id_a) + "0000" + pkt("NAK") + v0_pack);
  EXPECT_EQ(response.shallow, std::vector<Oid>{a});
  EXPECT_EQ(talk.pack, "PACK");
  EXPECT_EQ(talk.sent, "<request>" + pkt("want " + id_a + " multi_ack_detailed side-band-64k ofs-delta agent=me/1") +
                           pkt("deepen 1") + "0000" + pkt("done"));
}

TEST(RequestV0, StatelessRepeatsInEachRoundWhatStillCounts) {
  ListNegotiator negotiator(40);
  FetchRequest request;
  request.wants = {a};
  request.depth.depth = 1;
  request.negotiator = &negotiator;
  const std::string first = ListNegotiator::numbered(0).hex();
  const std::string boundary = pkt("shallow " + id_a) + "0000";
  Talk talk(ProtocolVersion::v0, v0_all);
  talk.is_stateless = true;
  const FetchResponse response =
      talk.run(request, boundary + pkt("ACK " + first + " common") + pkt("NAK") +             // 16 haves
                            boundary + pkt("ACK " + first + " common") + pkt("NAK") +         // 24 more
                            boundary + pkt("ACK " + first + " common") + pkt("ACK " + first)  // done
                            + v0_pack);
  EXPECT_EQ(response.haves_sent, 40U);
  EXPECT_EQ(response.shallow, std::vector<Oid>{a});
  EXPECT_EQ(response.common, std::vector<Oid>{ListNegotiator::numbered(0)});
  EXPECT_EQ(talk.pack, "PACK");
  const std::string opening =
      pkt("want " + id_a + " multi_ack_detailed side-band-64k ofs-delta agent=me/1") + pkt("deepen 1") + "0000";
  EXPECT_TRUE(talk.sent.starts_with("<request>" + opening + pkt("have " + first)));
  EXPECT_TRUE(talk.sent.ends_with("<request>" + opening + pkt("have " + first) + pkt("done")));
}

TEST(RequestV0, WithoutMultiAckTheFirstAcknowledgmentIsTheLastLine) {
  ListNegotiator negotiator(100);
  FetchRequest request;
  request.wants = {a};
  request.negotiator = &negotiator;
  Talk talk(ProtocolVersion::v0, {"side-band-64k"});
  const FetchResponse response =
      talk.run(request, pkt("NAK") + pkt("ACK " + ListNegotiator::numbered(20).hex()) + v0_pack);
  EXPECT_EQ(response.common.size(), 1U);
  EXPECT_EQ(talk.pack, "PACK");
  EXPECT_TRUE(talk.sent.ends_with(pkt("done")));
}

TEST(RequestV0, AsksForUnadvertisedObjectsOnlyWhereAllowed) {
  FetchRequest request;
  request.wants = {b};
  Talk talk(ProtocolVersion::v0, v0_all);
  EXPECT_EQ(talk.failure(request, ""), "Server does not allow request for unadvertised object " + id_b);
  for (const char* allowing : {"allow-tip-sha1-in-want", "allow-reachable-sha1-in-want"}) {
    Talk open(ProtocolVersion::v0, {"side-band-64k", allowing});
    EXPECT_EQ(open.failure(request, pkt("NAK") + v0_pack), "accepted");
  }
}

TEST(RequestV0, NamesWhatTheServerCannotDo) {
  Talk talk(ProtocolVersion::v0, {"side-band-64k"});
  FetchRequest request;
  request.wants = {a};
  request.depth.depth = 1;
  EXPECT_EQ(talk.failure(request, ""), "Server does not support shallow clients");
  Talk shallow(ProtocolVersion::v0, {"side-band-64k", "shallow"});
  request.depth.since = "1";
  EXPECT_EQ(shallow.failure(request, ""), "Server does not support --shallow-since");
  request.depth.since.reset();
  request.depth.exclude = {"x"};
  EXPECT_EQ(shallow.failure(request, ""), "Server does not support --shallow-exclude");
  request.depth.exclude.clear();
  request.depth.relative = true;
  EXPECT_EQ(shallow.failure(request, ""), "Server does not support --deepen");
}

TEST(RequestV0, RefusesBrokenAnswers) {
  Talk talk(ProtocolVersion::v0, v0_all);
  FetchRequest request;
  request.wants = {a};
  EXPECT_EQ(talk.failure(request, "0000"), "expected ACK/NAK, got a flush packet");
  EXPECT_EQ(talk.failure(request, pkt("wh\x1b[1mat")), "expected ACK/NAK, got 'what'");
  EXPECT_EQ(talk.failure(request, pkt("ACK " + id_a)), "protocol error: unexpected 'ACK " + id_a + "'");
  EXPECT_EQ(talk.failure(request, pkt("ERR gone")), "remote error: gone");
}

}  // namespace
}  // namespace pfetch::transport
