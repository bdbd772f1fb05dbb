// Files with filters, from an arriving commit to the worktree and its index.
#include <gtest/gtest.h>

#include "base/error.h"
#include "checkout/engine.h"
#include "tests/checkout/checkout_world.h"

namespace pfetch::checkout {
namespace {

using object::Kind;
using test::Delivery;
using test::tree_entry;
using test::WorldObject;

// `a.up`, `b.up` (executable) and `plain`; *.up has filter "x".
struct Commit {
  explicit Commit(const std::string& rules = "*.up filter=x\n") {
    const WorldObject attributes{Kind::blob, rules}, a{Kind::blob, "one\n"}, b{Kind::blob, "two\n"};
    const WorldObject plain{Kind::blob, "plain\n"};
    const WorldObject tree{Kind::tree, tree_entry("100644", ".gitattributes", attributes.id()) +
                                           tree_entry("100644", "a.up", a.id()) + tree_entry("100755", "b.up", b.id()) +
                                           tree_entry("100644", "plain", plain.id())};
    commit = {Kind::commit, test::commit_text(tree.id())};
    objects = {commit, tree, attributes, a, b, plain};
  }
  WorldObject commit;
  std::vector<WorldObject> objects;
};

// Brings the commit in and runs its filters.
struct Checkout {
  Checkout(const Commit& commit, const FilterDriver& driver, unsigned jobs = 1)
      : delivery(commit.commit.id(), options(driver, jobs)) {
    for (const WorldObject& object : commit.objects) delivery.deliver(object);
    delivery.engine().finish_files();
    before = delivery.files();
    failures = delivery.engine().run_filters({delivery.work_tree(), {}}, {});
    delivery.engine().finish();
    after = delivery.files();
  }
  static EngineOptions options(const FilterDriver& driver, unsigned jobs) {
    EngineOptions options;
    options.delivery.drivers = {{"x", driver}};
    options.delivery.filter_jobs = jobs;
    return options;
  }
  Delivery delivery;
  std::map<std::string, std::string> before, after;
  std::vector<FilterFailure> failures;
};

TEST(EngineFilters, HoldBackOnlyTheFilesThatHaveOne) {
  Checkout checkout(Commit(), {"tr a-z A-Z", {}, false});
  EXPECT_EQ(checkout.before.count("a.up"), 0U);
  EXPECT_EQ(checkout.before.count("plain"), 1U);
  EXPECT_EQ(checkout.after["a.up"], "file ONE\n");
  EXPECT_EQ(checkout.after["b.up"], "exec TWO\n");
  EXPECT_TRUE(checkout.failures.empty());
  EXPECT_EQ(checkout.delivery.counters().files_to_filter.load(), 2U);
  EXPECT_EQ(checkout.delivery.counters().files_filtered.load(), 2U);
  EXPECT_EQ(checkout.delivery.counters().files_written.load(), 4U);
}

TEST(EngineFilters, RunAsManyAsTheyMay) {
  Checkout checkout(Commit(), {"tr a-z A-Z", {}, false}, 8);
  EXPECT_EQ(checkout.after["a.up"], "file ONE\n");
  EXPECT_EQ(checkout.after["b.up"], "exec TWO\n");
}

TEST(EngineFilters, GetWhatTheOtherConversionsMade) {
  Checkout checkout(Commit("*.up filter=x eol=crlf working-tree-encoding=UTF-16LE\n"), {"od -An -tx1", {}, false});
  EXPECT_EQ(checkout.after["a.up"], "file  6f 00 6e 00 65 00 0d 00 0a 00\n");
}

TEST(EngineFilters, LeaveAFileAsItIsStoredWhenTheyFail) {
  Checkout checkout(Commit("*.up filter=x eol=crlf\n"), {"echo half of it; exit 3", {}, false});
  EXPECT_EQ(checkout.after["a.up"], "file one\r\n");
  EXPECT_EQ(checkout.after["b.up"], "exec two\r\n");
  ASSERT_EQ(checkout.failures.size(), 2U);
  EXPECT_EQ(checkout.failures[0].path, "a.up");
  EXPECT_EQ(checkout.failures[0].reason, "external filter 'echo half of it; exit 3' failed 3");
  EXPECT_FALSE(checkout.failures[0].required);
}

TEST(EngineFilters, LeaveNoFileWhenTheyFailAndAreRequired) {
  Checkout checkout(Commit(), {"case %f in b*) echo half; exit 1;; esac; cat", {}, true});
  EXPECT_EQ(checkout.after["a.up"], "file one\n");
  EXPECT_EQ(checkout.after.count("b.up"), 0U);
  ASSERT_EQ(checkout.failures.size(), 1U);
  EXPECT_EQ(checkout.failures[0].path, "b.up");
  EXPECT_EQ(checkout.failures[0].filter, "x");
  EXPECT_TRUE(checkout.failures[0].required);
}

TEST(EngineFilters, AreMissedOnlyWhenTheyAreRequired) {
  Checkout required(Commit(), {{}, {}, true, "cat"});
  ASSERT_EQ(required.failures.size(), 2U);
  EXPECT_EQ(required.failures[0].reason, "filter.x.smudge is not set");
  EXPECT_EQ(required.after.count("a.up"), 0U);
  Checkout idle(Commit(), {{}, {}, false});
  EXPECT_TRUE(idle.failures.empty());
  EXPECT_EQ(idle.before["a.up"], "file one\n");
}

TEST(EngineFilters, OfAProcessThatCannotStartLeaveFilesAsTheyAreStored) {
  Checkout checkout(Commit(), {{}, "exit 1", false});
  EXPECT_EQ(checkout.after["a.up"], "file one\n");
  EXPECT_EQ(checkout.failures.size(), 2U);
}

TEST(EngineFilters, MayApplyToTheAttributeFileItself) {
  Checkout checkout(Commit("* filter=x\n"), {"tr a-z A-Z", {}, false});
  EXPECT_EQ(checkout.after[".gitattributes"], "file * FILTER=X\n");
  EXPECT_EQ(checkout.after["plain"], "file PLAIN\n");
}

TEST(EngineFilters, SeeStatDataOfTheirOwnOutput) {
  Checkout checkout(Commit(), {"cat; echo more", {}, false});
  const std::string index = checkout.delivery.outside("index");
  checkout.delivery.write_index(index);
  struct stat info {};
  ASSERT_EQ(::stat((checkout.delivery.work_tree() + "/a.up").c_str(), &info), 0);
  ASSERT_EQ(info.st_size, 9);
  const std::string entries = base::read_file(index);
  const std::size_t name = entries.find("a.up");
  ASSERT_NE(name, std::string::npos);
  EXPECT_EQ(base::load_be32(entries.data() + name - 26), 9U);  // the size stands before id and flags
}

TEST(EngineEncodings, AreNamedWhenTheyFail) {
  Checkout checkout(Commit("a.up working-tree-encoding=UTF-16BE\nplain working-tree-encoding=none\n"), {});
  EXPECT_EQ(checkout.after["a.up"], std::string("file \0o\0n\0e\0\n", 13));
  EXPECT_EQ(checkout.after["plain"], "file plain\n");
  EXPECT_EQ(checkout.delivery.engine().encoding_errors(),
            std::vector<std::string>{"failed to encode 'plain' from UTF-8 to none"});
}

}  // namespace
}  // namespace pfetch::checkout
