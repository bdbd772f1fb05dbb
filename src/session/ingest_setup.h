// What the configuration says about taking in a pack.
#pragma once

#include "pack/ingest.h"
#include "repo/config.h"

namespace pfetch::session {

// Reads core.deltaBaseCacheLimit, core.bigFileThreshold and pfetch.sha1; what is not set keeps its value in `options`.
void configure_ingest(const repo::Config& config, pack::IngestOptions& options);

}  // namespace pfetch::session
