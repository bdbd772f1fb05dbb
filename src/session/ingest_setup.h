// What the configuration says about an arriving pack, as settings for the pipeline.
#pragma once

#include "pack/ingest.h"
#include "repo/config.h"

namespace pfetch::session {

// core.deltaBaseCacheLimit, core.bigFileThreshold and pfetch.sha1; everything else as it is by default.
pack::IngestOptions ingest_options(const repo::Config& config);

}  // namespace pfetch::session
