// Checking single paths out, from the index or from a tree.
#include <algorithm>
#include <iterator>
#include <utility>

#include "base/error.h"
#include "checkout/cache_tree.h"
#include "checkout/tree_list.h"
#include "session/peel.h"
#include "session/worktree_change.h"
#include "session/worktree_switch.h"

namespace pfetch::session {

namespace {

using checkout::FileState;
using checkout::IndexEntry;
using checkout::Standing;
using checkout::TreeSide;

class PathsCheckout {
 public:
  PathsCheckout(const SwitchContext& context, const object::Pathspec& pathspec, const PathsOptions& options)
      : context_(context), pathspec_(pathspec), options_(options), change_(context) {
    if (pathspec_.has_attributes()) prepare_attributes();
  }

  PathsOutcome run() {
    if (options_.tree) {
      choose_from_tree(tree_of(context_.objects, *options_.tree));
    } else {
      choose_from_index();
    }
    outcome_.unmatched = pathspec_.unmatched(matched_);
    if (!outcome_.unmatched.empty() || !outcome_.unmerged.empty() || !outcome_.without_side.empty())
      return std::move(outcome_);
    change_.apply(orders_, true, options_.origin);
    change_.update_index({.drop_conflicts = false, .drop_resolve_undo = false});
    change_.publish();
    outcome_.lost = change_.lost();
    return std::move(outcome_);
  }

 private:
  bool is_meant(std::string_view path, std::uint32_t mode) {
    return pathspec_.matches(path, mode == object::mode_gitlink, attribute_test_, &matched_);
  }

  // For :(attr:...). As in git, attributes are those of the worktree, whatever tree the paths come from.
  void prepare_attributes() {
    attribute_names_ = pathspec_.attribute_names();
    const auto blob_at = [this](const std::string& path) -> std::optional<object::Oid> {
      const IndexEntry* const entry = change_.index().find(path);
      const bool is_file = entry != nullptr && entry->stage == 0 && entry->mode != object::mode_symlink &&
                           entry->mode != object::mode_gitlink;
      return is_file ? std::optional(entry->id) : std::nullopt;
    };
    attributes_ = change_.tools().attributes_of_worktree(attribute_names_, blob_at);
    attribute_test_ = [this](std::string_view path, std::span<const object::PathspecAttribute> wanted) {
      const checkout::Attributes found = attributes_->query(path);
      return std::all_of(wanted.begin(), wanted.end(), [&](const object::PathspecAttribute& each) {
        const auto at = std::lower_bound(attribute_names_.begin(), attribute_names_.end(), each.name);
        const auto place = static_cast<std::size_t>(at - attribute_names_.begin());
        return has(place < found.also.size() ? found.also[place] : checkout::AttributeState(), each);
      });
    };
  }

  static bool has(const checkout::AttributeState& state, const object::PathspecAttribute& wanted) {
    using Wanted = object::PathspecAttribute::Kind;
    using State = checkout::AttributeState::Kind;
    switch (wanted.kind) {
      case Wanted::set:
        return state.is(State::set);
      case Wanted::unset:
        return state.is(State::unset);
      case Wanted::unspecified:
        return state.is(State::unspecified);
      case Wanted::value:
        return state.is_value(wanted.value);
    }
    return false;
  }

  void choose_from_index() {
    const checkout::Index& index = change_.index();
    for (std::size_t i = 0; i < index.entries.size();) {
      std::size_t end = i + 1;
      while (end < index.entries.size() && index.entries[end].path == index.entries[i].path) ++end;
      if (is_meant(index.entries[i].path, index.entries[i].mode)) {
        if (index.entries[i].stage == 0) {
          restore(i);
        } else {
          take_side(i, end);
        }
      }
      i = end;
    }
  }

  // The file of an entry becomes what the entry says.
  void restore(std::size_t place) {
    const IndexEntry& entry = change_.index().entries[place];
    if (entry.skip_worktree) return;
    const FileState state = change_.state().look_at(place);
    if (state == FileState::clean) return;
    write({entry.mode, entry.id}, entry, state);
  }

  void write(const TreeSide& target, const IndexEntry& entry, FileState state) {
    const Standing standing = state == FileState::missing ? Standing::nothing : Standing::anything;
    orders_.push_back({entry.path, target, &entry, standing, false});
    ++outcome_.updated;
  }

