#include "shallow/trim.h"

#include <gtest/gtest.h>

#include "tests/support/fake_graph.h"

namespace pfetch::shallow {
namespace {

using object::Oid;
using test::ids;
using test::named;
using test::names;

Candidates both() {
  Candidates candidates;
  candidates.ours = ids("o1 o2");
  candidates.theirs = ids("t1 t2");
  return candidates;
}

AskObject only(std::string_view name) {
  return [id = named(name)](const Oid& asked) { return asked == id; };
}

TEST(DropAbsent, DropsOfTheirsWhatThePackDidNotBring) {
  const Candidates candidates = drop_absent(both(), only("t2"));
  EXPECT_EQ(names(candidates.theirs), "t2");
  EXPECT_EQ(names(candidates.ours), "o1 o2");
  ASSERT_EQ(candidates.dropped.size(), 1u);
  EXPECT_EQ(candidates.dropped[0].id, named("t1"));
  EXPECT_EQ(candidates.dropped[0].side, Side::theirs);
  EXPECT_EQ(candidates.dropped[0].step, 4);
}

TEST(DropNotSent, DropsOfOursWhatIsNotAmongTheIdsThatCame) {
  const Candidates candidates = drop_not_sent(both(), only("o1"));
  EXPECT_EQ(names(candidates.ours), "o1");
  EXPECT_EQ(names(candidates.theirs), "t1 t2");
  ASSERT_EQ(candidates.dropped.size(), 1u);
  EXPECT_EQ(candidates.dropped[0].id, named("o2"));
  EXPECT_EQ(candidates.dropped[0].side, Side::ours);
  EXPECT_EQ(candidates.dropped[0].step, 5);
}

}  // namespace
}  // namespace pfetch::shallow
