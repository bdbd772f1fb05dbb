// Whole conversations with the `git upload-pack` of this machine, in every protocol version.
#include "transport/fetch_session.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include "base/fd.h"
#include "tests/transport/fake_connection.h"
#include "tests/transport/git_repository.h"

namespace pfetch::transport {
namespace {

using test::error_message;

class Upload : public ::testing::TestWithParam<int> {
 protected:
  std::unique_ptr<FetchSession> open(const std::string& url, FetchSessionOptions options = {}) {
    ConnectOptions connect;
    connect.protocol_version = GetParam();
    return FetchSession::open(parse_url(url), connect, std::move(options), cancel_);
  }

  // Reads the pack to its end, and lets git index it in a new repository `name`, which proves that it is whole.
  void index_pack(PackStream& pack, const std::string& name) {
    repository_.run("git init -q --bare " + name);
    const std::string bytes = test::read_all(pack, 100000);
    EXPECT_EQ(pack.bytes_received(), bytes.size());
    const std::string path = repository_.root() + "/" + name + ".pack";
    base::write_all(base::open_file(path, O_WRONLY | O_CREAT).get(), base::as_bytes(bytes), path);
    repository_.run("cd " + name + " && git index-pack --stdin < ../" + name + ".pack");
  }

  base::Cancellation cancel_;
  test::GitRepository repository_;
};

INSTANTIATE_TEST_SUITE_P(Versions, Upload, ::testing::Values(0, 1, 2));

TEST_P(Upload, ListsTheRefs) {
  repository_.commit(1);
  repository_.run("cd src && git tag -a -m t v1 && git branch other && git update-ref refs/notes/n HEAD");
  auto session = open("file://" + repository_.source());
  EXPECT_EQ(static_cast<int>(session->version()), GetParam());
  const RemoteRefs refs = session->refs({"HEAD", "refs/heads/", "refs/tags/"});
  ASSERT_EQ(refs.refs.size(), 4U);
  EXPECT_EQ(refs.head_target, "refs/heads/main");
  const std::string tip = repository_.line("git -C src rev-parse HEAD");
  EXPECT_EQ(refs.head_id->hex(), tip);
  EXPECT_EQ(refs.find("refs/heads/other")->id.hex(), tip);
  EXPECT_EQ(refs.find("refs/tags/v1")->id.hex(), repository_.line("git -C src rev-parse v1"));
  EXPECT_EQ(refs.find("refs/tags/v1")->peeled->hex(), tip);
  EXPECT_EQ(refs.find("refs/notes/n"), nullptr);
  session->finish();
}

TEST_P(Upload, DeliversAWholePack) {
  repository_.commit(6);
  auto session = open(repository_.source());
  const RemoteRefs refs = session->refs({"HEAD", "refs/heads/"});
  FetchRequest request;
  request.wants = {*refs.head_id};
  const FetchResponse response = session->request(request);
  EXPECT_FALSE(response.boundary_told);
  index_pack(session->pack(), "copy");
  session->finish();
  EXPECT_EQ(repository_.line("git -C copy rev-list --count " + refs.head_id->hex()), "6");
}

TEST_P(Upload, DeliversAShallowPackWithItsBoundary) {
  repository_.commit(6);
  auto session = open("file://" + repository_.source());
  const RemoteRefs refs = session->refs({"HEAD"});
  FetchRequest request;
  request.wants = {*refs.head_id};
  request.depth.depth = 2;
  const FetchResponse response = session->request(request);
  EXPECT_TRUE(response.boundary_told);
  ASSERT_EQ(response.shallow.size(), 1U);
  EXPECT_EQ(response.shallow[0].hex(), repository_.line("git -C src rev-parse HEAD~1"));
  index_pack(session->pack(), "copy");
  session->finish();
  EXPECT_EQ(repository_.line("git verify-pack -v copy/objects/pack/*.idx | grep -c ' commit '"), "2");
}

TEST_P(Upload, TellsTheBoundaryOfAShallowServer) {
  repository_.commit(4);
  repository_.run("git clone -q --bare --depth 3 file://" + repository_.source() + " cut");
  auto session = open("file://" + repository_.root() + "/cut");
  FetchRequest request;
  request.wants = {*session->refs({"HEAD"}).head_id};
  const FetchResponse response = session->request(request);
  const auto& boundary = GetParam() == 2 ? response.shallow : session->server_shallow();
  ASSERT_EQ(boundary.size(), 1U);
  EXPECT_EQ(boundary[0].hex(), repository_.line("git -C src rev-parse HEAD~2"));
  index_pack(session->pack(), "copy");
  session->finish();
}

TEST_P(Upload, ReadsAnEmptyRepository) {
  auto session = open(repository_.source());
  const RemoteRefs refs = session->refs({});
  EXPECT_TRUE(refs.refs.empty());
  EXPECT_FALSE(refs.head_id);
  if (GetParam() == 2) {
    EXPECT_EQ(refs.head_target, "refs/heads/main");
  }
  session->finish();
}

TEST_P(Upload, SendsOnlyWhatIsBehindTheHaves) {
  repository_.commit(3);
  const Oid old = *Oid::from_hex(repository_.line("git -C src rev-parse HEAD"));
  repository_.commit(1);
  class One : public Negotiator {
   public:
    explicit One(const Oid& id) : id_(id) {}
    std::optional<Oid> next() override { return std::exchange(id_, std::nullopt); }
    void ack(const Oid& id) override { acked.push_back(id); }
    void restart() override {}
    std::vector<Oid> acked;

   private:
    std::optional<Oid> id_;
  } negotiator(old);
  auto session = open(repository_.source());
  FetchRequest request;
  request.wants = {*session->refs({"HEAD"}).head_id};
  request.negotiator = &negotiator;
  const FetchResponse response = session->request(request);
  EXPECT_EQ(response.common, std::vector<Oid>{old});
  EXPECT_EQ(negotiator.acked, std::vector<Oid>{old});
  index_pack(session->pack(), "copy");
  session->finish();
  EXPECT_EQ(repository_.line("git verify-pack -v copy/objects/pack/*.idx | grep -c ' commit '"), "1");
}

TEST_P(Upload, ShowsTheServersProgress) {
  repository_.commit(1);
  std::string heard;
  FetchSessionOptions options;
  options.message = [&](std::string_view line, char) { heard.append(line).append("\n"); };
  auto session = open(repository_.source(), std::move(options));
  FetchRequest request;
  request.wants = {*session->refs({"HEAD"}).head_id};
  session->request(request);
  test::read_all(session->pack());
  session->finish();
  EXPECT_NE(heard.find("Total 3"), std::string::npos) << heard;
}

TEST_P(Upload, ReportsAServerThatFailsAfterAWholePack) {
  repository_.commit(1);
  repository_.run("printf '#!/bin/sh\\ngit-upload-pack \"$@\"\\nexit 3\\n' > wrapper && chmod +x wrapper");
  ConnectOptions connect;
  connect.protocol_version = GetParam();
  connect.service = repository_.root() + "/wrapper";
  const auto session = FetchSession::open(parse_url(repository_.source()), connect, {}, cancel_);
  FetchRequest request;
  request.wants = {*session->refs({"HEAD"}).head_id};
  session->request(request);
  index_pack(session->pack(), "copy");
  EXPECT_EQ(error_message([&] { session->finish(); }), "remote transport reported error (exit status 3)");
}

TEST_P(Upload, GivesTheServersReasonForARefusal) {
  repository_.commit(1);
  auto session = open(repository_.source());
  session->refs({});
  const std::string unknown(40, '1');
  FetchRequest request;
  request.wants = {*Oid::from_hex(unknown)};
  const std::string expected = GetParam() == 2 ? "remote error: upload-pack: not our ref " + unknown
                                               : "Server does not allow request for unadvertised object " + unknown;
  EXPECT_EQ(error_message([&] { session->request(request); }), expected);
}

TEST_P(Upload, TakesASecondRequestWithVersion2Only) {
  repository_.commit(2);
  auto session = open(repository_.source());
  FetchRequest request;
  request.wants = {*session->refs({"HEAD"}).head_id};
  session->request(request);
  index_pack(session->pack(), "first");
  EXPECT_EQ(session->takes_another_request(), GetParam() == 2);
  const std::string failure = error_message([&] {
    session->request(request);
    index_pack(session->pack(), "second");
  });
  EXPECT_EQ(failure, GetParam() == 2 ? "accepted" : "this connection takes no further request");
  session->finish();
}

// A stand-in for ssh: leaves out the options and the host, and runs the command that is left.
TEST(FetchSession, TalksThroughAnSshProgram) {
  test::GitRepository repository;
  repository.commit(1);
  repository.run(
      "printf '#!/bin/sh\\nwhile [ $# -gt 1 ]; do echo \"$1\" >> \"$0.log\"; shift; done\\neval \"$1\"\\n' > ssh"
      " && chmod +x ssh");
  base::Cancellation cancel;
  ConnectOptions connect;
  connect.environment = [&](const std::string& name) -> std::optional<std::string> {
    return name == "GIT_SSH" ? std::optional(repository.root() + "/ssh") : std::nullopt;
  };
  const auto session = FetchSession::open(parse_url("ssh://me@there:2222" + repository.source()), connect, {}, cancel);
  EXPECT_EQ(session->version(), ProtocolVersion::v2);
  EXPECT_EQ(session->refs({"HEAD"}).head_id->hex(), repository.line("git -C src rev-parse HEAD"));
  session->finish();
  EXPECT_EQ(repository.run("cat ssh.log"), "-o\nSendEnv=GIT_PROTOCOL\n-p\n2222\nme@there\n");
}

// A session that is given up says good-bye, so that the server does not complain to the user.
TEST(FetchSession, LeavesInGoodOrderWhenGivenUp) {
  std::string sent;
  const std::string greeting = test::pkt(std::string(40, 'a') + " HEAD") + "0000";
  { FetchSession session(std::make_unique<test::FakeConnection>(greeting, 9, sent), {}); }
  EXPECT_EQ(sent, "0000");
  sent.clear();
  { FetchSession(std::make_unique<test::FakeConnection>(greeting, 9, sent), {}).finish(); }
  EXPECT_EQ(sent, "0000<finished>");
}

TEST(FetchSession, RefusesServerOptionsBeforeVersion2) {
  test::GitRepository repository;
  base::Cancellation cancel;
  ConnectOptions connect;
  connect.protocol_version = 0;
  FetchSessionOptions options;
  options.server_options = {"x"};
  const auto session = FetchSession::open(parse_url(repository.source()), connect, options, cancel);
  EXPECT_EQ(error_message([&] { session->refs({}); }), "server options require protocol version 2 or later");
}

const std::string id_a(40, 'a');
const std::string greeting_v2 = test::pkt("version 2") + test::pkt("ls-refs") + test::pkt("fetch=shallow") + "0000";
const std::string refs_v2 = test::pkt(id_a + " HEAD") + "0000";
const std::string head_v2 = test::pkt("packfile") + test::raw_pkt("\2Counting\n");

class Network : public ::testing::Test {
 protected:
  FetchSession session(std::vector<std::string> scripts) {
    RetryOptions options{3, std::chrono::seconds(0), std::chrono::seconds(1),
                         [this](std::string_view text) { said_ += std::string(text) + "\n"; }};
    return {std::make_unique<test::FakeNetwork>(std::move(scripts), sent_),
            {},
            std::make_shared<Retries>(std::move(options), cancel_)};
  }
  std::string sent_, said_;
  base::Cancellation cancel_;
};

TEST_F(Network, BeginsAnewUntilTheFirstByteOfThePack) {
  FetchSession session = this->session({greeting_v2 + refs_v2.substr(0, 9), greeting_v2 + refs_v2 + head_v2,
                                        greeting_v2 + head_v2 + test::raw_pkt("\1PACK") + "0000"});
  FetchRequest request;
  request.wants = {*session.refs({"HEAD"}).head_id};
  session.request(request);
  EXPECT_EQ(test::read_all(session.pack()), "PACK");
  EXPECT_EQ(said_,
            "the remote end hung up unexpectedly; trying again (try 2 of 3)\n"
            "the remote end hung up unexpectedly; trying again (try 3 of 3)\n");
}

TEST_F(Network, ProposesFromTheFirstAgainWhenItBeginsAnew) {
  class Two : public Negotiator {
   public:
    std::optional<Oid> next() override {
      if (left_ == 0) return std::nullopt;
      Oid id;
      id.raw.fill(static_cast<std::uint8_t>(left_--));
      return id;
    }
    void ack(const Oid&) override {}
    void restart() override { left_ = 2; }

   private:
    int left_ = 2;
  } negotiator;
  const std::string nak = test::pkt("acknowledgments") + test::pkt("NAK") + "0000";
  FetchSession session =
      this->session({greeting_v2 + refs_v2 + nak, greeting_v2 + nak + head_v2 + test::raw_pkt("\1PACK") + "0000"});
  FetchRequest request;
  request.wants = {*session.refs({"HEAD"}).head_id};
  request.negotiator = &negotiator;
  const FetchResponse response = session.request(request);
  EXPECT_EQ(response.haves_sent, 2U);
  EXPECT_EQ(test::read_all(session.pack()), "PACK");
  const std::string haves = test::pkt("have 0202020202020202020202020202020202020202") +
                            test::pkt("have 0101010101010101010101010101010101010101");
  EXPECT_NE(sent_.find(haves, sent_.rfind("<begun>")), std::string::npos);
}

TEST_F(Network, EndsAtTheLastTry) {
  FetchSession session = this->session({greeting_v2, greeting_v2, greeting_v2, greeting_v2});
  EXPECT_EQ(error_message([&] { session.refs({"HEAD"}); }), "the remote end hung up unexpectedly");
  EXPECT_EQ(said_.find("try 4"), std::string::npos);
}

TEST_F(Network, NeverTriesAgainAfterAByteOfThePackOrForARefusal) {
  FetchSession cut = this->session({greeting_v2 + refs_v2 + head_v2 + test::raw_pkt("\1PACK")});
  FetchRequest request;
  request.wants = {*cut.refs({"HEAD"}).head_id};
  cut.request(request);
  EXPECT_EQ(error_message([&] { test::read_all(cut.pack()); }), "the remote end hung up unexpectedly");
  FetchSession refused = this->session({greeting_v2 + test::pkt("ERR no")});
  EXPECT_EQ(error_message([&] { refused.refs({"HEAD"}); }), "remote error: no");
  EXPECT_EQ(said_, "");
}

}  // namespace
}  // namespace pfetch::transport
