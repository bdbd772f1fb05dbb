#include <gtest/gtest.h>

#include "tests/transport/scripted_talk.h"

namespace pfetch::transport {
namespace {

using test::pkt;

const std::string v2_pack = pkt("packfile") + test::raw_pkt("\1PACK") + "0000";

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

// The packets of an answer on band 1, and words for the user between them.
std::string banded(std::string_view text) {
  return test::raw_pkt("\1" + std::string(text) + "\n");
}

TEST(RequestV2, HearsTheServerFromItsFirstPacketOnWhateverTheCut) {
  FetchRequest request;
  request.wants = {a};
  request.depth.depth = 1;
  const std::string script = test::raw_pkt("\2Loo") + banded("shallow-info") + test::raw_pkt("\2king\n") +
                             test::raw_pkt("\2") + banded("shallow " + id_a) + "0001" + test::raw_pkt("\2at it") +
                             banded("packfile") + test::raw_pkt("\2Counting\n") + test::raw_pkt("\1PACK") + "0000";
  Talk talk(ProtocolVersion::v2, {"fetch=shallow sideband-all"});
  for (talk.piece = 1; talk.piece <= script.size(); ++talk.piece) {
    talk.heard.clear();
    const FetchResponse response = talk.run(request, script);
    EXPECT_EQ(response.shallow, std::vector<Oid>{a});
    EXPECT_EQ(talk.pack, "PACK");
    EXPECT_EQ(talk.heard, "Looking\nat it\nCounting\n");
  }
  EXPECT_NE(talk.sent.find(pkt("sideband-all")), std::string::npos);
}

TEST(RequestV2, NegotiatesOnTheBandOfTheAnswer) {
  ListNegotiator negotiator(3);
  FetchRequest request;
  request.wants = {a};
  request.negotiator = &negotiator;
  Talk talk(ProtocolVersion::v2, {"fetch=sideband-all"});
  const FetchResponse response =
      talk.run(request, banded("acknowledgments") + banded("ACK " + ListNegotiator::numbered(1).hex()) +
                            banded("ready") + "0001" + banded("packfile") + test::raw_pkt("\1PACK") + "0000");
  EXPECT_EQ(response.common, std::vector<Oid>{ListNegotiator::numbered(1)});
  EXPECT_EQ(talk.pack, "PACK");
}

TEST(RequestV2, GivesTheServersLastWordsAndRefusesWhatIsOnNoBand) {
  FetchRequest request;
  request.wants = {a};
  Talk talk(ProtocolVersion::v2, {"fetch=sideband-all"});
  EXPECT_EQ(talk.failure(request, test::raw_pkt("\2One") + test::raw_pkt("\3no\x1b[1mt today\n")),
            "remote error: not today");
  EXPECT_EQ(talk.heard, "One\n");
  EXPECT_EQ(talk.failure(request, banded("ERR gone")), "remote error: gone");
  EXPECT_EQ(talk.failure(request, pkt("packfile")), "protocol error: no band designator");
  EXPECT_EQ(talk.failure(request, "0004"), "protocol error: no band designator");
  EXPECT_EQ(v2().failure(request, banded("packfile")), "protocol error: unexpected 'packfile'");
}

TEST(RequestV2, RepeatsTheWholeRequestInEachRoundWithOurBoundary) {
  ListNegotiator negotiator(20);
  FetchRequest request;
  request.wants = {a};
  request.shallow = {c, b};
  request.negotiator = &negotiator;
  const std::string nak = pkt("acknowledgments") + pkt("NAK") + "0000";
  Talk talk = v2();
  talk.run(request, nak + nak + v2_pack);
  const std::string opening = pkt("command=fetch") + pkt("agent=me/1") + pkt("object-format=sha1") + "0001" +
                              pkt("ofs-delta") + pkt("shallow " + id_c) + pkt("shallow " + id_b) + pkt("want " + id_a);
  std::size_t requests = 0;
  for (std::size_t at = 0; (at = talk.sent.find(opening, at)) != std::string::npos; ++at) ++requests;
  EXPECT_EQ(requests, 3U);
}

TEST(RequestV2, WaitsForDoneAsLongAsThereIsSomethingToPropose) {
  ListNegotiator negotiator(20);
  FetchRequest request;
  request.wants = {a};
  request.negotiator = &negotiator;
  request.wait_for_done = true;
  const std::string ack = pkt("acknowledgments") + pkt("ACK " + ListNegotiator::numbered(0).hex()) + "0000";
  Talk talk = v2();
  const FetchResponse response = talk.run(request, ack + ack + v2_pack);
  EXPECT_EQ(response.haves_sent, 20U);
  EXPECT_NE(talk.sent.find(pkt("wait-for-done")), std::string::npos);
  EXPECT_TRUE(talk.sent.ends_with(pkt("done") + "0000"));
  Talk old = v2("fetch=shallow");
  EXPECT_EQ(old.failure(request, ""), "Server does not support wait-for-done");
}

TEST(RequestV2, EveryWantedRefMustBeAnsweredOnce) {
  FetchRequest request;
  request.want_refs = {"refs/heads/main", "refs/heads/x"};
  Talk talk = v2();
  const std::string main = pkt(id_b + " refs/heads/main");
  EXPECT_EQ(talk.failure(request, v2_pack), "the remote does not say what the wanted refs are");
  EXPECT_EQ(talk.failure(request, pkt("wanted-refs") + main + "0001" + v2_pack),
            "the remote does not say what the wanted refs are");
  EXPECT_EQ(talk.failure(request, pkt("wanted-refs") + main + main + "0001" + v2_pack),
            "protocol error: unexpected 'refs/heads/main'");
  EXPECT_EQ(v2("fetch=shallow").failure(request, ""),
            "Server does not support requests by the name of a ref (ref-in-want)");
}

}  // namespace
}  // namespace pfetch::transport
