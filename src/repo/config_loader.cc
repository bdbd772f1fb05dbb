#include "repo/config_loader.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "base/error.h"
#include "base/fd.h"
#include "object/wildmatch.h"
#include "repo/config_syntax.h"
#include "repo/paths.h"

namespace pfetch::repo {

namespace {

constexpr std::uint64_t file_size_max = std::uint64_t{64} << 20;
constexpr int include_depth_max = 10;
constexpr std::size_t condition_bytes_max = 16384;  // a longer pattern matches nothing, and nothing longer is matched

bool is_remote_url(std::string_view key) {
  return key.starts_with("remote.") && key.ends_with(".url") && key.size() > std::string_view("remote..url").size();
}

// False when the file is absent, or is a global one that may not be read.
bool read_config_text(const std::string& path, ConfigLevel level, std::string& text) {
  if (level == ConfigLevel::global && ::access(path.c_str(), R_OK) != 0 && errno == EACCES) return false;
  return base::read_file_if_there(path, text, file_size_max);
}

bool matches_path(std::string_view pattern, std::string_view text, bool ignore_case = false) {
  if (pattern.size() > condition_bytes_max || text.size() > condition_bytes_max) return false;
  return object::wildmatch(pattern, text, {.path_name = true, .fold_case = ignore_case});
}

class Loader {
 public:
  Loader(const Environment& environment, const ConfigFiles& files) : environment_(environment), files_(files) {}

  std::vector<ConfigEntry> load() {
    load_all();
    if (!asks_for_remote_urls_) return std::move(entries_);
    // A condition depends on the URLs of remotes, which may stand anywhere: now that all are known, read once more.
    for (const ConfigEntry& entry : entries_) {
      if (is_remote_url(entry.key) && entry.value) remote_urls_.push_back(*entry.value);
    }
    remote_urls_known_ = true;
    entries_.clear();
    load_all();
    return std::move(entries_);
  }

 private:
  void load_all() {
    if (!environment_.config_nosystem) {
      load_file(environment_.config_system.value_or("/etc/gitconfig"), ConfigLevel::system);
    }
    if (environment_.config_global) {
      if (!environment_.config_global->empty()) load_file(*environment_.config_global, ConfigLevel::global);
    } else {
      const std::string& home = environment_.home;
      const std::string& xdg = environment_.xdg_config_home;
      if (!xdg.empty() || !home.empty()) {
        load_file((xdg.empty() ? home + "/.config" : xdg) + "/git/config", ConfigLevel::global);
      }
      if (!home.empty()) load_file(home + "/.gitconfig", ConfigLevel::global);
    }
    if (!files_.common_dir.empty()) load_file(files_.common_dir + "/config", ConfigLevel::local);
    if (files_.worktree_config) load_file(files_.git_dir + "/config.worktree", ConfigLevel::worktree);
    for (const auto& [key, value] : environment_.overrides) {
      add({key, value, ConfigLevel::command, nullptr, 0});
    }
  }

  void load_file(const std::string& path, ConfigLevel level) {
    std::string text;
    if (!read_config_text(path, level, text)) return;
    const auto file = std::make_shared<const std::string>(path);
    ConfigParser parser(text, path);
    for (ConfigStatement statement; parser.next(statement);) {
      if (statement.is_section) continue;
      add({std::move(statement.name), std::move(statement.value), level, file, statement.line});
    }
  }

  void add(ConfigEntry entry) {
    if (in_url_include_ && is_remote_url(entry.key)) {
      throw Error(ErrorCode::config,
                  "remote URLs cannot be configured in file directly or indirectly included by "
                  "includeIf.hasconfig:remote.*.url");
    }
    const std::string& key = entry.key;
    const bool unconditional = key == "include.path";
    const bool conditional = key.size() > 15 && key.starts_with("includeif.") && key.ends_with(".path");
    if (!unconditional && !conditional) {
      entries_.push_back(std::move(entry));
      return;
    }
    entries_.push_back(entry);
    const bool by_url = conditional && key.starts_with("includeif.hasconfig:");
    if (conditional && !holds(std::string_view(key).substr(10, key.size() - 15), entry)) return;
    const bool outer = std::exchange(in_url_include_, in_url_include_ || by_url);
    include(entry);
    in_url_include_ = outer;
  }

