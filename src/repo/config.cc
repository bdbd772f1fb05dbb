#include "repo/config.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <unordered_set>

#include "base/error.h"
#include "repo/config_syntax.h"

namespace pfetch::repo {

namespace {

const std::string& value_of(const ConfigEntry& entry) {
  if (!entry.value) {
    throw Error(ErrorCode::config, fmt::format("missing value for '{}'{}", entry.key, config_place(entry)));
  }
  return *entry.value;
}

}  // namespace

std::string config_place(const ConfigEntry& entry) {
  return entry.file ? " in file " + *entry.file : std::string();
}

Config::Config(std::vector<ConfigEntry> entries, std::string home)
    : entries_(std::move(entries)), by_key_(entries_.size()), home_(std::move(home)) {
  std::iota(by_key_.begin(), by_key_.end(), 0U);
  std::stable_sort(by_key_.begin(), by_key_.end(),
                   [this](std::uint32_t a, std::uint32_t b) { return entries_[a].key < entries_[b].key; });
}

Config Config::load(const Environment& environment, const ConfigFiles& files) {
  return Config(load_config_entries(environment, files), environment.home);
}

Config Config::load_file(const std::string& path) {
  return Config(load_config_file(path, ConfigLevel::local));
}

std::pair<std::size_t, std::size_t> Config::range(const std::string& key) const {
  const auto begin =
      std::lower_bound(by_key_.begin(), by_key_.end(), key,
                       [this](std::uint32_t place, const std::string& wanted) { return entries_[place].key < wanted; });
  auto end = begin;
  while (end != by_key_.end() && entries_[*end].key == key) ++end;
  return {static_cast<std::size_t>(begin - by_key_.begin()), static_cast<std::size_t>(end - by_key_.begin())};
}

const ConfigEntry* Config::find(std::string_view key) const {
  const auto [first, end] = range(canonical_config_key(key));
  return first == end ? nullptr : &entries_[by_key_[end - 1]];
}

std::optional<std::string> Config::get(std::string_view key) const {
  const ConfigEntry* entry = find(key);
  if (entry == nullptr) return std::nullopt;
  return value_of(*entry);
}

std::string Config::get(std::string_view key, std::string_view otherwise) const {
  const ConfigEntry* entry = find(key);
  return entry == nullptr ? std::string(otherwise) : value_of(*entry);
}

std::optional<bool> Config::get_bool(std::string_view key) const {
  const ConfigEntry* entry = find(key);
  if (entry == nullptr) return std::nullopt;
  const auto parsed = config_value_as_bool(entry->value);
  if (!parsed) {
    throw Error(ErrorCode::config, fmt::format("bad boolean config value '{}' for '{}'{}", *entry->value, entry->key,
                                               config_place(*entry)));
  }
  return parsed;
}

std::optional<std::int64_t> Config::get_int(std::string_view key) const {
  const ConfigEntry* entry = find(key);
  if (entry == nullptr) return std::nullopt;
  std::int64_t number = 0;
  const auto error = config_value_as_int(value_of(*entry), number);
  if (error == ConfigNumberError::none) return number;
  throw Error(
      ErrorCode::config,
      fmt::format("bad numeric config value '{}' for '{}'{}: {}", *entry->value, entry->key, config_place(*entry),
                  error == ConfigNumberError::out_of_range ? "out of range" : "invalid unit"));
}

std::optional<std::string> Config::get_path(std::string_view key) const {
  const ConfigEntry* entry = find(key);
  if (entry == nullptr) return std::nullopt;
  return config_value_as_path(value_of(*entry), home_);
}

std::vector<std::string> Config::get_all(std::string_view key) const {
  const auto [first, end] = range(canonical_config_key(key));
  std::vector<std::string> values;
  for (std::size_t i = first; i < end; ++i) values.push_back(value_of(entries_[by_key_[i]]));
  return values;
}

void Config::for_each(std::string_view prefix, const std::function<void(const ConfigEntry&)>& visit) const {
  for (const ConfigEntry& entry : entries_) {
    if (entry.key.starts_with(prefix)) visit(entry);
  }
}

std::vector<std::string> Config::subsections(std::string_view section) const {
  std::vector<std::string> names;
  std::unordered_set<std::string> seen;
  for_each(std::string(section) + ".", [&](const ConfigEntry& entry) {
    const std::size_t last = entry.key.rfind('.');
    if (last <= section.size()) return;
    std::string name = entry.key.substr(section.size() + 1, last - section.size() - 1);
    if (seen.insert(name).second) names.push_back(std::move(name));
  });
  return names;
}

}  // namespace pfetch::repo
