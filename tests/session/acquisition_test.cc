// Objects from the `git upload-pack` of this machine into a repository that has some already: kept or unpacked.
#include "session/acquisition.h"

#include <gtest/gtest.h>

#include <map>

#include "base/error.h"
#include "session/durability.h"
#include "session/ingest_setup.h"
#include "session/holdings.h"
#include "tests/support/error_message.h"
#include "tests/transport/git_repository.h"
#include "transport/negotiator.h"
#include "transport/url.h"

namespace pfetch::session {
namespace {

const std::map<std::string, std::string> nothing = {{"GIT_CONFIG_NOSYSTEM", "1"}};

class Silent : public Reporter {
 public:
  void say(std::string_view) override {}
  void warn(std::string_view) override {}
  void complain(std::string_view) override {}
  void remote(std::string_view, char) override {}
  void yield_terminal(bool) override {}
};

class AcquisitionTest : public ::testing::Test {
 protected:
  // A clone of one commit of src, then another commit there: the pack that comes is thin, of three objects.
  AcquisitionTest() {
    git_.run("cd src && seq 1 2000 > large && git add large && git commit -qm 1");
    git_.run("git clone -q --no-local --bare src mine");
    git_.run("cd src && echo x >> large && git commit -qam 2");
  }

  // Fetches main of src; publishes nothing.
  Installed fetch(AcquisitionOptions options) {
    const repo::Repository repository = repo::Repository::open(git_.root() + "/mine", repo::Environment::from(nothing));
    Holdings here(repository);
    const Before before = here.before();
    const std::vector<object::Oid> had = {id("main", "mine")};
    const auto negotiator = transport::make_negotiator(transport::NegotiationAlgorithm::consecutive, here.objects(),
                                                       {.tips = had, .known_common = {}, .cuts = {}});
    const auto server = transport::FetchSession::open(transport::parse_url(git_.source()), {}, {}, cancel_);
    server->refs({"refs/heads/"});
    transport::FetchRequest request;
    request.wants = {id("main", "src")};
    request.thin_pack = true;
    request.negotiator = negotiator.get();
    server->request(request);
    options.before = &before;
    Acquisition acquisition(repository, options, cancel_);
    acquisition.receive(*server, nullptr);
    Silent silent;
    acquisition.prove_connected(request.wants, silent);
    bool ran = false;
    Installed installed = acquisition.install([&ran] { ran = true; });
    EXPECT_TRUE(ran);
    return installed;
  }

  object::Oid id(const std::string& name, const std::string& where) const {
    return *object::Oid::from_hex(git_.line("git -C " + where + " rev-parse " + name));
  }
  std::string count(const std::string& what) const {
    return git_.line("git -C mine count-objects -v | sed -n 's/^" + what + ": //p'");
  }
  // Whether the tip of src is in mine with all behind it, and nothing temporary is left.
  void expect_whole() const {
    git_.run("git -C mine update-ref refs/heads/main " + id("main", "src").hex() + " && git -C mine fsck");
    EXPECT_EQ(git_.run("find mine/objects -name 'tmp_*'"), "");
  }

  test::GitRepository git_;
  base::Cancellation cancel_;
};

TEST_F(AcquisitionTest, UnpacksBelowTheLimitWithoutTheBasesOfAThinPack) {
  AcquisitionOptions options;
  options.unpack_limit = 4;
  options.keep_message = "not needed";
  const Installed installed = fetch(options);
  EXPECT_EQ(installed.unpacked, 3U);
  EXPECT_EQ(installed.pack, "");
  EXPECT_EQ(count("count"), "3");
  EXPECT_EQ(count("packs"), "1");
  EXPECT_EQ(git_.run("find mine -name '*.keep'"), "");
  expect_whole();
}

TEST_F(AcquisitionTest, KeepsAPackAtTheLimit) {
  AcquisitionOptions options;
  options.unpack_limit = 3;
  const Installed installed = fetch(options);
  EXPECT_EQ(installed.unpacked, 0U);
  EXPECT_TRUE(base::path_exists(installed.pack + ".idx"));
  EXPECT_EQ(count("count"), "0");
  EXPECT_EQ(count("packs"), "2");
  expect_whole();
}

TEST_F(AcquisitionTest, WithoutALimitEveryPackIsKept) {
  fetch({});
  EXPECT_EQ(count("packs"), "2");
  EXPECT_EQ(git_.run("find mine -name '*.keep'"), "");
}

TEST_F(AcquisitionTest, TheKeepFileStaysAsLongAsItsHandle) {
  AcquisitionOptions options;
  options.keep_message = "pfetch 1 on here";
  {
    const Installed installed = fetch(options);
    EXPECT_EQ(base::read_file(installed.pack + ".keep"), "pfetch 1 on here\n");
    EXPECT_EQ(git_.run("cd mine && git repack -qad && ls objects/pack/*.keep | wc -l"), "1\n");
    expect_whole();
  }
  EXPECT_EQ(git_.run("find mine -name '*.keep'"), "");
}

TEST_F(AcquisitionTest, TheKeepFileOfAnotherIsLeftAlone) {
  const std::string pack = fetch({}).pack;
  git_.run("echo another > " + pack + ".keep");
  AcquisitionOptions options;
  options.keep_message = "ours";
  EXPECT_EQ(fetch(options).pack, pack);
  EXPECT_EQ(base::read_file(pack + ".keep"), "another\n");
}

TEST_F(AcquisitionTest, UnpacksAtTheConfiguredLevel) {
  git_.run("git -C mine config core.compression 0");
  AcquisitionOptions options;
  options.unpack_limit = 100;
  fetch(options);
  EXPECT_NE(git_.run("find mine/objects/?? -size +8k"), "");
}

repo::Config config_with(const std::vector<std::string>& settings) {
  repo::Environment environment = repo::Environment::from(nothing);
  for (const std::string& setting : settings) environment.add_override(setting);
  return repo::Config::load(environment);
}

TEST(LooseCompression, IsTheNarrowerKeysFirst) {
  const auto level = [](const std::vector<std::string>& settings) { return loose_compression(config_with(settings)); };
  EXPECT_EQ(level({}), 1);
  EXPECT_EQ(level({"core.compression=9"}), 9);
  EXPECT_EQ(level({"core.loosecompression=-1", "core.compression=9"}), -1);
  EXPECT_EQ(test::error_message([&] { level({"core.compression=10"}); }), "bad zlib compression level 10");
}

TEST(Durability, LooseObjectsAreLeftToTheFileSystemUnlessAsked) {
  const auto wanted = [](const std::vector<std::string>& settings) {
    const Durability durable = durability(config_with(settings));
    return std::string(durable.packs ? "p" : "") + (durable.loose ? "l" : "") + (durable.refs ? "r" : "");
  };
  EXPECT_EQ(wanted({}), "p");
  EXPECT_EQ(wanted({"core.fsync=loose-object"}), "pl");
  EXPECT_EQ(wanted({"core.fsync=committed"}), "pl");
  EXPECT_EQ(wanted({"core.fsync=committed,-loose-object"}), "p");
  EXPECT_EQ(wanted({"core.fsync=all"}), "plr");
  EXPECT_EQ(wanted({"core.fsync=none"}), "");
  EXPECT_EQ(wanted({"core.fsync=-pack"}), "");
  EXPECT_EQ(wanted({"core.fsync=none", "core.fsyncobjectfiles=true"}), "l");
}

}  // namespace
}  // namespace pfetch::session