  void include(const ConfigEntry& from) {
    if (!from.value) throw Error(ErrorCode::config, fmt::format("missing value for '{}'", from.key));
    std::string path = config_value_as_path(*from.value, environment_.home);
    if (!path.starts_with('/')) {
      if (!from.file) throw Error(ErrorCode::config, "relative config includes must come from files");
      path = directory_of(*from.file) + '/' + path;
    }
    if (depth_ >= include_depth_max) {
      throw Error(ErrorCode::config,
                  fmt::format("exceeded maximum include depth ({}) while including\n\t{}\nfrom\n\t{}\n"
                              "This might be due to circular includes.",
                              include_depth_max, path, from.file ? *from.file : "command line"));
    }
    ++depth_;
    load_file(path, from.level);
    --depth_;
  }

  bool holds(std::string_view condition, const ConfigEntry& from) {
    const auto take = [&condition](std::string_view prefix) {
      if (!condition.starts_with(prefix)) return false;
      condition.remove_prefix(prefix.size());
      return true;
    };
    if (take("gitdir:")) return in_git_dir(condition, from, false);
    if (take("gitdir/i:")) return in_git_dir(condition, from, true);
    if (take("onbranch:")) return on_branch(std::string(condition));
    if (take("hasconfig:remote.*.url:")) return has_remote_url(condition);
    return false;  // a condition of a later git: as git does, leave the file out
  }

  bool in_git_dir(std::string_view condition, const ConfigEntry& from, bool ignore_case) {
    if (files_.git_dir.empty()) return false;
    std::string pattern = config_value_as_path(condition, environment_.home);
    std::string literal;  // matched as it is: a directory's name is no pattern
    if (pattern.starts_with("./")) {
      if (!from.file) throw Error(ErrorCode::config, "relative config include conditionals must come from files");
      literal = directory_of(real_path_or_same(*from.file));
      pattern.erase(0, 1);
    } else if (!pattern.starts_with('/')) {
      pattern.insert(0, "**/");
    }
    if (pattern.ends_with('/')) pattern += "**";
    for (const std::string& git_dir : {real_path_or_same(files_.git_dir), absolute_path(files_.git_dir)}) {
      if (git_dir.starts_with(literal) &&
          matches_path(pattern, std::string_view(git_dir).substr(literal.size()), ignore_case)) {
        return true;
      }
    }
    return false;
  }

  bool on_branch(std::string pattern) {
    if (files_.git_dir.empty()) return false;
    std::string head;
    char link[4096];
    const std::string path = files_.git_dir + "/HEAD";
    const ssize_t link_size = ::readlink(path.c_str(), link, sizeof link);
    if (link_size > 0) {
      head.assign(link, static_cast<std::size_t>(link_size));
    } else if (base::read_file_if_there(path, head, file_size_max) && head.starts_with("ref:")) {
      head.erase(0, head.find_first_not_of(" \t", 4));
    }
    while (!head.empty() && (head.back() == '\n' || head.back() == ' ')) head.pop_back();
    constexpr std::string_view heads = "refs/heads/";
    if (!head.starts_with(heads)) return false;
    if (pattern.ends_with('/')) pattern += "**";
    return matches_path(pattern, std::string_view(head).substr(heads.size()));
  }

  bool has_remote_url(std::string_view pattern) {
    asks_for_remote_urls_ = true;
    if (!remote_urls_known_) return false;
    for (const std::string& url : remote_urls_) {
      if (matches_path(pattern, url)) return true;
    }
    return false;
  }

  const Environment& environment_;
  const ConfigFiles& files_;
  std::vector<ConfigEntry> entries_;
  std::vector<std::string> remote_urls_;
  bool asks_for_remote_urls_ = false;
  bool remote_urls_known_ = false;
  bool in_url_include_ = false;
  int depth_ = 0;
};

}  // namespace

std::vector<ConfigEntry> load_config_entries(const Environment& environment, const ConfigFiles& files) {
  return Loader(environment, files).load();
}

std::vector<ConfigEntry> load_config_file(const std::string& path, ConfigLevel level) {
  std::vector<ConfigEntry> entries;
  std::string text;
  if (!base::read_file_if_there(path, text, file_size_max)) return entries;
  const auto file = std::make_shared<const std::string>(path);
  ConfigParser parser(text, path);
  for (ConfigStatement statement; parser.next(statement);) {
    if (statement.is_section) continue;
    entries.push_back({std::move(statement.name), std::move(statement.value), level, file, statement.line});
  }
  return entries;
}

}  // namespace pfetch::repo
