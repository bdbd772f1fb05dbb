#include "graph/bitmap_reachability.h"

#include <algorithm>
#include <optional>

#include "base/error.h"
#include "graph/descent.h"
#include "graph/walk_reachability.h"
#include "object/peel.h"

namespace pfetch::graph {

namespace {

// Carries what was wrong with the bitmaps past what may be wrong with the repository.
struct BitmapsDamaged {
  std::string why;
};

template <typename Question>
auto ask(Question&& question) {
  try {
    return question();
  } catch (const Error& error) {
    throw BitmapsDamaged{error.message()};
  }
}

// The union of the bitmaps used so far. Marks of what is wanted all that is in it.
class Union {
 public:
  Union(const BitmapFile& bitmaps, WantedSet& wanted) : bitmaps_(bitmaps), wanted_(wanted) {
    for (const Oid& id : wanted_.open()) {
      if (const auto bit = ask([&] { return bitmaps_.position(id); })) open_.push_back({*bit, id});
    }
  }

  bool has(const Oid& commit) const {
    const auto bit = ask([&] { return bitmaps_.position(commit); });
    return bit && bits_.contains(*bit);
  }

  void add(std::uint32_t stored) {
    bits_ |= ask([&] { return bitmaps_.reachable(stored, BitmapFile::Of::commits); });
    std::erase_if(open_, [this](const Open& open) {
      if (!bits_.contains(open.bit)) return false;
      wanted_.mark_reached(open.id);
      return true;
    });
  }

  // Whether the commit is in; its bitmap is added if it has one.
  bool covers(const Oid& commit) {
    if (has(commit)) return true;
    const auto stored = ask([&] { return bitmaps_.find_stored(commit); });
    if (stored) add(*stored);
    return stored.has_value();
  }

 private:
  struct Open {
    std::uint32_t bit;
    Oid id;
  };
  const BitmapFile& bitmaps_;
  WantedSet& wanted_;
  std::vector<Open> open_;  // those of wanted_ that have a bit
  Roaring bits_;
};

}  // namespace

std::vector<bool> BitmapReachability::reached(std::span<const object::Oid> tips, std::span<const object::Oid> wanted) {
  if (!damaged_) {
    try {
      return by_bitmaps(tips, wanted);
    } catch (const BitmapsDamaged& damage) {
      damaged_ = true;
      warnings_.push_back("bitmaps are not used any more: " + damage.why);
    }
  }
  return WalkReachability(graph_, objects_).reached(tips, wanted);
}

std::vector<bool> BitmapReachability::by_bitmaps(std::span<const object::Oid> tips,
                                                 std::span<const object::Oid> wanted) {
  WantedSet open(tips, wanted);
  if (open.done()) return open.answers(wanted);
  Union known(bitmaps_, open);

  // The youngest bitmap first: most other tips are in it.
  std::vector<std::pair<std::uint32_t, const Oid*>> stored;
  std::vector<const Oid*> others;
  for (const Oid& tip : tips) {
    if (const auto number = ask([&] { return bitmaps_.find_stored(tip); })) {
      stored.emplace_back(*number, &tip);
    } else {
      others.push_back(&tip);
    }
  }
  std::sort(stored.begin(), stored.end());
  for (std::size_t i = 0; i < stored.size() && !open.done(); ++i) {
    if (!known.has(*stored[i].second)) known.add(stored[i].first);
  }
  if (open.done()) return open.answers(wanted);

  Descent descent(graph_, open);
  for (std::size_t i = 0; i < others.size() && !open.done(); ++i) {
    if (known.has(*others[i])) continue;
    const Oid target = object::peeled(objects_, *others[i]).value_or(*others[i]);
    if (known.covers(target)) continue;
    if (const auto position = graph_.find(target)) descent.start(*position);
  }
  descent.run([&](Position position) { return known.covers(graph_.id_at(position)); });
  return open.answers(wanted);
}

}  // namespace pfetch::graph
