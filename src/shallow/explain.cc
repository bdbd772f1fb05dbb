#include "shallow/explain.h"

#include <fmt/format.h>

#include <algorithm>

#include "shallow/deepen_cure.h"

namespace pfetch::shallow {

using object::Oid;

namespace {

constexpr std::size_t roots_named_max = 16;

std::string counted(std::uint64_t count, std::string_view one) {
  return fmt::format("{} {}{}", count, one, count == 1 ? "" : "s");
}

std::string_view side_name(Side side) {
  return side == Side::ours ? "ours" : "theirs";
}

std::string_view why_dropped(const RootStory& root) {
  switch (root.dropped_in_step) {
    case 2:
      return "our boundary lists it already";
    case 4:
      return "the pack did not bring it";
    case 5:
      return "we had it, and the pack did not bring it again";
    case 6:
      return "no ref needs it";
    default:
      return "our refs reach it, and our history is not cut";
  }
}

std::vector<RootStory> root_stories(const Reconciliation& reconciliation) {
  std::vector<RootStory> stories;
  for (const DroppedRoot& root : reconciliation.dropped) stories.push_back({root.id, root.side, root.step, false, 0});
  const std::vector<Oid> added = object::sorted_unique(reconciliation.edit.add);
  for (const NeededRoot& root : reconciliation.needed) {
    const bool is_added = std::binary_search(added.begin(), added.end(), root.id);
    stories.push_back({root.id, root.side, 0, is_added, root.refs.cardinality()});
  }
  return stories;
}

// For each needed root; not worked out where no ref is refused.
std::vector<std::optional<int>> levels_of_roots(const Reconciliation& reconciliation, const ReconcileContext& context) {
  std::vector<std::optional<int>> levels(reconciliation.needed.size());
  if (reconciliation.new_roots != NewRoots::refuse) return levels;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    levels[i] =
        levels_to_deepen(context.graph, context.reachability, context.current_tips, reconciliation.needed[i].id);
  }
  return levels;
}

RefStory ref_story(const Reconciliation& reconciliation, std::uint32_t number, const std::string& name,
                   std::span<const std::optional<int>> levels) {
  RefStory story{name, reconciliation.verdicts[number], {}, 0, 0};
  for (std::size_t i = 0; i < reconciliation.needed.size(); ++i) {
    const NeededRoot& root = reconciliation.needed[i];
    if (!root.refs.contains(number)) continue;
    ++story.root_count;
    if (story.roots.size() < roots_named_max) story.roots.push_back(root.id);
    const bool is_known = story.deepen_by && levels[i];
    story.deepen_by = is_known ? std::optional(std::max(*story.deepen_by, *levels[i])) : std::nullopt;
  }
  if (story.verdict == Verdict::accepted) story.deepen_by.reset();
  return story;
}

std::string needs(const RefStory& ref) {
  if (ref.root_count == 0) return "needs no root";
  std::string text = "needs ";
  for (std::size_t i = 0; i < ref.roots.size(); ++i) text += (i == 0 ? "" : ", ") + ref.roots[i].hex();
  if (ref.root_count > ref.roots.size()) text += fmt::format(" and {} more", ref.root_count - ref.roots.size());
  return text;
}

}  // namespace

Explanation explain(const Reconciliation& reconciliation, std::span<const RefUpdate> updates,
                    const ReconcileContext& context) {
  Explanation explanation;
  explanation.roots = root_stories(reconciliation);
  explanation.decided_in_step = reconciliation.decided_in_step;
  explanation.commits_walked = reconciliation.commits_walked;
  const auto levels = levels_of_roots(reconciliation, context);
  for (std::uint32_t number = 0; number < updates.size(); ++number) {
    explanation.refs.push_back(ref_story(reconciliation, number, updates[number].name, levels));
  }
  return explanation;
}

std::string root_outcome(const RootStory& root) {
  if (root.dropped_in_step != 0) return fmt::format("dropped in step {}: {}", root.dropped_in_step, why_dropped(root));
  if (root.refs_needing == 0) return "added: the pack brought it";
  return fmt::format("{}: {} need{} it", root.added ? "added" : "not added", counted(root.refs_needing, "ref"),
                     root.refs_needing == 1 ? "s" : "");
}

std::string cure(const RefStory& ref) {
  if (ref.verdict == Verdict::accepted) return "";
  std::string text = "run with --update-shallow, or deepen the other side";
  if (ref.deepen_by) text += fmt::format(" by {}", *ref.deepen_by);
  return text;
}

std::vector<std::string> explanation_lines(const Explanation& explanation) {
  std::vector<std::string> lines;
  lines.push_back(fmt::format("the other side has {}; decided in step {}, {} walked",
                              counted(explanation.roots.size(), "root"), explanation.decided_in_step,
                              counted(explanation.commits_walked, "commit")));
  for (const RootStory& root : explanation.roots) {
    lines.push_back(fmt::format("root {} ({}): {}", root.id.hex(), side_name(root.side), root_outcome(root)));
  }
  for (const RefStory& ref : explanation.refs) {
    const bool is_accepted = ref.verdict == Verdict::accepted;
    lines.push_back(fmt::format("ref {}: {}, {}{}", ref.name, needs(ref),
                                is_accepted ? "accepted" : "refused: shallow update not allowed; ", cure(ref)));
  }
  return lines;
}

}  // namespace pfetch::shallow
