// Fetches into a repository that lives already, from the `git upload-pack` of this machine, in each protocol; what the
// server says is compared with what it says to `git fetch`.
#include <fcntl.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "store/reader.h"
#include "tests/transport/fake_connection.h"
#include "tests/transport/git_repository.h"
#include "tests/transport/stateless_git.h"
#include "transport/fetch_session.h"
#include "transport/negotiator.h"

namespace pfetch::transport {
namespace {

enum class Way { v2, v0, v0_stateless };

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  std::sort(lines.begin(), lines.end());
  return lines;
}

class LivingFetch : public ::testing::TestWithParam<Way> {
 protected:
  int version() const { return GetParam() == Way::v2 ? 2 : 0; }

  std::unique_ptr<FetchSession> open() {
    if (GetParam() == Way::v0_stateless) {
      auto connection = std::make_unique<test::StatelessGit>(repository_.source(), version(), requests_);
      return std::make_unique<FetchSession>(std::move(connection), FetchSessionOptions());
    }
    ConnectOptions connect;
    connect.protocol_version = version();
    return FetchSession::open(parse_url(repository_.source()), connect, {}, cancel_);
  }

  // A clone of the first commits of src, cut at `depth` commits (0: not at all).
  void clone(int depth) const {
    const std::string cut = depth == 0 ? "" : " --depth " + std::to_string(depth);
    repository_.run("git clone -q --no-local --bare" + cut + " file://" + repository_.source() + " mine");
  }
  Oid id(const std::string& name, const std::string& where = "src") const {
    return *Oid::from_hex(repository_.line("git -C " + where + " rev-parse " + name));
  }
  std::vector<Oid> boundary() const {
    std::vector<Oid> all;
    for (const auto& line : lines_of(repository_.run("cat mine/shallow 2>/dev/null || :"))) {
      all.push_back(*Oid::from_hex(line));
    }
    return all;
  }

  // Asks for the branch main of src, with all that `mine` has as proposals; the pack is completed and indexed in a copy
  // of it, "ours", with the boundary that the server told.
  FetchResponse fetch(FetchRequest request) {
    store::Reader source({repository_.root() + "/mine/objects"});
    NegotiatorOptions options;
    options.tips = {id("refs/heads/main", "mine")};
    options.cuts = boundary();
    const auto negotiator = make_negotiator(NegotiationAlgorithm::consecutive, source, options);
    request.wants = {id("main")};
    request.shallow = options.cuts;
    request.thin_pack = true;
    request.negotiator = negotiator.get();
    const auto session = open();
    session->refs({"refs/heads/"});
    FetchResponse response = session->request(request);
    const std::string pack = test::read_all(session->pack(), 100000);
    session->finish();
    install(pack, response, options.cuts);
    return response;
  }

  // What the server says of the boundary to `git fetch <arguments>` in a copy of `mine`.
  std::vector<std::string> boundary_for_git(const std::string& arguments) const {
    return lines_of(
        repository_.run("rm -rf theirs && cp -r mine theirs && GIT_TRACE_PACKET=1 git -C theirs -c protocol.version=" +
                        std::to_string(version()) + " fetch -q " + arguments + " file://" + repository_.source() +
                        " main:refs/heads/new 2>&1 | sed -n 's/.*fetch< \\(\\(un\\)*shallow .*\\)/\\1/p'"));
  }
  static std::vector<std::string> told(const FetchResponse& response) {
    std::vector<std::string> lines;
    for (const Oid& id : response.shallow) lines.push_back("shallow " + id.hex());
    for (const Oid& id : response.unshallow) lines.push_back("unshallow " + id.hex());
    std::sort(lines.begin(), lines.end());
    return lines;
  }
  // How many commits of the branch are in "ours" (or "theirs"), counted by git under its boundary.
  std::string commits(const std::string& where) const {
    return repository_.line("git -C " + where + " fsck --connectivity-only && git -C " + where +
                            " rev-list --objects --count refs/heads/new");
  }

  test::GitRepository repository_;
  int requests_ = 0;  // over the stateless connections

