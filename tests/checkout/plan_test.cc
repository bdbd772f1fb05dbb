#include "checkout/plan.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "tests/support/pack_builder.h"

namespace pfetch::checkout {
namespace {

using test::tree_entry;

const object::Oid some_id = test::object_id(object::Kind::blob, "some");

base::SharedBytes bytes(const std::string& text) {
  return base::SharedBytes::copy_of(base::as_bytes(text));
}

std::string refusal(const std::string& tree, ErrorCode code) {
  Plan plan({});
  try {
    plan.grow(plan.top(), some_id, bytes(tree));
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code) << error.message();
    return error.message();
  }
  return "";
}

TEST(Plan, SortsEntriesByWhatTheyNeed) {
  Plan plan({});
  const auto growth =
      plan.grow(plan.top(), some_id,
                bytes(tree_entry("100644", ".gitattributes", some_id) + tree_entry("100664", "file", some_id) +
                      tree_entry("120000", "link", some_id) + tree_entry("160000", "module", some_id) +
                      tree_entry("100755", "runs", some_id) + tree_entry("40000", "sub", some_id)));
  ASSERT_EQ(growth.files.size(), 4U);
  EXPECT_EQ(growth.files[1]->mode, object::mode_file);  // 0100664 is canonical 0100644
  EXPECT_EQ(growth.files[2]->mode, object::mode_symlink);
  EXPECT_EQ(growth.files[3]->mode, object::mode_executable);
  EXPECT_EQ(growth.attribute_file, growth.files[0]);
  ASSERT_EQ(growth.submodules.size(), 1U);
  EXPECT_EQ(growth.submodules[0]->name, "module");
  ASSERT_EQ(growth.directories.size(), 1U);
  EXPECT_EQ(growth.directories[0]->tree_id, some_id);
  EXPECT_EQ(plan.files().size(), 5U);
  EXPECT_EQ(plan.top().items.size(), 6U);
  EXPECT_TRUE(plan.in_index_order());

  const auto below = plan.grow(*growth.directories[0], some_id, bytes(tree_entry("100644", "deep", some_id)));
  EXPECT_EQ(path_of(*below.files[0]), "sub/deep");
  EXPECT_EQ(below.files[0]->id(), some_id);
  EXPECT_EQ(path_of(*growth.files[1]), "file");
}

TEST(Plan, RefusesMorePathsThanItMayHave) {
  const std::string tree = tree_entry("40000", "a", some_id) + tree_entry("100644", "b", some_id);
  Plan plan({.path_rules = {}, .paths_max = 4});
  const auto growth = plan.grow(plan.top(), some_id, bytes(tree));
  const auto below = plan.grow(*growth.directories[0], some_id, bytes(tree));
  try {
    plan.grow(*below.directories[0], some_id, bytes(tree));
    FAIL() << "a fifth path was taken";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::refused);
    EXPECT_TRUE(error.message().starts_with("the tree has more than 4 paths, 'a/a/a' among them")) << error.message();
  }
  Plan unbounded({.path_rules = {}, .paths_max = 0});
  EXPECT_EQ(unbounded.grow(unbounded.top(), some_id, bytes(tree)).files.size(), 1U);
}

TEST(Plan, DoesNotTakeASymlinkForAnAttributeFile) {
  Plan plan({});
  for (const char* mode : {"40000", "160000"}) {
    EXPECT_EQ(plan.grow(plan.top(), some_id, bytes(tree_entry(mode, ".gitattributes", some_id))).attribute_file,
              nullptr)
        << mode;
  }
}

TEST(Plan, SeesThatATreeIsNotInTheIndexsOrder) {
  const auto in_order = [](const std::string& tree) {
    Plan plan({});
    plan.grow(plan.top(), some_id, bytes(tree));
    return plan.in_index_order();
  };
  EXPECT_TRUE(in_order(tree_entry("100644", "a", some_id) + tree_entry("100644", "b", some_id)));
  EXPECT_FALSE(in_order(tree_entry("100644", "b", some_id) + tree_entry("100644", "a", some_id)));
  EXPECT_FALSE(in_order(tree_entry("100644", "a", some_id) + tree_entry("100644", "a", some_id)));
  EXPECT_FALSE(in_order(tree_entry("100644", "a/b", some_id)));
  // A directory sorts as if its name ended in a slash.
  EXPECT_TRUE(in_order(tree_entry("100644", "a-b", some_id) + tree_entry("40000", "a", some_id) +
                       tree_entry("100644", "a0", some_id)));
  EXPECT_FALSE(in_order(tree_entry("40000", "a", some_id) + tree_entry("100644", "a-b", some_id)));
}

TEST(Plan, RefusesNamesWithTheirPathAndReason) {
  EXPECT_NE(refusal(tree_entry("40000", ".git", some_id), ErrorCode::refused).find("'.git'"), std::string::npos);
  EXPECT_NE(refusal(tree_entry("100644", "..", some_id), ErrorCode::refused), "");
  EXPECT_NE(refusal(tree_entry("120000", ".gitmodules", some_id), ErrorCode::refused), "");
  EXPECT_NE(refusal(tree_entry("100644", "a/../b", some_id), ErrorCode::refused), "");
  EXPECT_NE(refusal(tree_entry("100644", std::string(5000, 'n'), some_id), ErrorCode::refused), "");
  EXPECT_EQ(refusal(tree_entry("100644", "a/b", some_id), ErrorCode::refused), "");  // git writes it as a path
}

TEST(Plan, RefusesAPathThatIsTooLongAltogether) {
  Plan plan({});
  Directory* directory = &plan.top();
  const std::string name(200, 'n');
  int depth = 0;
  try {
    for (; depth < 100; ++depth) {
      directory = plan.grow(*directory, some_id, bytes(tree_entry("40000", name, some_id))).directories[0];
    }
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::refused);
    EXPECT_EQ(depth, 20);  // 20 names with their slashes are 4,020 bytes, one more is too long
  }
}

TEST(Plan, RefusesABrokenTree) {
  EXPECT_NE(refusal("100644 name", ErrorCode::corrupt), "");
  const std::string cut = tree_entry("100644", "name", some_id);
  EXPECT_NE(refusal(cut.substr(0, cut.size() - 1), ErrorCode::corrupt), "");
}

}  // namespace
}  // namespace pfetch::checkout
