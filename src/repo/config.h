// What Git's configuration says, as one consistent snapshot.
//
// Everything is read when the Config is made (repo/config_loader says what and in which order); afterwards all members
// are const, touch no file, and may be called from any thread. Views and references live as long as the Config.
//
// Keys are "section.variable" or "section.subsection.variable": section and variable in any case, the subsection as it
// is. Of several values the last one counts. Errors: ErrorCode::config, naming the key and its file.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "repo/config_loader.h"
#include "repo/environment.h"

namespace pfetch::repo {

class Config {
 public:
  Config() = default;
  // `home` is what "~/" stands for in paths.
  explicit Config(std::vector<ConfigEntry> entries, std::string home = {});

  // Without `files`, only what applies everywhere: system, global and command line ("protected" configuration).
  static Config load(const Environment& environment, const ConfigFiles& files = {});
  // One file alone, without includes.
  static Config load_file(const std::string& path);

  bool has(std::string_view key) const { return find(key) != nullptr; }
  // The last value. Throws "missing value for 'key'" for a variable without "=".
  std::optional<std::string> get(std::string_view key) const;
  std::string get(std::string_view key, std::string_view otherwise) const;
  // true/yes/on/1 (or any number but 0, or no "=" at all), false/no/off/0/"", in any case.
  std::optional<bool> get_bool(std::string_view key) const;
  bool get_bool(std::string_view key, bool otherwise) const { return get_bool(key).value_or(otherwise); }
  // A decimal, 0x or octal number with an optional unit k, m or g (powers of 1024).
  std::optional<std::int64_t> get_int(std::string_view key) const;
  std::int64_t get_int(std::string_view key, std::int64_t otherwise) const { return get_int(key).value_or(otherwise); }
  // With "~/" and "~user/" expanded.
  std::optional<std::string> get_path(std::string_view key) const;
  // All values, first to last. Throws as `get`.
  std::vector<std::string> get_all(std::string_view key) const;

  // Every entry whose key begins with `prefix` ("remote.", "url."; lower case up to the subsection), in order.
  void for_each(std::string_view prefix, const std::function<void(const ConfigEntry&)>& visit) const;
  // The subsections of a section ("remote" → origin, upstream), each once, in order of first appearance.
  std::vector<std::string> subsections(std::string_view section) const;

  const std::vector<ConfigEntry>& entries() const { return entries_; }
  // What "~/" stands for.
  const std::string& home() const { return home_; }

 private:
  const ConfigEntry* find(std::string_view key) const;
  // The places in by_key_ whose key is `key`: [first, second).
  std::pair<std::size_t, std::size_t> range(const std::string& key) const;

  std::vector<ConfigEntry> entries_;
  std::vector<std::uint32_t> by_key_;  // indices into entries_, sorted by key, then by order
  std::string home_;
};

// " in file F" for an entry of a file, "" for one of the command line: the end of a message about a bad value.
std::string config_place(const ConfigEntry& entry);

}  // namespace pfetch::repo
