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

// The union of the bitmaps used so far. Marks of what is wanted all that is in it. Commits are asked for by their place
// in the bitmaps' files.
class Union {
 public:
  Union(const BitmapFile& bitmaps, WantedSet& wanted) : bitmaps_(bitmaps), wanted_(wanted) {
    for (const Oid& id : wanted_.open()) {
      if (const auto place = bitmaps_.find(id)) open_.push_back({ask([&] { return bitmaps_.bit_of(*place); }), id});
    }
  }

  bool has(std::uint32_t place) const {
    return bits_.contains(ask([&] { return bitmaps_.bit_of(place); }));
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
    const auto place = bitmaps_.find(commit);
    if (!place) return false;
    if (has(*place)) return true;
    const auto stored = bitmaps_.stored_of(*place);
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

struct Tip {
  const Oid* id;
  std::optional<std::uint32_t> place;
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
  ask([&] { return bitmaps_.prepare(tips.size()); });
  Union known(bitmaps_, open);

  // The youngest bitmap first: most other tips are in it.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> stored;  // the number of the bitmap, and its commit's place
  std::vector<Tip> others;
  for (const Oid& tip : tips) {
    const auto place = bitmaps_.find(tip);
    const auto number = place ? bitmaps_.stored_of(*place) : std::nullopt;
    if (number) {
      stored.emplace_back(*number, *place);
    } else {
      others.push_back({&tip, place});
    }
  }
  std::sort(stored.begin(), stored.end());
  for (std::size_t i = 0; i < stored.size() && !open.done(); ++i) {
    if (!known.has(stored[i].second)) known.add(stored[i].first);
  }
  if (open.done()) return open.answers(wanted);

  Descent descent(graph_, open);
  for (std::size_t i = 0; i < others.size() && !open.done(); ++i) {
    if (others[i].place && known.has(*others[i].place)) continue;
    const Oid target = object::peeled(objects_, *others[i].id).value_or(*others[i].id);
    if (known.covers(target)) continue;
    if (const auto position = graph_.find(target)) descent.start(*position);
  }
  descent.run([&](Position position) { return known.covers(graph_.id_at(position)); });
  return open.answers(wanted);
}

}  // namespace pfetch::graph
