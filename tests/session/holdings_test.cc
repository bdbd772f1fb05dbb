// What a repository holds: tips of all refs and worktrees, and what has been taken over since.
#include "session/holdings.h"

#include <gtest/gtest.h>

#include <map>

#include "tests/support/scratch.h"

namespace pfetch::session {
namespace {

class HoldingsTest : public ::testing::Test {
 protected:
  HoldingsTest() {
    scratch.out_of(
        "git init -q -b main r && cd r && git commit -q --allow-empty -m 1 && git commit -q --allow-empty -m 2 && "
        "git update-ref refs/remotes/origin/main HEAD && git worktree add -q --detach ../linked HEAD~1");
  }
  repo::Repository repository() const {
    const std::map<std::string, std::string> variables = {{"GIT_CONFIG_NOSYSTEM", "1"}, {"HOME", "/nonexistent"}};
    return repo::Repository::discover(repo::Environment::from(variables), scratch / "r");
  }
  object::Oid id(const std::string& name) const {
    return *object::Oid::from_hex(scratch.out_of("git -C r rev-parse " + name));
  }

  test::Scratch scratch;
};

TEST_F(HoldingsTest, KnowsWhatRefsAndHeadsOfWorktreesPointTo) {
  const repo::Repository opened = repository();
  Holdings here(opened);
  EXPECT_EQ(here.tips().size(), 2U);
  EXPECT_TRUE(here.is_tip(id("HEAD")));
  EXPECT_TRUE(here.is_tip(id("HEAD~1")));  // of the other worktree alone
  EXPECT_EQ(here.ref_id("refs/remotes/origin/main"), id("HEAD"));
  EXPECT_TRUE(here.ref_id("refs/heads/nosuch").is_null());
  EXPECT_EQ(here.worktrees().size(), 2U);
}

TEST_F(HoldingsTest, CutsHistoryAtTheBoundaryAndAtOneThatIsTakenOver) {
  const repo::Repository opened = repository();
  Holdings here(opened);
  const auto parents = [&] {
    graph::CommitGraph& graph = here.history().graph();
    return graph.parents(*graph.find(id("HEAD"))).size();
  };
  EXPECT_EQ(parents(), 1U);
  here.take_over({}, {.add = {id("HEAD")}, .remove = {}});
  EXPECT_EQ(parents(), 0U);
  EXPECT_TRUE(here.boundary().there);
}

// What is proven under the new boundary must not be taken for an answer under the old one, or the other way round.
TEST_F(HoldingsTest, TheBoundaryThatIsTakenOverIsThatOfItsContent) {
  const repo::Repository opened = repository();
  Holdings here(opened);
  here.take_over({}, {.add = {id("HEAD")}, .remove = {}});
  EXPECT_EQ(here.boundary().content, id("HEAD").hex() + "\n");
  here.take_over({}, {.add = {}, .remove = {id("HEAD")}});
  EXPECT_EQ(here.boundary().content, "");
  EXPECT_FALSE(here.boundary().there);
}

TEST_F(HoldingsTest, CountsWhatWasTakenOverAsATip) {
  const repo::Repository opened = repository();
  Holdings here(opened);
  const object::Oid dangling = *object::Oid::from_hex(scratch.out_of("git -C r commit-tree -m 3 HEAD^{tree}"));
  EXPECT_FALSE(here.is_tip(dangling));
  here.take_over({dangling}, {});
  EXPECT_TRUE(here.is_tip(dangling));
}

}  // namespace
}  // namespace pfetch::session
