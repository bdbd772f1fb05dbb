#include "repo/discovery.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/error.h"
#include "base/fd.h"
#include "object/oid.h"
#include "repo/paths.h"
#include "repo/safe_directory.h"

namespace pfetch::repo {

namespace {

constexpr std::uint64_t small_file_size_max = 1 << 20;  // .git, commondir and HEAD are one line each

[[noreturn]] void not_found(std::string message) {
  throw Error(ErrorCode::not_found, std::move(message));
}

bool is_regular_file(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode);
}

bool can_enter(const std::string& path) {
  return ::access(path.c_str(), X_OK) == 0;
}

std::string_view without_line_end(std::string_view text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.remove_suffix(1);
  return text;
}

bool is_valid_head(const std::string& path) {
  char link[4096];
  const ssize_t link_size = ::readlink(path.c_str(), link, sizeof link);
  if (link_size >= 0) return std::string_view(link, static_cast<std::size_t>(link_size)).starts_with("refs/");
  std::string text;
  try {
    if (!base::read_file_if_there(path, text, small_file_size_max)) return false;
  } catch (const Error&) {
    return false;
  }
  if (text.starts_with("ref:")) {
    const std::size_t name = text.find_first_not_of(" \t", 4);
    return name != std::string::npos && std::string_view(text).substr(name).starts_with("refs/");
  }
  return object::Oid::from_hex(std::string_view(text).substr(0, object::Oid::hex_size)).has_value();
}

// Goes one directory up; false when that is not allowed or not possible.
bool go_up(std::string& directory, const std::vector<std::string>& ceilings) {
  if (directory == "/") return false;
  std::string above = directory_of(directory);
  for (const std::string& ceiling : ceilings) {
    if (above == ceiling) return false;
  }
  directory = std::move(above);
  return true;
}

dev_t device_of(const std::string& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) throw_errno(errno, "failed to stat", path);
  return info.st_dev;
}

std::optional<FoundRepository> look_in(const std::string& directory, const Environment& environment) {
  const std::string dot_git = path_below(directory, ".git");
  if (is_regular_file(dot_git)) {
    const std::string git_dir = read_gitfile(dot_git, environment);
    ensure_safe_directory(directory, {dot_git, directory, git_dir}, environment);
    return FoundRepository{git_dir, directory};
  }
  if (is_git_directory(dot_git, environment)) {
    ensure_safe_directory(directory, {directory, dot_git}, environment);
    return FoundRepository{real_path_or_same(dot_git), directory};
  }
  if (is_git_directory(directory, environment)) {
    ensure_safe_directory(directory, {directory}, environment);
    ensure_bare_allowed(directory, environment);
    return FoundRepository{directory, std::nullopt};
  }
  return std::nullopt;
}

}  // namespace

FoundRepository find_repository(const std::string& start, const Environment& environment) {
  std::vector<std::string> ceilings;
  for (const std::string& ceiling : environment.ceilings) {
    ceilings.push_back(normalised_path(ceiling));
    ceilings.push_back(real_path_or_same(ceiling));
  }
  std::string directory = start;
  const dev_t device = environment.across_filesystems ? 0 : device_of(directory);
  for (;;) {
    if (auto found = look_in(directory, environment)) return std::move(*found);
    const std::string below = directory;
    if (!go_up(directory, ceilings)) break;
    if (!environment.across_filesystems && device_of(directory) != device) {
      not_found(
          fmt::format("not a git repository (or any parent up to mount point {})\n"
                      "Stopping at filesystem boundary (GIT_DISCOVERY_ACROSS_FILESYSTEM not set).",
                      below));
    }
  }
  not_found("not a git repository (or any of the parent directories): .git");
}

bool is_git_directory(const std::string& path, const Environment& environment) {
  if (!is_valid_head(path + "/HEAD")) return false;
  const std::string common = common_dir_of(path, environment);
  return can_enter(environment.object_directory.value_or(common + "/objects")) && can_enter(common + "/refs");
}

std::string read_gitfile(const std::string& path, const Environment& environment) {
  std::string text;
  try {
    text = base::read_file(path, small_file_size_max);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::refused) throw;
    not_found(fmt::format("too large to be a .git file: '{}'", path));
  }
  constexpr std::string_view prefix = "gitdir: ";
  if (!text.starts_with(prefix)) not_found(fmt::format("invalid gitfile format: {}", path));
  const std::string target(without_line_end(std::string_view(text).substr(prefix.size())));
  if (target.empty()) not_found(fmt::format("no path in gitfile: {}", path));
  const std::string git_dir = path_below(directory_of(path), target);
  if (!is_git_directory(git_dir, environment)) not_found(fmt::format("not a git repository: {}", git_dir));
  return real_path_or_same(git_dir);
}

std::string common_dir_of(const std::string& git_dir, const Environment& environment) {
  if (environment.common_dir) return absolute_path(*environment.common_dir);
  std::string text;
  if (!base::read_file_if_there(git_dir + "/commondir", text, small_file_size_max)) return git_dir;
  const std::string target(without_line_end(text));
  if (target.empty()) not_found(fmt::format("failed to read {}/commondir", git_dir));
  return real_path_or_same(path_below(git_dir, target));
}

}  // namespace pfetch::repo
