#include "graph/ref_sets.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

#include "tests/graph/random_history.h"

namespace pfetch::graph {
namespace {

std::set<std::uint32_t> members_of(const Roaring& set) {
  return {set.begin(), set.end()};
}

TEST(RefSets, UnitesLikePlainSetsAndLosesNoMemory) {
  for (unsigned seed = 0; seed < seed_count(50); ++seed) {
    SCOPED_TRACE("PFETCH_SEEDS: seed " + std::to_string(seed));
    std::mt19937 random(seed);
    RefSets sets;
    std::vector<std::pair<RefSets::Handle, std::set<std::uint32_t>>> held{{RefSets::empty, {}}};
    for (int step = 0; step < 300; ++step) {
      const std::size_t at = random() % held.size();
      if (random() % 3 == 0) {
        const std::uint32_t member = random() % 12;
        held.push_back({RefSets::single(member), {member}});
      } else if (random() % 3 == 0) {
        held.push_back({sets.share(held[at].first), held[at].second});
      } else {
        const auto given = held[random() % held.size()];
        std::set<std::uint32_t> both = held[at].second;
        both.insert(given.second.begin(), given.second.end());
        held[at] = {sets.unite(held[at].first, sets.share(given.first)), both};
      }
    }
    for (const auto& [set, members] : held) EXPECT_EQ(members_of(sets.take(set)), members);
    EXPECT_EQ(sets.live(), 0U);
  }
}

TEST(RefSets, TakesMemoryForTwoMembersAndMore) {
  RefSets sets;
  const auto two = sets.unite(RefSets::single(1), RefSets::single(70000));
  EXPECT_EQ(sets.live(), 1U);
  const auto same = sets.unite(sets.share(two), RefSets::single(1));
  EXPECT_EQ(same, two) << "what holds the other is kept";
  const auto three = sets.unite(sets.share(two), RefSets::single(2));
  EXPECT_NE(three, two) << "what others hold is not changed";
  EXPECT_EQ(sets.unite(sets.share(two), sets.share(three)), three);
  EXPECT_EQ(sets.live(), 2U);
}

}  // namespace
}  // namespace pfetch::graph
