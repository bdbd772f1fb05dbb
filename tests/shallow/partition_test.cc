#include "shallow/partition.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/fake_graph.h"

namespace pfetch::shallow {
namespace {

using object::Oid;
using test::ids;
using test::named;
using test::names;

ShallowFile own(std::string_view roots) {
  ShallowFile file;
  file.roots = ids(roots);
  return file;
}

AskObject one_of(std::string_view names_of_objects) {
  return [known = ids(names_of_objects)](const Oid& id) {
    return std::find(known.begin(), known.end(), id) != known.end();
  };
}

TEST(Split, CommitsThatWeHadAreOursAndTheRestIsTheirs) {
  const Candidates candidates = split(ids("c4 b2 c5 a1"), one_of("c5 c6 b2"));
  EXPECT_EQ(names(candidates.ours), "b2 c5");
  EXPECT_EQ(names(candidates.theirs), "a1 c4");
  EXPECT_TRUE(candidates.dropped.empty());
}

TEST(Split, TakesEachRootOnceHoweverOftenItIsTold) {
  const Candidates candidates = split(ids("c5 a1 c5 a1 a1"), one_of("c5"));
  EXPECT_EQ(names(candidates.ours), "c5");
  EXPECT_EQ(names(candidates.theirs), "a1");
}

TEST(DropListed, WhatOurBoundaryListsIsNoLongerInQuestion) {
  const Candidates candidates = drop_listed(split(ids("c4 c5 t1"), one_of("c4 c5")), own("c4 c9"));
  EXPECT_EQ(names(candidates.ours), "c5");
  EXPECT_EQ(names(candidates.theirs), "t1");
  ASSERT_EQ(candidates.dropped.size(), 1u);
  EXPECT_EQ(candidates.dropped[0].id, named("c4"));
  EXPECT_EQ(candidates.dropped[0].side, Side::ours);
  EXPECT_EQ(candidates.dropped[0].step, 2);
}

// A line of ours that names a commit which is not here says nothing about the sender's history.
TEST(DropListed, LeavesTheirsAlone) {
  EXPECT_EQ(names(drop_listed(split(ids("t1"), one_of("")), own("t1")).theirs), "t1");
}

}  // namespace
}  // namespace pfetch::shallow
