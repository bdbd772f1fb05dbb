#include "session/holdings.h"

#include <gtest/gtest.h>

#include "tests/support/scratch.h"

namespace pfetch::session {
namespace {

using object::Oid;

class HoldingsTest : public ::testing::Test {
 protected:
  repo::Repository repository() const {
    const std::map<std::string, std::string> variables = {{"GIT_CONFIG_NOSYSTEM", "1"}, {"HOME", "/nonexistent"}};
    return repo::Repository::discover(repo::Environment::from(variables), scratch / "r");
  }
  Oid id_of(const std::string& name) const { return *Oid::from_hex(scratch.out_of("cd r; git rev-parse " + name)); }

  test::Scratch scratch;
};

TEST_F(HoldingsTest, ReadAheadLeavesNothingForReachability) {
  scratch.out_of(
      "git init -q -b main r; cd r; for i in $(seq 20); do git commit -q --allow-empty -m c$i; done;"
      "git tag -a -m t v1 main~5; git checkout -q --orphan other; git commit -q --allow-empty -m o");
  const repo::Repository repository = this->repository();
  Holdings here(repository);
  here.read_ahead({});
  EXPECT_EQ(here.graph().commits_walked(), 21U);
  const std::vector<Oid> wanted = {id_of("main~19"), id_of("other")};
  scratch.out_of("rm -r r/.git/objects");
  EXPECT_EQ(here.reachability().reached(here.tips(), wanted), (std::vector<bool>{true, true}));
  EXPECT_EQ(here.graph().commits_walked(), 21U);
}

TEST_F(HoldingsTest, ReadAheadEndsWhenTimeIsUpAndLeavesTroubleToOthers) {
  scratch.out_of("git init -q -b main r; cd r; for i in 1 2 3; do git commit -q --allow-empty -m c$i; done");
  const repo::Repository repository = this->repository();
  Holdings stopped(repository);
  std::stop_source stop;
  stop.request_stop();
  stopped.read_ahead(stop.get_token());
  EXPECT_EQ(stopped.graph().commits_walked(), 0U);
  const std::string middle = id_of("main~1").hex();
  scratch.out_of("rm -f r/.git/objects/" + middle.substr(0, 2) + "/" + middle.substr(2));
  Holdings damaged(repository);
  EXPECT_NO_THROW(damaged.read_ahead({}));
  EXPECT_EQ(damaged.graph().commits_walked(), 0U);
}

}  // namespace
}  // namespace pfetch::session
