#include "repo/refs.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "object/ref_name.h"

namespace pfetch::repo {

namespace {

constexpr std::string_view main_worktree = "main-worktree/";
constexpr std::string_view other_worktree = "worktrees/";

// A name that may be looked up as a file: valid, and below refs/ or of HEAD's kind, here or in a named worktree.
bool can_be_ref(std::string_view name) {
  if (!object::is_valid_ref_name(name, {.one_level = true})) return object::is_safe_ref_name(name) && name != "@";
  return name.starts_with("refs/") || object::is_pseudo_ref_name(name) || name.starts_with(main_worktree) ||
         name.starts_with(other_worktree);
}

std::string without_slash_at_end(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path;
}

}  // namespace

std::shared_ptr<Refs> Refs::open(RefsOptions options) {
  options.git_dir = without_slash_at_end(options.git_dir);
  options.common_dir = without_slash_at_end(options.common_dir.empty() ? options.git_dir : options.common_dir);
  return std::shared_ptr<Refs>(new Refs(std::move(options)));
}

std::pair<std::string, std::string> Refs::place_of(std::string_view name) const {
  if (name.starts_with(main_worktree)) return {options_.common_dir, std::string(name.substr(main_worktree.size()))};
  const auto slash = name.starts_with(other_worktree) ? name.find('/', other_worktree.size()) : std::string_view::npos;
  if (slash != std::string_view::npos) {
    return {options_.common_dir + "/" + std::string(name.substr(0, slash)), std::string(name.substr(slash + 1))};
  }
  return {object::is_per_worktree_ref(name) ? options_.git_dir : options_.common_dir, std::string(name)};
}

std::shared_ptr<const PackedRefs> Refs::packed() const {
  const std::lock_guard<std::mutex> guard(mutex_);
  if (!packed_ || !packed_->is_current()) packed_ = PackedRefs::load(packed_path());
  return packed_;
}

// One ref as it is stored; symbolic ones are not followed. Without `packed` the current snapshot is asked: after the
// loose file, so that a ref which is being packed right now is seen in one of the two.
std::optional<Ref> Refs::read_one(std::string_view name, const PackedRefs* packed_refs) const {
  if (!can_be_ref(name)) return std::nullopt;
  Ref ref;
  ref.name = name;
  const LooseRef loose = read_loose_ref(file_of(name));
  switch (loose.state) {
    case LooseRef::State::direct:
      ref.id = loose.id;
      return ref;
    case LooseRef::State::symbolic:
      ref.symref_target = loose.target;
      return ref;
    case LooseRef::State::broken:
      ref.trouble = loose.trouble;
      return ref;
    case LooseRef::State::missing:
    case LooseRef::State::directory:
      break;
  }
  const std::shared_ptr<const PackedRefs> current = packed_refs == nullptr ? packed() : nullptr;
  const auto found = (packed_refs == nullptr ? *current : *packed_refs).find(name);
  if (!found) return std::nullopt;
  ref.id = found->id;
  ref.peeled = found->peeled;
  ref.peel_known = found->peel_known;
  if (found->bad_name) ref.trouble = "bad name";
  return ref;
}

void Refs::follow(Ref& ref) const {
  if (!ref.is_symbolic()) return;
  const auto end = resolve(ref.name);
  if (!end) return;
  ref.id = end->id;
  ref.trouble = end->trouble;
}

std::optional<Ref> Refs::read(std::string_view name) const {
  auto ref = read_one(name, nullptr);
  if (ref) follow(*ref);
  return ref;
}

std::optional<ResolvedRef> Refs::resolve(std::string_view name) const {
  ResolvedRef resolved;
  resolved.name = name;
  for (int depth = 0; depth < symref_depth_max; ++depth) {
    const auto ref = read_one(resolved.name, nullptr);
    if (!ref) {
      if (!resolved.followed) return std::nullopt;
      return resolved;
    }
    if (ref->is_broken()) {
      resolved.trouble = ref->trouble;
      return resolved;
    }
    if (!ref->is_symbolic()) {
      resolved.id = ref->id;
      return resolved;
    }
    resolved.name = ref->symref_target;
    resolved.followed = true;
  }
  resolved.trouble = "too many levels of symbolic references";
  return resolved;
}

Ref Refs::head() const {
  auto ref = read("HEAD");
  if (!ref) throw Error(ErrorCode::not_found, fmt::format("'{}' has no HEAD", options_.git_dir));
  return *ref;
}

std::optional<Ref> Refs::find_short(std::string_view name) const {
  for (const std::string& full : object::ref_lookup_names(name)) {
    auto ref = read(full);
    if (ref && !ref->is_broken() && !ref->id.is_null()) return ref;
  }
  return std::nullopt;
}

// Sorted names of loose files below `below` + "refs" that begin with `prefix`. Only directories that can hold such
// names are read.
std::vector<std::string> Refs::loose_names(std::string_view prefix, const std::string& below) const {
  std::string directory = "refs";
  if (prefix.starts_with("refs/")) directory = prefix.substr(0, prefix.find_last_of('/'));
  std::vector<std::string> names;
  list_loose_refs(options_.common_dir + below, directory, names);
  if (options_.git_dir != options_.common_dir) {
    std::erase_if(names, [](const std::string& name) { return object::is_per_worktree_ref(name); });
    for (const char* own : {"refs/bisect", "refs/worktree", "refs/rewritten"}) {
      list_loose_refs(options_.git_dir + below, own, names);
    }
  }
  std::erase_if(names, [&](const std::string& name) { return !name.starts_with(prefix); });
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

void Refs::for_each(std::string_view prefix, const std::function<bool(const Ref&)>& visit) const {
  std::vector<Ref> loose;
  for (const std::string& name : loose_names(prefix, "")) {
    if (!can_be_ref(name)) continue;
    auto ref = read_one(name, nullptr);
    if (!ref) continue;  // removed since
    follow(*ref);
    if (!object::is_valid_ref_name(name)) ref->trouble = "bad name";
    loose.push_back(std::move(*ref));
  }
  const auto snapshot = packed();
  const std::string_view start = prefix.starts_with("refs/") ? prefix : std::string_view("refs/");
  PackedRefs::Cursor cursor(*snapshot, start);
  auto next_loose = loose.begin();
  while (next_loose != loose.end() || !cursor.done()) {
    if (next_loose != loose.end() && (cursor.done() || next_loose->name <= cursor.current().name)) {
      if (!cursor.done() && next_loose->name == cursor.current().name) cursor.next();
      if (!visit(*next_loose++)) return;
      continue;
    }
    const PackedRef& found = cursor.current();
    Ref ref{std::string(found.name), found.id, "", found.peeled, found.peel_known, found.bad_name ? "bad name" : ""};
    if (ref.name.starts_with(prefix) && !visit(ref)) return;
    cursor.next();
  }
}

std::vector<Ref> Refs::list(std::string_view prefix) const {
  std::vector<Ref> all;
  for_each(prefix, [&](const Ref& ref) {
    all.push_back(ref);
    return true;
  });
  return all;
}

std::optional<std::string> Refs::conflicting_ref(std::string_view name, const PackedRefs& packed_refs) const {
  for (auto slash = name.find('/', 5); slash != std::string_view::npos; slash = name.find('/', slash + 1)) {
    const std::string_view part = name.substr(0, slash);
    if (read_one(part, &packed_refs)) return std::string(part);
  }
  const std::string below = std::string(name) + "/";
  const PackedRefs::Cursor cursor(packed_refs, below);
  if (!cursor.done()) return std::string(cursor.current().name);
  for (const std::string& file : loose_names(below, "")) {
    if (read_one(file, &packed_refs)) return file;
  }
  return std::nullopt;
}

std::vector<std::string> Refs::shared_files() const {
  std::vector<std::string> names;
  list_loose_refs(options_.common_dir, "refs", names, true);
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<std::string> Refs::list_logs() const {
  std::vector<std::string> names = loose_names("refs/", "/logs");
  const std::string head_log = log_of("HEAD");
  if (base::path_exists(head_log) && !base::is_directory(head_log)) names.insert(names.begin(), "HEAD");
  return names;
}

}  // namespace pfetch::repo
