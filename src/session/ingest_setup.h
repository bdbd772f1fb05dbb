// What the configuration says about taking in a pack.
#pragma once

#include "pack/ingest.h"
#include "repo/config.h"

namespace pfetch::session {

// Reads core.deltaBaseCacheLimit, core.bigFileThreshold and pfetch.sha1; what is not set keeps its value in `options`.
void configure_ingest(const repo::Config& config, pack::IngestOptions& options);

// The zlib level of loose objects, -1 to 9: core.looseCompression, else core.compression, else 1. Throws
// ErrorCode::config for another number.
int loose_compression(const repo::Config& config);

}  // namespace pfetch::session
