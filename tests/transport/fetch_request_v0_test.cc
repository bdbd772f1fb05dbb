#include <gtest/gtest.h>

#include "tests/transport/scripted_talk.h"

namespace pfetch::transport {
namespace {

using test::pkt;

const std::string v0_pack = test::raw_pkt("\1PACK") + "0000";

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

TEST(RequestV0, APipeNeverTakesMoreThanASmallRound) {
  ListNegotiator negotiator(1000);
  FetchRequest request;
  request.wants = {a};
  request.negotiator = &negotiator;
  std::string script;
  for (int round = 0; round < 32; ++round) script += pkt("NAK");
  Talk talk(ProtocolVersion::v0, v0_all);
  talk.piece = 4096;
  const FetchResponse response = talk.run(request, script + pkt("NAK") + v0_pack);
  EXPECT_EQ(response.haves_sent, 1000U);  // 16, then 32 in each of 31 rounds, the last of them not full
  std::size_t longest = 0;
  for (std::size_t at = talk.sent.find("0000") + 4, end; (end = talk.sent.find("0000", at)) != std::string::npos;) {
    longest = std::max(longest, end - at);
    at = end + 4;
  }
  EXPECT_LE(longest, 32 * pkt("have " + id_a).size());
}

TEST(RequestV0, StatelessTakesThePackAsSoonAsTheServerIsReady) {
  ListNegotiator negotiator(40);
  FetchRequest request;
  request.wants = {a};
  request.negotiator = &negotiator;
  const std::string first = ListNegotiator::numbered(0).hex();
  auto capabilities = v0_all;
  capabilities.emplace_back("no-done");
  Talk talk(ProtocolVersion::v0, capabilities);
  talk.is_stateless = true;
  talk.run(request, pkt("ACK " + first + " common") + pkt("ACK " + first + " ready") + pkt("NAK") +
                        pkt("ACK " + first) + v0_pack);
  EXPECT_EQ(talk.pack, "PACK");
  EXPECT_TRUE(talk.sent.starts_with("<request>" +
                                    pkt("want " + id_a +
                                        " multi_ack_detailed no-done side-band-64k "
                                        "ofs-delta agent=me/1") +
                                    "0000"));
  EXPECT_EQ(talk.sent.find("<request>", 1), std::string::npos);
  EXPECT_EQ(talk.sent.find("done\n"), std::string::npos);
  // One that leaves out the NAK is understood as well.
  ListNegotiator again(40);
  request.negotiator = &again;
  talk.run(request, pkt("ACK " + first + " ready") + pkt("ACK " + first + " common") + pkt("ACK " + first) + v0_pack);
  EXPECT_EQ(talk.pack, "PACK");
}

TEST(RequestV0, StatelessSaysDoneWhenTheServerIsNeverReady) {
  ListNegotiator negotiator(3);
  FetchRequest request;
  request.wants = {a};
  request.negotiator = &negotiator;
  auto capabilities = v0_all;
  capabilities.emplace_back("no-done");
  Talk talk(ProtocolVersion::v0, capabilities);
  talk.is_stateless = true;
  talk.run(request, pkt("NAK") + pkt("NAK") + v0_pack);
  EXPECT_EQ(talk.pack, "PACK");
  EXPECT_TRUE(talk.sent.ends_with(pkt("done")));
}

TEST(RequestV0, OverAPipeTheServerIsNotAskedToSkipDone) {
  FetchRequest request;
  request.wants = {a};
  auto capabilities = v0_all;
  capabilities.emplace_back("no-done");
  Talk talk(ProtocolVersion::v0, capabilities);
  talk.run(request, pkt("NAK") + v0_pack);
  EXPECT_EQ(talk.sent.find("no-done"), std::string::npos);
}

TEST(RequestV0, EachStatelessRoundTellsOurBoundary) {
  ListNegotiator negotiator(20);
  FetchRequest request;
  request.wants = {a};
  request.shallow = {c, b};
  request.negotiator = &negotiator;
  Talk talk(ProtocolVersion::v0, v0_all);
  talk.is_stateless = true;
  talk.run(request, pkt("NAK") + pkt("NAK") + pkt("NAK") + v0_pack);
  std::size_t told = 0;
  const std::string boundary = pkt("shallow " + id_c) + pkt("shallow " + id_b) + "0000";
  for (std::size_t at = 0; (at = talk.sent.find(boundary, at)) != std::string::npos; ++at) ++told;
  EXPECT_EQ(told, 3U);
}

TEST(RequestV0, AnOldServerWithSimpleAcknowledgmentsIsUnderstood) {
  ListNegotiator negotiator(20);
  FetchRequest request;
  request.wants = {a};
  request.negotiator = &negotiator;
  const std::string first = ListNegotiator::numbered(0).hex();
  Talk talk(ProtocolVersion::v0, {"multi_ack", "side-band-64k"});
  const FetchResponse response =
      talk.run(request, pkt("ACK " + first + " continue") + pkt("NAK") + pkt("NAK") + pkt("ACK " + first) + v0_pack);
  EXPECT_EQ(response.common.size(), 1U);
  EXPECT_EQ(talk.pack, "PACK");
  EXPECT_TRUE(talk.sent.starts_with(pkt("want " + id_a + " multi_ack side-band-64k")));
}

}  // namespace
}  // namespace pfetch::transport
