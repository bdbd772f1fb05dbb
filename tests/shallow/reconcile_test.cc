#include "shallow/reconcile.h"

#include <gtest/gtest.h>

#include <set>

#include "tests/support/fake_graph.h"

namespace pfetch::shallow {
namespace {

using object::Oid;
using test::FakeGraph;
using test::FakeReachability;
using test::ids;
using test::named;
using test::names;

// A repository and what a fetch brought into it. `here` and `came` are commits; the graph has both, cut at `own`.
struct Scene {
  std::string history;
  std::string here;
  std::string came;
  std::string own;
  std::string sender;
  std::string current_tips;
  std::vector<RefUpdate> updates;

  bool is_cheap = false;
  NewRoots new_roots = NewRoots::refuse;
  // Of the last call.
  std::size_t graph_questions = 0;
  int reachability_questions = 0;
  std::string asked_of_reachability{};

  Reconciliation reconciled() {
    FakeGraph graph(history);
    graph.cut(own);
    FakeReachability reachability(graph);
    ShallowFile file;
    file.roots = ids(own);
    const std::vector<Oid> roots = ids(sender), tips = ids(current_tips);
    graph.questions = 0;
    const Reconciliation result =
        reconcile({roots, updates, new_roots}, {file, one_of(here), one_of(came), tips, graph, reachability, is_cheap});
    graph_questions = graph.questions;
    reachability_questions = reachability.questions;
    asked_of_reachability = names(std::vector<Oid>(reachability.asked.begin(), reachability.asked.end()));
    return result;
  }

