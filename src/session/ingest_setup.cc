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

pack::IngestOptions ingest_options(const repo::Config& config) {
  pack::IngestOptions options;
  options.base_cache_bytes = bytes(config, "core.deltabasecachelimit", options.base_cache_bytes);
  options.big_file_threshold = bytes(config, "core.bigfilethreshold", options.big_file_threshold);
  options.hasher = repo::configured_hasher(config);
  return options;
}

}  // namespace pfetch::session
