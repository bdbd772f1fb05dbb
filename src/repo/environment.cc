#include "repo/environment.h"

#include <fmt/format.h>

#include <cerrno>
#include <climits>
#include <cstdlib>

#include "base/ascii.h"
#include "base/error.h"
#include "base/process.h"
#include "object/ref_name.h"
#include "repo/config_syntax.h"
#include "repo/quoting.h"

namespace pfetch::repo {

namespace {

[[noreturn]] void refuse(std::string message) {
  throw Error(ErrorCode::config, std::move(message));
}

bool read_bool(const Environment::Lookup& lookup, const char* name) {
  const auto value = lookup(name);
  if (!value) return false;
  const auto parsed = config_value_as_bool(value);
  if (!parsed) refuse(fmt::format("bad boolean config value '{}' for '{}'", *value, name));
  return *parsed;
}

std::string canonical_override_key(std::string_view key) {
  if (key.empty()) refuse("empty config key");
  return canonical_config_key(key);
}

void add_counted_overrides(const Environment::Lookup& lookup, std::vector<ConfigOverride>& overrides) {
  const auto text = lookup("GIT_CONFIG_COUNT");
  if (!text || text->empty()) return;
  char* end = nullptr;
  errno = 0;
  const unsigned long count = std::strtoul(text->c_str(), &end, 10);
  if (*end != '\0') refuse("bogus count in GIT_CONFIG_COUNT");
  if (count > INT_MAX || errno == ERANGE) refuse("too many entries in GIT_CONFIG_COUNT");
  for (unsigned long i = 0; i < count; ++i) {
    const auto key = lookup(fmt::format("GIT_CONFIG_KEY_{}", i));
    if (!key) refuse(fmt::format("missing config key GIT_CONFIG_KEY_{}", i));
    auto value = lookup(fmt::format("GIT_CONFIG_VALUE_{}", i));
    if (!value) refuse(fmt::format("missing config value GIT_CONFIG_VALUE_{}", i));
    overrides.emplace_back(canonical_override_key(*key), std::move(value));
  }
}

// The older form has one quoted word for each setting, 'key=value'; the newer one quotes both sides, 'key'='value',
// so that a key may hold "=".
void add_quoted_overrides(const Environment::Lookup& lookup, Environment& environment) {
  const auto text = lookup("GIT_CONFIG_PARAMETERS");
  if (!text) return;
  const std::string bogus = "bogus format in GIT_CONFIG_PARAMETERS";
  std::string_view rest = base::trimmed(*text);
  while (!rest.empty()) {
    const auto word = take_shell_quoted(rest);
    if (!word) refuse(bogus);
    if (rest.empty() || base::is_space(rest[0])) {
      environment.add_override(*word);
    } else if (rest[0] == '=') {
      rest.remove_prefix(1);
      std::optional<std::string> value;
      if (!rest.empty() && !base::is_space(rest[0])) {
        value = take_shell_quoted(rest);
        if (!value || (!rest.empty() && !base::is_space(rest[0]))) refuse(bogus);
      }
      environment.overrides.emplace_back(canonical_override_key(*word), std::move(value));
    } else {
      refuse(bogus);
    }
    rest = base::trimmed(rest);
  }
}

std::string expand_namespace(const std::string& name) {
  std::string prefix;
  for (std::size_t at = 0; at < name.size();) {
    const std::size_t slash = std::min(name.find('/', at), name.size());
    const std::string_view part = std::string_view(name).substr(at, slash - at);
    at = slash + 1;
    if (part.empty()) continue;
    prefix += fmt::format("refs/namespaces/{}/", part);
  }
  if (!prefix.empty() && !object::is_valid_ref_name(std::string_view(prefix).substr(0, prefix.size() - 1))) {
    refuse(fmt::format("bad git namespace path \"{}\"", name));
  }
  return prefix;
}

std::vector<std::string> split_ceilings(const std::string& text) {
  std::vector<std::string> ceilings;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t colon = std::min(text.find(':', at), text.size());
    if (text[at] == '/') ceilings.push_back(text.substr(at, colon - at));
    at = colon + 1;
  }
  return ceilings;
}

}  // namespace

