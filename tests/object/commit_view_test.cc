#include "object/commit_view.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "base/error.h"
#include "tests/support/error_message.h"

namespace pfetch::object {
namespace {

const std::string tree_hex(40, 'a');
const std::string parent_hex(40, 'b');

std::string commit(const std::string& headers) {
  return "tree " + tree_hex + "\n" + headers;
}

std::string message_of(const std::string& bytes) {
  return test::error_message([&] { const CommitView view(Oid{}, base::as_bytes(bytes)); }, ErrorCode::corrupt);
}

std::int64_t date_of(const std::string& committer) {
  const std::string bytes = commit("author A <a> 1 +0000\ncommitter " + committer + "\n\nm");
  return CommitView(Oid{}, base::as_bytes(bytes)).committer_date();
}

TEST(CommitView, ReadsTreeParentsPeopleAndMessage) {
  const std::string bytes = commit("parent " + parent_hex + "\nparent " + tree_hex +
                                   "\nauthor A U Thor <a@x> 100 +0200\ncommitter C O <c@x> 200 -0100\n"
                                   "gpgsig one\n two\n\nsubject\n\nbody\n");
  const CommitView view(Oid{}, base::as_bytes(bytes));
  EXPECT_EQ(view.tree_id().hex(), tree_hex);
  std::vector<std::string> parents;
  for (const Oid parent : view.parents()) parents.push_back(parent.hex());
  EXPECT_EQ(parents, (std::vector<std::string>{parent_hex, tree_hex}));
  EXPECT_EQ(view.author(), "A U Thor <a@x> 100 +0200");
  EXPECT_EQ(view.committer(), "C O <c@x> 200 -0100");
  EXPECT_EQ(view.committer_date(), 200);
  EXPECT_EQ(view.message(), "subject\n\nbody\n");
}

TEST(CommitView, ARootHasNoParents) {
  const std::string bytes = commit("author A <a> 1 +0000\ncommitter A <a> 1 +0000\n\n");
  const CommitView view(Oid{}, base::as_bytes(bytes));
  EXPECT_EQ(view.parent_count(), 0U);
  EXPECT_EQ(view.message(), "");
}

TEST(CommitView, NamesWhatIsMalformed) {
  const std::string name = "commit 0000000000000000000000000000000000000000: ";
  EXPECT_EQ(message_of(""), name + "it does not begin with a valid tree line");
  EXPECT_EQ(message_of("tree " + tree_hex), name + "it does not begin with a valid tree line");
  EXPECT_EQ(message_of("tree " + tree_hex.substr(1) + "g\n"), name + "it does not begin with a valid tree line");
  EXPECT_EQ(message_of(commit("parent " + parent_hex)), name + "it has a bad parent line");
  EXPECT_EQ(message_of(commit("parent " + parent_hex.substr(1) + "\nauthor")), name + "it has a bad parent line");
  EXPECT_EQ(message_of(commit("parent " + parent_hex + " \n")), name + "it has a bad parent line");
}

TEST(CommitView, ToleratesMissingPeople) {
  const std::string bytes = commit("");
  const CommitView view(Oid{}, base::as_bytes(bytes));
  EXPECT_EQ(view.author(), "");
  EXPECT_EQ(view.committer(), "");
  EXPECT_EQ(view.committer_date(), 0);
  EXPECT_EQ(view.message(), "");
}

TEST(CommitView, ToleratesBadDatesAndZones) {
  EXPECT_EQ(date_of("A <a> 1700000000 +0000"), 1700000000);
  EXPECT_EQ(date_of("A <a> 1700000000"), 1700000000);
  EXPECT_EQ(date_of("A <a> 1700000000 +99999999999"), 1700000000);
  EXPECT_EQ(date_of("A <a>b> 17 +0000"), 17) << "the date follows the last '>'";
  EXPECT_EQ(date_of("A <a>17"), 17);
  EXPECT_EQ(date_of("A <a> yesterday"), 0);
  EXPECT_EQ(date_of("A <a> -5 +0000"), 0);
  EXPECT_EQ(date_of("A a 17 +0000"), 0);
  EXPECT_EQ(date_of("A <a> 9223372036854775807 +0000"), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(date_of("A <a> 99999999999999999999999 +0000"), std::numeric_limits<std::int64_t>::max());
}

}  // namespace
}  // namespace pfetch::object