  static AskObject one_of(const std::string& list) {
    const std::vector<Oid> known = ids(list);
    return [set = std::set<Oid>(known.begin(), known.end())](const Oid& id) { return set.contains(id); };
  }
};

RefUpdate update(const std::string& name, const std::string& commit) {
  return {name, commit.empty() ? std::nullopt : std::optional(named(commit))};
}

// "+ - +": accepted, refused.
std::string verdicts(const Reconciliation& result) {
  std::string text;
  for (const Verdict verdict : result.verdicts) text += verdict == Verdict::accepted ? '+' : '-';
  return text;
}

std::string steps(const Reconciliation& result) {
  std::string text;
  for (const DroppedRoot& root : result.dropped) {
    text += (text.empty() ? "" : " ") + test::name_of(root.id) + "@" + std::to_string(root.step);
  }
  return text;
}

void expect_no_work(Scene& scene, int step) {
  for (const bool is_cheap : {false, true}) {
    for (const NewRoots policy : {NewRoots::refuse, NewRoots::add, NewRoots::clone}) {
      scene.is_cheap = is_cheap;
      scene.new_roots = policy;
      const Reconciliation result = scene.reconciled();
      EXPECT_EQ(result.decided_in_step, step);
      EXPECT_EQ(verdicts(result), std::string(scene.updates.size(), '+'));
      EXPECT_TRUE(result.edit.empty());
      EXPECT_EQ(result.commits_walked, 0u);
      EXPECT_EQ(scene.graph_questions, 0u);  // not even a lookup, so nothing is inflated
      EXPECT_EQ(scene.reachability_questions, 0);
    }
  }
}

const std::string line = "c7: c6; c6: c5; c5: c4; c4: c3; c3: c2; c2: c1; c1";

TEST(Reconcile, ALongerSenderIsDecidedInStepFourWithoutAWalk) {
  Scene scene{.history = "c7: c6; c6: c5; c5: gone",
              .here = "c6 c5",
              .came = "c7",
              .own = "c5",
              .sender = "c2 a1",
              .current_tips = "c6",
              .updates = {update("main", "c7")}};
  expect_no_work(scene, 4);
  EXPECT_EQ(steps(scene.reconciled()), "a1@4 c2@4");
}

TEST(Reconcile, AShorterSenderIsDecidedInStepFiveWithoutAWalk) {
  Scene scene{.history = line,
              .here = "c6 c5 c4 c3 c2 c1",
              .came = "c7",
              .own = "",
              .sender = "c5",
              .current_tips = "c6",
              .updates = {update("main", "c7")}};
  expect_no_work(scene, 5);
  EXPECT_EQ(steps(scene.reconciled()), "c5@5");
}

TEST(Reconcile, TheSameBoundaryIsDecidedInStepTwoWithoutAWalk) {
  Scene scene{.history = "c7: c6; c6: c5; c5: gone; b1: gone",
              .here = "c6 c5 b1",
              .came = "c7",
              .own = "b1 c5",
              .sender = "c5 b1",
              .current_tips = "c6 b1",
              .updates = {update("main", "c7")}};
  expect_no_work(scene, 2);
  EXPECT_EQ(steps(scene.reconciled()), "b1@2 c5@2");
}

TEST(Reconcile, ACompleteSenderIsDecidedAtOnce) {
  Scene scene{.history = line,
              .here = "c1",
              .came = "c2",
              .own = "",
              .sender = "",
              .current_tips = "c1",
              .updates = {update("main", "c2")}};
  expect_no_work(scene, 2);
}

// A sender whose branch `side` is cut at a commit that we do not have, and whose main is not.
Scene two_branches() {
  return {.history = "c3: c2; c2: c1; c1; s2: s1; s1: gone",
          .here = "c2 c1",
          .came = "c3 s2 s1",
          .own = "",
          .sender = "s1",
          .current_tips = "c2",
          .updates = {update("main", "c3"), update("side", "s2"), update("gone", "")}};
}

TEST(Reconcile, RefusesTheRefThatNeedsARootAndPassesTheOthers) {
  Scene scene = two_branches();
  const Reconciliation result = scene.reconciled();
  EXPECT_EQ(verdicts(result), "+-+");
  EXPECT_EQ(names(result.roots_of(0)), "");
  EXPECT_EQ(names(result.roots_of(1)), "s1");
  EXPECT_TRUE(result.edit.empty());
  EXPECT_EQ(result.decided_in_step, 8);
}

TEST(Reconcile, UpdateShallowAddsJustTheRootsThatNewRefsReach) {
  Scene scene = two_branches();
  scene.new_roots = NewRoots::add;
  scene.history += "; x1: gone";
  scene.came += " x1";
  scene.sender += " x1";
  const Reconciliation result = scene.reconciled();
  EXPECT_EQ(verdicts(result), "+++");
  EXPECT_EQ(names(result.edit.add), "s1");
  EXPECT_EQ(steps(result), "x1@6");
}

TEST(Reconcile, CloneAddsEveryRootThatThePackBroughtAndWalksNothing) {
  Scene scene = two_branches();
  scene.new_roots = NewRoots::clone;
  scene.here = scene.current_tips = "";
  scene.sender += " x1 c9";
  scene.came += " x1";
  const Reconciliation result = scene.reconciled();
  EXPECT_EQ(verdicts(result), "+++");
  EXPECT_EQ(names(result.edit.add), "s1 x1");
  EXPECT_EQ(steps(result), "c9@4");
  EXPECT_EQ(scene.graph_questions, 0u);
}

// The sender is cut at c4, which came again although we have it: a ref of ours reaches it, so nothing is cut there.
TEST(Reconcile, NeverCutsWhatCurrentRefsReach) {
  Scene scene{.history = "n1: c4; c6: c5; c5: c4; c4: c3; c3",
              .here = "c6 c5 c4 c3",
              .came = "n1 c4",
              .own = "",
              .sender = "c4",
              .current_tips = "c6",
              .updates = {update("topic", "n1")},
              .new_roots = NewRoots::add};
  for (const bool is_cheap : {false, true}) {
    scene.is_cheap = is_cheap;
    const Reconciliation result = scene.reconciled();
    EXPECT_EQ(verdicts(result), "+");
    EXPECT_TRUE(result.edit.empty());
    EXPECT_EQ(steps(result), "c4@7");
    EXPECT_EQ(result.decided_in_step, 7);
    EXPECT_EQ(result.commits_walked, is_cheap ? 0u : 1u);
  }
}

// What no current ref reaches (rewound, say) may be cut, as git does it.
TEST(Reconcile, OursThatNoCurrentRefReachesIsARootLikeTheirs) {
  Scene scene{.history = "n1: c6; c6: c5; c5: c4; c4",
              .here = "c6 c5 c4",
              .came = "n1 c6",
              .own = "",
              .sender = "c6",
              .current_tips = "c4",
              .updates = {update("topic", "n1")}};
  for (const bool is_cheap : {false, true}) {
    scene.is_cheap = is_cheap;
    scene.new_roots = NewRoots::refuse;
    EXPECT_EQ(verdicts(scene.reconciled()), "-");
    scene.new_roots = NewRoots::add;
    EXPECT_EQ(names(scene.reconciled().edit.add), "c6");
  }
}

TEST(Reconcile, StepSevenLooksOnlyAtWhatIsLeft) {
  Scene scene{.history = "n1: c6; c6: c5; c5; u1: u0; u0",
              .here = "c6 c5 u1 u0",
              .came = "n1 c6 u1",
              .own = "",
              .sender = "c6 u1",
              .current_tips = "c5",
              .updates = {update("topic", "n1")}};
  scene.reconciled();
  EXPECT_EQ(scene.asked_of_reachability, "c6");  // no ref needs u1
  scene.is_cheap = true;
  scene.reconciled();
  EXPECT_EQ(scene.asked_of_reachability, "c6 u1");
}

TEST(Reconcile, TheirsAreNotAskedOfReachability) {
  Scene scene = two_branches();
  scene.reconciled();
  EXPECT_EQ(scene.reachability_questions, 0);
}

TEST(Reconcile, BothOrdersOfStepsSixAndSevenAgree) {
  Scene scene{.history = "m: n2 t2; n2: n1; n1: c6 o3; c6: c5; c5: c4; c4; o3: o2; o2: o1; o1; t2: t1; t1: gone; f: c4",
              .here = "c6 c5 c4 o3 o2 o1",
              .came = "m n2 n1 t2 t1 o3 o2 c5 f",
              .own = "",
              .sender = "c5 o2 t1",
              .current_tips = "c6 o1",
              .updates = {update("m", "m"), update("n", "n1"), update("f", "f"), update("t", "t2")}};
  for (const bool is_cheap : {false, true}) {
    scene.is_cheap = is_cheap;
    scene.new_roots = NewRoots::refuse;
    const Reconciliation result = scene.reconciled();
    EXPECT_EQ(verdicts(result), "--+-");
    EXPECT_EQ(names(result.roots_of(0)), "o2 t1");
    EXPECT_EQ(names(result.roots_of(1)), "o2");
    EXPECT_EQ(names(result.roots_of(3)), "t1");
    scene.new_roots = NewRoots::add;
    EXPECT_EQ(names(scene.reconciled().edit.add), "o2 t1");
  }
}

TEST(EditFor, LeavesOutTheRootsOfUpdatesThatAreNotMade) {
  Scene scene{.history = "a2: a1; a1: gone; b2: b1 x; b1: gone; x: gone; c2: x",
              .here = "",
              .came = "a2 a1 b2 b1 x c2",
              .own = "",
              .sender = "a1 b1 x",
              .current_tips = "",
              .updates = {update("a", "a2"), update("b", "b2"), update("c", "c2")},
              .new_roots = NewRoots::add};
  const Reconciliation result = scene.reconciled();
  const auto without = [&](std::uint32_t refused) {
    return names(edit_for(result, [&](std::uint32_t number) { return number != refused; }).add);
  };
  EXPECT_EQ(without(0), "b1 x");
  EXPECT_EQ(without(1), "a1 x");  // x is needed by c as well
  EXPECT_EQ(without(2), "a1 b1 x");
  EXPECT_EQ(names(edit_for(result, [](std::uint32_t) { return false; }).add), "");
}

TEST(EditFor, AnUpdateThatWasRefusedStaysRefused) {
  Scene scene = two_branches();
  EXPECT_TRUE(edit_for(scene.reconciled(), [](std::uint32_t) { return true; }).empty());
}

}  // namespace
}  // namespace pfetch::shallow
