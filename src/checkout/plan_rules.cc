#include "checkout/plan_rules.h"

#include <fmt/format.h>

#include <string>

#include "base/error.h"

namespace pfetch::checkout {

namespace {

constexpr std::size_t shown_bytes_max = 200;  // of a path that is too long

std::string joined(std::string_view directory, std::string_view name) {
  return fmt::format("{}{}{}", directory, directory.empty() ? "" : "/", name);
}

}  // namespace

void check_name(const PlanRules& rules, std::string_view directory, const object::TreeEntry& entry) {
  if (auto reason = object::refuse_entry(entry.name, entry.mode, rules.path_rules)) {
    throw Error(ErrorCode::refused, "invalid path '" + joined(directory, entry.name) + "': " + *reason);
  }
  if (directory.size() + 1 + entry.name.size() > object::path_bytes_max) {
    throw Error(ErrorCode::refused, "invalid path '" + joined(directory, entry.name).substr(0, shown_bytes_max) +
                                        "…': it is longer than the system allows");
  }
}

void check_path(const PlanRules& rules, std::string_view path, std::uint32_t mode) {
  const auto reason = object::refuse_path(path, mode, rules.path_rules);
  if (!reason) return;
  const bool is_long = path.size() > object::path_bytes_max;
  throw Error(ErrorCode::refused,
              fmt::format("invalid path '{}{}': {}", path.substr(0, is_long ? shown_bytes_max : path.size()),
                          is_long ? "…" : "", *reason));
}

void check_path_count(const PlanRules& rules, std::string_view directory, std::string_view name,
                      std::uint64_t paths_before) {
  if (rules.paths_max == 0 || paths_before < rules.paths_max) return;
  throw Error(ErrorCode::refused, fmt::format("the tree has more than {} paths, '{}' among them; if that is meant, "
                                              "set pfetch.maxPaths to a larger number, or to 0 for no bound",
                                              rules.paths_max, joined(directory, name)));
}

}  // namespace pfetch::checkout
