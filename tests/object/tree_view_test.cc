#include "object/tree_view.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/error.h"
#include "tests/support/error_message.h"

namespace pfetch::object {
namespace {

using namespace std::string_literals;

std::string entry(const std::string& mode, const std::string& name, char fill) {
  return mode + " " + name + "\0"s + std::string(Oid::raw_size, fill);
}

std::string message_of(const std::string& bytes) {
  const TreeView tree(Oid{}, base::as_bytes(bytes));
  return test::error_message(
      [&] {
        for (const TreeEntry& each : tree) (void)each;
      },
      ErrorCode::corrupt);
}

TEST(TreeView, GivesEntriesAsStored) {
  const std::string bytes =
      entry("100644", "a", 1) + entry("040000", "dir", 2) + entry("120000", "l", 3) + entry("160000", "sub", 4);
  std::vector<TreeEntry> entries;
  const TreeView tree(Oid{}, base::as_bytes(bytes));
  for (const TreeEntry& each : tree) entries.push_back(each);
  ASSERT_EQ(entries.size(), 4U);
  EXPECT_EQ(entries[0].mode, 0100644U);
  EXPECT_EQ(entries[0].name, "a");
  EXPECT_EQ(entries[0].id().raw[19], 1);
  EXPECT_TRUE(entries[1].is_tree());
  EXPECT_EQ(entries[1].mode, 040000U);
  EXPECT_EQ(entries[1].name, "dir");
  EXPECT_EQ(entries[1].kind(), Kind::tree);
  EXPECT_TRUE(entries[2].is_symlink());
  EXPECT_EQ(entries[2].kind(), Kind::blob);
  EXPECT_TRUE(entries[3].is_gitlink());
  EXPECT_EQ(entries[3].kind(), Kind::commit);
  EXPECT_EQ(entries[3].id().raw[0], 4);
}

TEST(TreeView, AnEmptyTreeHasNoEntries) {
  const TreeView tree(Oid{}, {});
  EXPECT_TRUE(tree.empty());
  EXPECT_TRUE(tree.begin() == tree.end());
}

TEST(TreeView, NamesMayHoldAnyByteButNul) {
  const std::string bytes = entry("100755", "\n \xff/ x", 9);
  const TreeView tree(Oid{}, base::as_bytes(bytes));
  EXPECT_EQ(tree.begin()->name, "\n \xff/ x");
  EXPECT_TRUE(tree.begin()->is_executable());
}

TEST(TreeView, RefusesWhatIsMalformedNamingTreeAndByte) {
  const std::string good = entry("100644", "a", 1);
  const std::string where =
      "tree 0000000000000000000000000000000000000000: entry at byte " + std::to_string(good.size());
  EXPECT_EQ(message_of(good + entry("10064x", "b", 1)), where + " is malformed: its mode is not an octal number");
  EXPECT_EQ(message_of(good + entry("100648", "b", 1)), where + " is malformed: its mode is not an octal number");
  EXPECT_EQ(message_of(good + entry("7777777", "b", 1)), where + " is malformed: its mode is too large");
  EXPECT_EQ(message_of(good + entry("", "b", 1)), where + " is malformed: it has no mode");
  EXPECT_EQ(message_of(good + "100644"), where + " is malformed: it is cut short in its mode");
  EXPECT_EQ(message_of(good + "100644 name"), where + " is malformed: its name does not end");
  EXPECT_EQ(message_of(good + "100644 "), where + " is malformed: its name does not end");
  EXPECT_EQ(message_of(good + entry("100644", "", 1)), where + " is malformed: its name is empty");
  EXPECT_EQ(message_of(good + good.substr(0, good.size() - 1)), where + " is malformed: its object id is cut short");
}

TEST(TreeView, EveryPrefixOfATreeIsReadOrRefused) {
  const std::string bytes = entry("100644", "first", 1) + entry("40000", "second", 0) + entry("100755", "third", 2);
  int whole = 0;
  for (std::size_t size = 0; size <= bytes.size(); ++size) {
    if (message_of(bytes.substr(0, size)) == "accepted") ++whole;
  }
  EXPECT_EQ(whole, 4);
}

TEST(CanonicalMode, IsOneOfFive) {
  EXPECT_EQ(canonical_mode(0100664), 0100644U);
  EXPECT_EQ(canonical_mode(0100600), 0100644U);
  EXPECT_EQ(canonical_mode(0100711), 0100755U);
  EXPECT_EQ(canonical_mode(0100677), 0100644U | 0U) << "the owner bit alone decides";
  EXPECT_EQ(canonical_mode(0120777), 0120000U);
  EXPECT_EQ(canonical_mode(0040755), 0040000U);
  EXPECT_EQ(canonical_mode(0160000), 0160000U);
  EXPECT_EQ(canonical_mode(0), 0160000U);
}

TEST(CompareTreeNames, ATreeSortsAsIfItEndedInASlash) {
  EXPECT_LT(compare_tree_names("a.c", false, "a", true), 0);
  EXPECT_GT(compare_tree_names("a0", false, "a", true), 0);
  EXPECT_LT(compare_tree_names("a", false, "a", true), 0);
  EXPECT_EQ(compare_tree_names("a", false, "a", false), 0);
  EXPECT_LT(compare_tree_names("a", false, "a.c", false), 0);
  EXPECT_GT(compare_tree_names("\xff", false, "a", false), 0);
}

}  // namespace
}  // namespace pfetch::object
