#include "session/ingest_setup.h"

#include <algorithm>

#include "repo/libgit2_hasher.h"

namespace pfetch::session {

namespace {

std::uint64_t bytes_of(const repo::Config& config, std::string_view key, std::uint64_t otherwise) {
  return static_cast<std::uint64_t>(
      std::max<std::int64_t>(0, config.get_int(key, static_cast<std::int64_t>(otherwise))));
}

}  // namespace

void configure_ingest(const repo::Config& config, pack::IngestOptions& options) {
  options.base_cache_bytes = bytes_of(config, "core.deltabasecachelimit", options.base_cache_bytes);
  options.big_file_threshold = bytes_of(config, "core.bigfilethreshold", options.big_file_threshold);
  options.hasher = repo::configured_hasher(config);
}

}  // namespace pfetch::session
