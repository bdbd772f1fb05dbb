// From configuration and environment to how an index is written: index.version, feature.manyFiles, index.skipHash,
// GIT_INDEX_VERSION.
//
// Thread safe. Errors: ErrorCode::config for values that are no number or boolean.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "repo/config.h"

namespace pfetch::checkout {

struct IndexSettings {
  std::uint32_t new_version = 3;  // for an index that has none yet; written as 2 where that suffices
  // Only when index.skipHash says so itself. feature.manyFiles implies it for git since 2.40; older ones complain about
  // such an index in fsck, and computing the checksum costs little.
  bool skip_checksum = false;
};

// A version that cannot be used is warned of, in git's words, and counts as 3. `environment_version` is
// GIT_INDEX_VERSION, which comes before the configuration.
IndexSettings index_settings(const repo::Config& config, const std::optional<std::string>& environment_version,
                             std::vector<std::string>& warnings);

}  // namespace pfetch::checkout
