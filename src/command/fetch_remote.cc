#include "command/fetch_remote.h"

#include <algorithm>

#include "base/ascii.h"
#include "session/upstream.h"

namespace pfetch::command {

namespace {

FetchRemote::TagOption tag_option(const repo::Config& config, const std::string& section) {
  const std::string value = config.get(section + ".tagopt", "");
  if (value == "--no-tags") return FetchRemote::TagOption::none;
  if (value == "--tags") return FetchRemote::TagOption::all;
  return FetchRemote::TagOption::by_default;
}

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  std::size_t at = 0;
  while ((at = text.find_first_not_of(" \t\n", at)) != std::string::npos) {
    const std::size_t end = std::min(text.find_first_of(" \t\n", at), text.size());
    words.push_back(text.substr(at, end - at));
    at = end;
  }
  return words;
}

// Of a variable in a configuration: letters, digits and '-', a letter first.
bool is_variable_name(std::string_view name) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  return !name.empty() && is_letter(name.front()) && std::all_of(name.begin(), name.end(), [&](char c) {
    return is_letter(c) || (c >= '0' && c <= '9') || c == '-';
  });
}

}  // namespace

FetchRemote read_fetch_remote(const repo::Config& config, const std::string& name) {
  FetchRemote remote;
  remote.name = name;
  const std::vector<std::string> remotes = config.subsections("remote");
  remote.configured = std::find(remotes.begin(), remotes.end(), name) != remotes.end();
  const std::string section = "remote." + name;
  const std::vector<std::string> urls =
      remote.configured ? config.get_all(section + ".url") : std::vector<std::string>{};
  remote.url = urls.empty() ? name : urls.front();
  if (!remote.configured) return remote;
  remote.refspecs = session::fetch_refspecs(config, name);
  remote.upload_pack = config.get(section + ".uploadpack");
  remote.server_options = config.get_all(section + ".serveroption");
  remote.tags = tag_option(config, section);
  remote.prune = config.get_bool(section + ".prune");
  remote.prune_tags = config.get_bool(section + ".prunetags");
  return remote;
}

std::string default_remote(const repo::Config& config, const std::string& branch) {
  if (!branch.empty()) {
    if (auto remote = config.get("branch." + branch + ".remote")) return *remote;
  }
  const std::vector<std::string> remotes = config.subsections("remote");
  return remotes.size() == 1 ? remotes.front() : "origin";
}

std::vector<std::string> all_remotes(const repo::Config& config) {
  std::vector<std::string> remotes = config.subsections("remote");
  std::erase_if(remotes, [&config](const std::string& name) {
    return config.get_bool("remote." + name + ".skipfetchall", false) ||
           config.get_bool("remote." + name + ".skipdefaultupdate", false);
  });
  return remotes;
}

std::optional<std::vector<std::string>> remote_group(const repo::Config& config, const std::string& name) {
  if (!is_variable_name(name)) return std::nullopt;
  const std::vector<std::string> values = config.get_all("remotes." + name);
  if (values.empty()) return std::nullopt;
  std::vector<std::string> members;
  for (const std::string& value : values) {
    for (std::string& member : words_of(value)) members.push_back(std::move(member));
  }
  return members;
}

BranchUpstream branch_upstream(const repo::Config& config, const std::string& branch) {
  if (branch.empty()) return {};
  return {config.get("branch." + branch + ".remote", ""), config.get_all("branch." + branch + ".merge")};
}

}  // namespace pfetch::command
