// What becomes of a ref, and how it is written down: the table, the machine's lines, FETCH_HEAD.
#include "command/fetch_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "command/fetch_updates.h"

namespace pfetch::command {
namespace {

using object::Oid;
using testing::ElementsAre;

Oid id(int n) {
  Oid id;
  id.raw[0] = static_cast<std::uint8_t>(n);
  return id;
}

constexpr const char* main_branch = "refs/heads/main";
constexpr const char* tracking = "refs/remotes/origin/main";

FetchedRef ref(std::string remote, std::string local, int value, bool force = false) {
  return {std::move(remote), id(value), std::move(local), force, ForMerge::no, false};
}

RefDecision decide(const FetchedRef& fetched, int old_value, std::optional<bool> forward = true, bool force = false) {
  UpdateRules rules;
  rules.force = force;
  rules.is_fast_forward = [forward](const Oid&, const Oid&) { return forward; };
  return decide_update(fetched, old_value == 0 ? Oid() : id(old_value), rules);
}

TEST(FetchUpdates, AreFastForwardsOrForcedOrRejected) {
  EXPECT_EQ(decide(ref(main_branch, tracking, 1), 1).kind, UpdateKind::up_to_date);
  EXPECT_EQ(decide(ref(main_branch, tracking, 1), 0).reflog, "storing head");
  EXPECT_EQ(decide(ref("refs/notes/x", "refs/notes/x", 1), 0).reflog, "storing ref");
  EXPECT_EQ(decide(ref(main_branch, tracking, 2), 1).kind, UpdateKind::fast_forward);
  EXPECT_EQ(decide(ref(main_branch, tracking, 2), 1, false).note, "non-fast-forward");
  EXPECT_EQ(decide(ref(main_branch, tracking, 2, true), 1, false).kind, UpdateKind::forced);
  EXPECT_EQ(decide(ref(main_branch, tracking, 2), 1, false, true).reflog, "forced-update");
  // Where one of them is no commit nothing can be said.
  EXPECT_EQ(decide(ref(main_branch, tracking, 2), 1, std::nullopt).kind, UpdateKind::created);
}

TEST(FetchUpdates, DoNotMoveTagsUnlessForced) {
  EXPECT_EQ(decide(ref("refs/tags/v", "refs/tags/v", 2), 1).note, "would clobber existing tag");
  EXPECT_EQ(decide(ref("refs/tags/v", "refs/tags/v", 2, true), 1).kind, UpdateKind::tag_moved);
  EXPECT_EQ(decide(ref("refs/tags/v", "refs/tags/v", 2), 0).reflog, "storing tag");
}

std::vector<RefDecision> some_decisions() {
  RefDecision deleted;
  deleted.kind = UpdateKind::deleted;
  deleted.local_name = "refs/remotes/origin/gone";
  deleted.old_id = id(9);
  std::vector<RefDecision> decisions = {
      decide(ref("refs/tags/v1", "refs/tags/v1", 3), 0),
      decide(ref(main_branch, tracking, 2), 1),
      decide(ref("refs/heads/a-long-name", "refs/remotes/origin/a-long-name", 2, true), 1, false),
      decide(ref("refs/heads/same", "refs/remotes/origin/same", 1), 1),
      decide(ref("HEAD", "", 1), 0),
      deleted,
  };
  decisions[1].for_merge = ForMerge::yes;
  return decisions;
}

TableOptions table_options() {
  TableOptions options;
  options.url = "file:///src";
  options.abbreviated = [](const Oid& one) { return one.hex().substr(0, 7); };
  return options;
}

TEST(FetchTable, IsGits) {
  EXPECT_THAT(fetch_table(some_decisions(), table_options()),
              ElementsAre("From file:///src",                                 //
                          " - [deleted]         (none)      -> origin/gone",  //
                          "   0100000..0200000  main        -> origin/main",  //
                          " * [new tag]         v1          -> v1",           //
                          " + 0100000...0200000 a-long-name -> origin/a-long-name  (forced update)",
                          " * branch            HEAD        -> FETCH_HEAD"));
}

TEST(FetchTable, HasNothingToSayWhenAllIsUpToDate) {
  const std::vector<RefDecision> same = {decide(ref(main_branch, tracking, 1), 1)};
  EXPECT_TRUE(fetch_table(same, table_options()).empty());
  TableOptions verbose = table_options();
  verbose.verbose = true;
  EXPECT_THAT(fetch_table(same, verbose),
              ElementsAre("From file:///src", " = [up to date]      main       -> origin/main"));
}

TEST(FetchTable, CompactWritesAStarForWhatIsTheSame) {
  TableOptions compact = table_options();
  compact.compact = true;
  EXPECT_EQ(fetch_table({decide(ref(main_branch, tracking, 2), 1)}, compact).back(),
            "   0100000..0200000  main       -> origin/*");
}

TEST(FetchTable, ALineTooWideForTheTerminalDoesNotWidenTheOthers) {
  TableOptions narrow = table_options();
  narrow.columns = 60;
  const std::vector<std::string> lines = fetch_table(
      {decide(ref(main_branch, tracking, 2), 1),
       decide(ref("refs/heads/" + std::string(30, 'x'), "refs/remotes/origin/" + std::string(30, 'x'), 1), 0)},
      narrow);
  EXPECT_EQ(lines[1], "   0100000..0200000  main       -> origin/main");
}

TEST(FetchTable, HasLateTagsLast) {
  RefDecision tag = decide(ref("refs/tags/v1", "refs/tags/v1", 3), 0);
  tag.is_late = true;
  RefDecision tracked = decide(ref(main_branch, tracking, 2), 1);
  tracked.for_merge = ForMerge::not_recorded;
  EXPECT_THAT(fetch_table({tag, tracked}, table_options()),
              ElementsAre("From file:///src",                                //
                          "   0100000..0200000  main       -> origin/main",  //
                          " * [new tag]         v1         -> v1"));
}

TEST(FetchTable, SaysWhatWasTriedWhereARefCouldNotBeWritten) {
  RefDecision failed = decide(ref(main_branch, tracking, 2), 1);
  failed.attempted = failed.kind;
  failed.kind = UpdateKind::rejected;
  failed.note = "unable to update local ref";
  EXPECT_EQ(fetch_table({failed}, table_options()).back(),
            " ! 0100000..0200000  main       -> origin/main  (unable to update local ref)");
}

TEST(FetchTable, ForProgramsSaysFlagIdsAndName) {
  EXPECT_THAT(porcelain_lines(some_decisions(), false),
              testing::Contains("  " + id(1).hex() + " " + id(2).hex() + " " + tracking));
}

TEST(FetchHead, HasWhatIsForMergingFirst) {
  EXPECT_EQ(fetch_head_lines({decide(ref("refs/tags/v1", "refs/tags/v1", 3), 0), some_decisions()[1],
                              decide(ref("HEAD", "", 1), 0), decide(ref("refs/notes/x", "", 5), 0)},
                             "file:///src"),
            id(2).hex() + "\t\tbranch 'main' of file:///src\n" +              //
                id(3).hex() + "\tnot-for-merge\ttag 'v1' of file:///src\n" +  //
                id(1).hex() + "\tnot-for-merge\tfile:///src\n" +              //
                id(5).hex() + "\tnot-for-merge\t'refs/notes/x' of file:///src\n");
}

TEST(FetchHead, NamesTheUrlWithoutSecretsAndSuffix) {
  EXPECT_EQ(shown_url("https://me:secret@host/x.git/"), "https://host/x");
  EXPECT_EQ(shown_url("/srv/x///"), "/srv/x");
}

}  // namespace
}  // namespace pfetch::command
