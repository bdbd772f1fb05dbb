// Ref names: what may be one, what is safe as a file name, and where a short name may point.
//
// Pure functions, callable from any thread; nothing is thrown. The rules are those of git-check-ref-format(1) and, for
// the order in which a short name is looked up, gitrevisions(7). Names are bytes; nothing is assumed about UTF-8.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace pfetch::object {

// Longer names cannot be files (PATH_MAX), and no server has a reason to send them.
inline constexpr std::size_t ref_name_size_max = 4096;

struct RefNameRules {
  bool one_level = false;  // accept "main" and "HEAD" (--allow-onelevel)
  bool pattern = false;    // accept one '*' (--refspec-pattern)
};

// Whether `name` is a well-formed ref name.
bool is_valid_ref_name(std::string_view name, RefNameRules rules = {});

// The weaker rule for names that are already stored and may be broken: still inside refs/ once "." and ".." are
// resolved, or a single word of capitals and '_'. Such a name may be deleted, never created; any other is not touched.
bool is_safe_ref_name(std::string_view name);

// One word of capitals, '-' and '_': HEAD, FETCH_HEAD, ORIG_HEAD. These live in the directory of the worktree.
bool is_pseudo_ref_name(std::string_view name);

// Belongs to one worktree: HEAD and its kind, refs/bisect/, refs/worktree/, refs/rewritten/.
bool is_per_worktree_ref(std::string_view name);

// A shorter name for people: "main" for "refs/heads/main", "v1" for "refs/tags/v1", "origin/main" for a tracking ref.
std::string_view short_ref_name(std::string_view name);

inline bool is_branch_name(std::string_view name) {
  return name.substr(0, 11) == "refs/heads/";
}
inline bool is_tag_name(std::string_view name) {
  return name.substr(0, 10) == "refs/tags/";
}

// The full names that a short one stands for, in the order they are tried: itself, refs/, refs/tags/, refs/heads/,
// refs/remotes/, refs/remotes/<name>/HEAD.
inline constexpr std::size_t ref_lookup_rules = 6;
std::array<std::string, ref_lookup_rules> ref_lookup_names(std::string_view name);

// Which of the rules makes `full` out of `abbreviated` (0 is the strongest); ref_lookup_rules when none does.
std::size_t ref_lookup_rank(std::string_view abbreviated, std::string_view full);

}  // namespace pfetch::object
