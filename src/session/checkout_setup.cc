#include "session/checkout_setup.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <thread>

#include "base/error.h"
#include "base/fd.h"
#include "checkout/workers.h"
#include "repo/hooks.h"

namespace pfetch::session {

namespace {

constexpr std::int64_t filter_jobs_max = 64;
constexpr const char* system_attributes = "/etc/gitattributes";

checkout::SharedAttributeFile read_attributes(const std::string& path, std::vector<std::string>& warnings) {
  std::string text;
  if (path.empty() || !base::read_file_if_there(path, text)) return nullptr;
  return checkout::parse_attribute_file(text, path, true, &warnings);
}

// A file of the user's own: as `key` says, otherwise git/<name> in the user's configuration. Empty: there is none.
std::string user_file(const repo::Repository& repository, const std::string& key, const std::string& name) {
  if (const auto path = repository.config().get_path(key)) return *path;
  const repo::Environment& environment = repository.environment();
  if (!environment.xdg_config_home.empty()) return environment.xdg_config_home + "/git/" + name;
  return environment.home.empty() ? std::string() : environment.home + "/.config/git/" + name;
}

bool reads_system_attributes() {
  const char* no_system = std::getenv("GIT_ATTR_NOSYSTEM");
  return no_system == nullptr || *no_system == '\0' || std::string_view(no_system) == "0";
}

checkout::ConvertConfig convert_config(const repo::Config& config) {
  using checkout::ConvertConfig;
  ConvertConfig convert;
  const auto auto_crlf = config.get("core.autocrlf");
  if (auto_crlf && *auto_crlf == "input") {
    convert.auto_crlf = ConvertConfig::AutoCrlf::input;
  } else if (config.get_bool("core.autocrlf", false)) {
    convert.auto_crlf = ConvertConfig::AutoCrlf::on;
  }
  const std::string eol = config.get("core.eol", "native");
  if (eol == "lf") convert.eol = ConvertConfig::Eol::lf;
  if (eol == "crlf") convert.eol = ConvertConfig::Eol::crlf;
  return convert;
}

checkout::FilterDrivers filter_drivers(const repo::Config& config) {
  checkout::FilterDrivers drivers;
  for (const std::string& name : config.subsections("filter")) {
    checkout::FilterDriver& driver = drivers[name];
    driver.smudge = config.get("filter." + name + ".smudge");
    driver.process = config.get("filter." + name + ".process");
    driver.clean = config.get("filter." + name + ".clean");
    driver.required = config.get_bool("filter." + name + ".required", false);
  }
  return drivers;
}

unsigned filter_jobs(const repo::Config& config) {
  const std::int64_t jobs = config.get_int("pfetch.filterjobs", 1);
  if (jobs == 0) return std::max(1U, std::thread::hardware_concurrency());
  if (jobs < 0 || jobs > filter_jobs_max) {
    throw Error(ErrorCode::config, fmt::format("bad config value '{}' for 'pfetch.filterJobs': a number from 0 to {}",
                                               jobs, filter_jobs_max));
  }
  return static_cast<unsigned>(jobs);
}

}  // namespace

checkout::EngineOptions checkout_options(const repo::Repository& repository, const std::string& work_tree,
                                         unsigned workers, Reporter& reporter) {
  std::vector<std::string> warnings;
  const repo::Config& config = repository.config();
  checkout::EngineOptions options;
  options.delivery.work_tree = work_tree;
  options.rules.path_rules.protect_ntfs = config.get_bool("core.protectntfs", true);
  options.rules.path_rules.protect_hfs = config.get_bool("core.protecthfs", false);
  const auto paths_max =
      config.get_int("pfetch.maxpaths", static_cast<std::int64_t>(checkout::PlanRules::paths_max_default));
  options.rules.paths_max = paths_max < 0 ? 0 : static_cast<std::uint64_t>(paths_max);
  options.delivery.symlinks = config.get_bool("core.symlinks", true);
  options.attributes.casefold = config.get_bool("core.ignorecase", false);
  if (reads_system_attributes()) {
    options.attributes.below.push_back(read_attributes(system_attributes, warnings));
  }
  options.attributes.below.push_back(
      read_attributes(user_file(repository, "core.attributesfile", "attributes"), warnings));
  options.attributes.info = read_attributes(repository.common_dir() + "/info/attributes", warnings);
  for (const std::string& warning : warnings) reporter.warn(warning);
  options.delivery.convert = convert_config(config);
  options.delivery.drivers = filter_drivers(config);
  options.delivery.filter_jobs = filter_jobs(config);
  options.workers = checkout::worker_circumstances(config, work_tree, 0, 0);
  if (workers != 0) {
    options.workers.asked_for = workers;
    options.workers.parallel_from.reset();
    options.workers.asked_by = "--jobs";
  }
  options.writes_on_arrival = !checkout::waits_for_others(options.workers.file_system.kind);
  return options;
}

checkout::IgnoreRules ignore_rules(const repo::Repository& repository, const std::string& work_tree) {
  checkout::IgnoreRules::Sources sources;
  sources.files = {user_file(repository, "core.excludesfile", "ignore"), repository.common_dir() + "/info/exclude"};
  sources.casefold = repository.config().get_bool("core.ignorecase", false);
  return {work_tree, sources};
}

checkout::FilterPlace filter_place(const repo::Repository& repository, const std::string& work_tree) {
  return {work_tree, repo::repository_environment(repository)};
}

}  // namespace pfetch::session