Environment Environment::read() {
  return from(base::environment_variable);
}

Environment Environment::from(const std::map<std::string, std::string>& variables) {
  return from([&variables](const std::string& name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional<std::string>(found->second);
  });
}

Environment Environment::from(const Lookup& lookup) {
  Environment environment;
  environment.git_dir = lookup("GIT_DIR");
  environment.work_tree = lookup("GIT_WORK_TREE");
  environment.common_dir = lookup("GIT_COMMON_DIR");
  environment.index_file = lookup("GIT_INDEX_FILE");
  environment.object_directory = lookup("GIT_OBJECT_DIRECTORY");
  environment.alternates = lookup("GIT_ALTERNATE_OBJECT_DIRECTORIES").value_or("");
  environment.shallow_file = lookup("GIT_SHALLOW_FILE");
  environment.namespace_prefix = expand_namespace(lookup("GIT_NAMESPACE").value_or(""));
  environment.template_dir = lookup("GIT_TEMPLATE_DIR");
  environment.default_hash = lookup("GIT_DEFAULT_HASH");
  environment.ceilings = split_ceilings(lookup("GIT_CEILING_DIRECTORIES").value_or(""));
  environment.across_filesystems = read_bool(lookup, "GIT_DISCOVERY_ACROSS_FILESYSTEM");
  environment.literal_pathspecs = read_bool(lookup, "GIT_LITERAL_PATHSPECS");
  environment.glob_pathspecs = read_bool(lookup, "GIT_GLOB_PATHSPECS");
  environment.noglob_pathspecs = read_bool(lookup, "GIT_NOGLOB_PATHSPECS");
  environment.icase_pathspecs = read_bool(lookup, "GIT_ICASE_PATHSPECS");
  environment.reflog_action = lookup("GIT_REFLOG_ACTION").value_or("");
  environment.config_global = lookup("GIT_CONFIG_GLOBAL");
  environment.config_system = lookup("GIT_CONFIG_SYSTEM");
  environment.config_nosystem = read_bool(lookup, "GIT_CONFIG_NOSYSTEM");
  environment.home = lookup("HOME").value_or("");
  environment.xdg_config_home = lookup("XDG_CONFIG_HOME").value_or("");
  environment.sudo_uid = lookup("SUDO_UID");
  add_counted_overrides(lookup, environment.overrides);
  add_quoted_overrides(lookup, environment);
  return environment;
}

void Environment::add_override(std::string_view setting) {
  const std::size_t equals = setting.find('=');
  const std::string_view key = base::trimmed(setting.substr(0, equals));
  if (key.empty()) refuse(fmt::format("bogus config parameter: {}", setting));
  std::optional<std::string> value;
  if (equals != std::string_view::npos) value = setting.substr(equals + 1);
  overrides.emplace_back(canonical_config_key(key), std::move(value));
}

std::string Environment::quoted_overrides() const {
  std::string text;
  for (const auto& [key, value] : overrides) {
    if (!text.empty()) text += ' ';
    text += base::shell_quote(key) + '=';
    if (value) text += base::shell_quote(*value);
  }
  return text;
}

const std::vector<std::string>& Environment::repository_variables() {
  static const std::vector<std::string> names = {
      "GIT_ALTERNATE_OBJECT_DIRECTORIES",
      "GIT_COMMON_DIR",
      "GIT_CONFIG",
      "GIT_CONFIG_COUNT",
      "GIT_CONFIG_PARAMETERS",
      "GIT_DIR",
      "GIT_GRAFT_FILE",
      "GIT_IMPLICIT_WORK_TREE",
      "GIT_INDEX_FILE",
      "GIT_INTERNAL_SUPER_PREFIX",
      "GIT_NO_REPLACE_OBJECTS",
      "GIT_OBJECT_DIRECTORY",
      "GIT_PREFIX",
      "GIT_REPLACE_REF_BASE",
      "GIT_SHALLOW_FILE",
      "GIT_WORK_TREE",
  };
  return names;
}

}  // namespace pfetch::repo
