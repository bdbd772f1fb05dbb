// What a tree may bring into a worktree: the same for a first checkout (checkout/plan), for a switch
// (checkout/tree_changes), and for single paths (checkout/tree_list).
//
// Pure, thread safe.
#pragma once

#include <cstdint>
#include <string_view>

#include "object/path_rules.h"
#include "object/tree_view.h"

namespace pfetch::checkout {

struct PlanRules {
  object::PathRules path_rules;
  // Files and directories of the whole plan; 0: no bound. A few small trees that name each other over and over can
  // stand for any number of paths.
  std::uint64_t paths_max = paths_max_default;
  static constexpr std::uint64_t paths_max_default = 5'000'000;
};

// Throws ErrorCode::refused, with the path, for a name that must not be written. `directory` is the path that the entry
// stands in, without a slash at the end; empty for the top.
void check_name(const PlanRules& rules, std::string_view directory, const object::TreeEntry& entry);

// The same for a whole path from the top, of which no part was judged before.
void check_path(const PlanRules& rules, std::string_view path, std::uint32_t mode);

// Throws ErrorCode::refused when `paths_before` are as many as there may be, and so `name` would be one too many.
void check_path_count(const PlanRules& rules, std::string_view directory, std::string_view name,
                      std::uint64_t paths_before);

}  // namespace pfetch::checkout
