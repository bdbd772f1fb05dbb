#include "repo/safe_directory.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <charconv>

#include "base/error.h"
#include "base/process.h"
#include "repo/config.h"
#include "repo/config_syntax.h"
#include "repo/paths.h"

namespace pfetch::repo {

namespace {

// Under sudo root also trusts what belongs to the user who called it.
bool belongs_to_us(const std::string& path, const Environment& environment, const Ownership& ownership) {
  const auto owner = ownership.owner_of(path);
  if (!owner) return false;
  if (*owner == ownership.user) return true;
  if (ownership.user != 0 || !environment.sudo_uid) return false;
  const std::string& text = *environment.sudo_uid;
  uid_t caller = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), caller);
  return error == std::errc() && end == text.data() + text.size() && *owner == caller;
}

bool covers(const std::string& allowed, const std::string& directory) {
  if (allowed == "*") return true;
  if (allowed.ends_with("/*")) {
    const std::string above = allowed.substr(0, allowed.size() - 1);
    return directory.starts_with(above) || directory.starts_with(real_path_or_same(above) + "/");
  }
  return normalised_path(allowed) == normalised_path(directory) ||
         real_path_or_same(allowed) == real_path_or_same(directory);
}

bool is_named_safe(const std::string& directory, const Environment& environment) {
  bool safe = false;
  const Config config = Config::load(environment);
  config.for_each("safe.directory", [&](const ConfigEntry& entry) {
    if (entry.key != "safe.directory") return;
    if (!entry.value || entry.value->empty()) {
      safe = false;  // an empty value takes back all before it
    } else if (covers(config_value_as_path(*entry.value, environment.home), directory)) {
      safe = true;
    }
  });
  return safe;
}

bool is_plain_word(const std::string& text) {
  return text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+,-./:=@_^") ==
             std::string::npos &&
         !text.empty();
}

}  // namespace

Ownership Ownership::of_system() {
  Ownership ownership;
  ownership.user = ::geteuid();
  ownership.owner_of = [](const std::string& path) -> std::optional<uid_t> {
    struct stat info {};
    if (::lstat(path.c_str(), &info) != 0) return std::nullopt;
    return info.st_uid;
  };
  return ownership;
}

void ensure_safe_directory(const std::string& directory, const std::vector<std::string>& owned,
                           const Environment& environment, const Ownership& ownership) {
  bool ours = true;
  for (const std::string& path : owned) ours = ours && belongs_to_us(path, environment, ownership);
  if (ours || is_named_safe(directory, environment)) return;
  throw Error(ErrorCode::refused,
              fmt::format("detected dubious ownership in repository at '{}'\n"
                          "To add an exception for this directory, call:\n\n"
                          "\tgit config --global --add safe.directory {}",
                          directory, is_plain_word(directory) ? directory : base::shell_quote(directory)));
}

void ensure_bare_allowed(const std::string& git_dir, const Environment& environment) {
  const std::string allowed = Config::load(environment).get("safe.bareRepository", "all");
  if (allowed == "all") return;
  if (allowed != "explicit") {
    throw Error(ErrorCode::config,
                fmt::format("bad value '{}' for 'safe.bareRepository': not 'all' or 'explicit'", allowed));
  }
  // What sits inside of a repository with a work tree is not a bare one that somebody slipped in.
  if (git_dir.ends_with("/.git") || git_dir.find("/.git/worktrees/") != std::string::npos ||
      git_dir.find("/.git/modules/") != std::string::npos) {
    return;
  }
  throw Error(ErrorCode::refused,
              fmt::format("cannot use bare repository '{}' (safe.bareRepository is '{}')", git_dir, allowed));
}

}  // namespace pfetch::repo