  // Entries [first, last) are the stages of one path in conflict. The index keeps them.
  void take_side(std::size_t first, std::size_t last) {
    const IndexEntry& any = change_.index().entries[first];
    switch (options_.conflicts) {
      case ConflictSide::refuse:
        outcome_.unmerged.emplace_back(any.path);
        return;
      case ConflictSide::skip:
        context_.reporter.warn("path '" + std::string(any.path) + "' is unmerged");
        return;
      case ConflictSide::ours:
      case ConflictSide::theirs:
        break;
    }
    const std::uint8_t stage = options_.conflicts == ConflictSide::ours ? 2 : 3;
    for (std::size_t i = first; i < last; ++i) {
      const IndexEntry& entry = change_.index().entries[i];
      if (entry.stage != stage) continue;
      orders_.push_back({entry.path, {entry.mode, entry.id}, nullptr, Standing::anything, false, true});
      ++outcome_.updated;
      return;
    }
    outcome_.without_side.emplace_back(any.path);
  }

  void choose_from_tree(const object::Oid& tree) {
    tree_paths_ =
        checkout::list_meant(context_.objects, tree, change_.tools().plan_rules(), pathspec_, attribute_test_);
    const checkout::Index& index = change_.index();
    auto entry = index.entries.begin();
    const auto pass_entries_before = [&](std::string_view path) {
      for (; entry != index.entries.end() && entry->path < path; ++entry) consider_missing_from_tree(*entry);
    };
    for (const checkout::ListedPath& wanted : tree_paths_.paths) {
      pass_entries_before(wanted.path);
      const IndexEntry* current = nullptr;
      for (; entry != index.entries.end() && entry->path == wanted.path; ++entry) {
        if (entry->stage == 0) current = &*entry;
      }
      // All of them are meant. As git does, an item is asked whether it matched about those alone: one whose paths are
      // all excluded did not.
      if (is_meant(wanted.path, wanted.side.mode)) take_from_tree(wanted, current);
    }
    for (; entry != index.entries.end(); ++entry) consider_missing_from_tree(*entry);
    drop_what_gives_way();
  }

  void take_from_tree(const checkout::ListedPath& wanted, const IndexEntry* current) {
    if (current == nullptr) {
      orders_.push_back({wanted.path, wanted.side, nullptr, Standing::anything, false});
      ++outcome_.updated;
      return;
    }
    const auto place = static_cast<std::size_t>(current - change_.index().entries.data());
    const FileState state = change_.state().look_at(place);
    const bool same = TreeSide{current->mode, current->id} == wanted.side;
    if (same && state == FileState::clean) return;
    write(wanted.side, *current, state);
  }

  // --no-overlay: what matches and is not in the tree goes away.
  void consider_missing_from_tree(const IndexEntry& entry) {
    if (options_.overlay || !is_meant(entry.path, entry.mode)) return;
    if (entry.stage != 0) {
      if (outcome_.unmerged.empty() || outcome_.unmerged.back() != entry.path)
        outcome_.unmerged.emplace_back(entry.path);
      return;
    }
    orders_.push_back({entry.path, {}, &entry, Standing::anything, false});
    ++outcome_.updated;
  }

  // An entry cannot stay where a path that comes needs a directory, or below one that becomes a file.
  void drop_what_gives_way() {
    std::vector<PathOrder> drops;
    const checkout::Index& index = change_.index();
    for (const PathOrder& order : orders_) {
      if (!order.target) continue;
      for (auto slash = order.path.find('/'); slash != std::string_view::npos;
           slash = order.path.find('/', slash + 1)) {
        if (const IndexEntry* above = index.find(order.path.substr(0, slash))) drops.push_back(dropped(*above));
      }
      const std::string below = std::string(order.path) + '/';
      for (const IndexEntry& entry : checkout::entries_below(index.entries, below)) drops.push_back(dropped(entry));
    }
    const auto by_path = [](const PathOrder& a, const PathOrder& b) { return a.path < b.path; };
    orders_.insert(orders_.begin(), drops.begin(), drops.end());  // they count before what --no-overlay says
    std::stable_sort(orders_.begin(), orders_.end(), by_path);
    const auto same_path = [](const PathOrder& a, const PathOrder& b) { return a.path == b.path; };
    orders_.erase(std::unique(orders_.begin(), orders_.end(), same_path), orders_.end());
  }
  static PathOrder dropped(const IndexEntry& entry) {
    return {entry.path, {}, entry.stage == 0 ? &entry : nullptr, Standing::nothing, false};
  }

  const SwitchContext& context_;
  const object::Pathspec& pathspec_;
  const PathsOptions& options_;
  WorktreeChange change_;
  object::PathspecMatches matched_;
  std::vector<std::string> attribute_names_;  // that the pathspec asks for, in order
  std::unique_ptr<checkout::AttributeLookup> attributes_;
  object::PathspecAttributeTest attribute_test_;
  checkout::TreeList tree_paths_;  // what is meant of it
  std::vector<PathOrder> orders_;
  PathsOutcome outcome_;
};

}  // namespace

PathsOutcome checkout_paths(const SwitchContext& context, const object::Pathspec& pathspec,
                            const PathsOptions& options) {
  return PathsCheckout(context, pathspec, options).run();
}

}  // namespace pfetch::session