 private:
  void install(const std::string& pack, const FetchResponse& response, std::vector<Oid> roots) const {
    repository_.run("rm -rf ours && cp -r mine ours");
    const std::string path = repository_.root() + "/pack";
    base::write_all(base::open_file(path, O_WRONLY | O_CREAT | O_TRUNC).get(), base::as_bytes(pack), path);
    repository_.run("git -C ours index-pack --fix-thin --stdin < pack > indexed");
    roots.insert(roots.end(), response.shallow.begin(), response.shallow.end());
    std::string list;
    for (const Oid& root : roots) {
      const auto& gone = response.unshallow;
      if (std::find(gone.begin(), gone.end(), root) == gone.end()) list += root.hex() + "\n";
    }
    repository_.run(list.empty() ? "rm -f ours/shallow" : "printf '" + list + "' > ours/shallow");
    repository_.run("git -C ours update-ref refs/heads/new " + id("main").hex());
  }

  base::Cancellation cancel_;
};

std::string way_name(const ::testing::TestParamInfo<Way>& way) {
  return way.param == Way::v2 ? "v2" : way.param == Way::v0 ? "v0" : "v0_stateless";
}

INSTANTIATE_TEST_SUITE_P(Ways, LivingFetch, ::testing::Values(Way::v2, Way::v0, Way::v0_stateless), way_name);

TEST_P(LivingFetch, BringsWhatIsNewInAThinPack) {
  repository_.run("cd src && seq 1 2000 > large && git add large && git commit -qm 1");
  clone(0);
  repository_.run("cd src && echo x >> large && git commit -qam 2");
  const FetchResponse response = fetch({});
  EXPECT_EQ(response.common, std::vector<Oid>{id("main~1")});
  EXPECT_FALSE(response.boundary_told);
  // The new blob stands on the old one: the pack as it came has three objects, completed it has four.
  const std::string header = repository_.line("od -An -tu1 -j11 -N1 pack | tr -d ' '");
  EXPECT_EQ(header, "3");
  const std::string idx = "ours/objects/pack/pack-$(cut -f2 indexed).idx";
  EXPECT_EQ(repository_.line("git verify-pack -v " + idx + " | grep -c ' blob '"), "2");
  EXPECT_EQ(repository_.line("git -C ours rev-list --count refs/heads/new"), "2");
}

TEST_P(LivingFetch, ManyRoundsFindTheBorder) {
  repository_.commit(5);
  clone(0);
  // 200 commits that the server does not have, each newer than all that it has.
  std::string stream = "reset refs/heads/main\\nfrom refs/heads/main^0\\n\\n";
  for (int i = 1; i <= 200; ++i) {
    stream += "commit refs/heads/main\\ncommitter A <a@x> " + std::to_string(1800000000 + i) + " +0000\\ndata 1\\nc\\n";
  }
  repository_.run("printf '" + stream + "' | git -C mine fast-import --quiet");
  repository_.commit(3);
  const FetchResponse response = fetch({});
  EXPECT_TRUE(std::find(response.common.begin(), response.common.end(), id("main~3")) != response.common.end());
  EXPECT_GT(response.haves_sent, 200U);
  EXPECT_EQ(repository_.line("od -An -tu1 -j11 -N1 pack | tr -d ' '"), "9");  // commit, tree and blob of three
  if (GetParam() == Way::v0_stateless) {
    EXPECT_GE(requests_, 4);
  }
}

TEST_P(LivingFetch, DeepensAsGit) {
  repository_.commit(8);
  clone(2);
  repository_.commit(1);
  FetchRequest request;
  request.depth.depth = 5;
  EXPECT_EQ(told(fetch(request)), boundary_for_git("--depth 5"));
  EXPECT_EQ(commits("ours"), commits("theirs"));
  EXPECT_EQ(repository_.line("git -C ours rev-list --count refs/heads/new"), "5");
}

TEST_P(LivingFetch, DeepensFromTheBoundaryAsGit) {
  repository_.commit(8);
  clone(2);
  FetchRequest request;
  request.depth.depth = 3;
  request.depth.relative = true;
  const FetchResponse response = fetch(request);
  EXPECT_EQ(told(response), boundary_for_git("--deepen 3"));
  EXPECT_EQ(response.unshallow, std::vector<Oid>{id("main~1")});
  EXPECT_EQ(repository_.line("git -C ours rev-list --count refs/heads/new"), "5");
}

TEST_P(LivingFetch, UnshallowsAsGit) {
  repository_.commit(8);
  clone(2);
  FetchRequest request;
  request.depth.depth = 2147483647;
  const FetchResponse response = fetch(request);
  EXPECT_EQ(told(response), boundary_for_git("--unshallow"));
  EXPECT_EQ(response.shallow, std::vector<Oid>());
  EXPECT_EQ(repository_.line("git -C ours rev-list --count refs/heads/new"), "8");
}

TEST_P(LivingFetch, CutsByDateAsGit) {
  repository_.commit(8);
  clone(2);
  FetchRequest request;
  request.depth.since = "1700000004";
  EXPECT_EQ(told(fetch(request)), boundary_for_git("--shallow-since=1700000004"));
  EXPECT_EQ(commits("ours"), commits("theirs"));
  EXPECT_EQ(repository_.line("git -C ours rev-list --count refs/heads/new"), "5");
}

TEST_P(LivingFetch, CutsByRefAsGit) {
  repository_.commit(8);
  repository_.run("git -C src tag old main~5");
  clone(2);
  FetchRequest request;
  request.depth.exclude = {"old"};
  EXPECT_EQ(told(fetch(request)), boundary_for_git("--shallow-exclude=old"));
  EXPECT_EQ(commits("ours"), commits("theirs"));
  EXPECT_EQ(repository_.line("git -C ours rev-list --count refs/heads/new"), "5");
}

// Without our boundary the server would take the parents behind it for ours, and leave out what we miss.
TEST_P(LivingFetch, AShallowClientGetsWhatIsBehindItsBoundaryThoughItAsksForNoDepth) {
  repository_.commit(8);
  clone(2);
  repository_.run("git -C src branch older main~4 && git -C src reset -q --hard older");
  const FetchResponse response = fetch({});
  EXPECT_EQ(told(response), std::vector<std::string>());
  EXPECT_EQ(repository_.line("git -C ours rev-list --count refs/heads/new"), "4");
}

TEST_P(LivingFetch, FollowsTags) {
  repository_.commit(2);
  clone(0);
  repository_.commit(1);
  repository_.run("git -C src tag -am t v1 main");
  FetchRequest request;
  request.include_tag = true;
  fetch(request);
  EXPECT_EQ(repository_.line("git -C ours cat-file -t " + id("v1").hex()), "tag");
}

TEST_P(LivingFetch, AsksByTheNameOfARefWhereTheServerTakesIt) {
  if (version() != 2) GTEST_SKIP() << "protocol v2 only";
  repository_.commit(2);
  repository_.run("git -C src config uploadpack.allowRefInWant true");
  const auto session = open();
  FetchRequest request;
  request.want_refs = {"refs/heads/main"};
  const FetchResponse response = session->request(request);
  ASSERT_EQ(response.wanted_refs.size(), 1U);
  EXPECT_EQ(response.wanted_refs[0].second, id("main"));
  EXPECT_TRUE(test::read_all(session->pack()).starts_with("PACK"));
  const auto other = open();
  request.want_refs = {"refs/heads/none"};
  EXPECT_EQ(test::error_message([&] { other->request(request); }), "remote error: unknown ref refs/heads/none");
}

TEST_P(LivingFetch, ListensOnAllBandsWhereTheServerOffersThem) {
  if (version() != 2) GTEST_SKIP() << "protocol v2 only";
  repository_.commit(4);
  clone(2);
  const auto without = boundary_for_git("--depth 3");
  repository_.run("git -C src config uploadpack.allowSidebandAll true");
  EXPECT_TRUE(open()->capabilities().has_word("fetch", "sideband-all"));
  FetchRequest request;
  request.depth.depth = 3;
  EXPECT_EQ(told(fetch(request)), without);
  EXPECT_EQ(repository_.line("git -C ours rev-list --count refs/heads/new"), "3");
}

TEST_P(LivingFetch, WaitsForDone) {
  if (version() != 2) GTEST_SKIP() << "protocol v2 only";
  repository_.commit(1);
  clone(0);
  repository_.commit(1);
  FetchRequest request;
  request.wait_for_done = true;
  const FetchResponse response = fetch(request);
  EXPECT_EQ(response.common, std::vector<Oid>{id("main~1")});
  EXPECT_EQ(repository_.line("git -C ours rev-list --count refs/heads/new"), "2");
}

}  // namespace
}  // namespace pfetch::transport
