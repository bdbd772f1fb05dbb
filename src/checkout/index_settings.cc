#include "checkout/index_settings.h"

#include <fmt/format.h>

#include <charconv>
#include <system_error>

namespace pfetch::checkout {
namespace {

constexpr std::uint32_t usual_version = 3;
constexpr std::uint32_t many_files_version = 4;

std::uint32_t usable(std::int64_t version, const char* name, std::vector<std::string>& warnings) {
  if (version >= 2 && version <= 4) return static_cast<std::uint32_t>(version);
  warnings.push_back(fmt::format("{} set, but the value is invalid.\nUsing version {}", name, usual_version));
  return usual_version;
}

}  // namespace

IndexSettings index_settings(const repo::Config& config, const std::optional<std::string>& environment_version,
                             std::vector<std::string>& warnings) {
  IndexSettings settings;
  settings.skip_checksum = config.get_bool("index.skiphash", false);
  if (environment_version) {
    std::int64_t version = 0;
    const char* const end = environment_version->data() + environment_version->size();
    const auto parsed = std::from_chars(environment_version->data(), end, version);
    if (parsed.ec != std::errc() || parsed.ptr != end) version = 0;
    settings.new_version = usable(version, "GIT_INDEX_VERSION", warnings);
  } else if (const auto version = config.get_int("index.version")) {
    settings.new_version = usable(*version, "index.version", warnings);
  } else if (config.get_bool("feature.manyfiles", false)) {
    settings.new_version = many_files_version;
  }
  return settings;
}

}  // namespace pfetch::checkout
