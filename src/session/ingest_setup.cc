#include "session/ingest_setup.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
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

int loose_compression(const repo::Config& config) {
  constexpr std::int64_t fastest = 1;
  const std::int64_t level = config.get_int("core.loosecompression", config.get_int("core.compression", fastest));
  if (level < -1 || level > 9) throw Error(ErrorCode::config, fmt::format("bad zlib compression level {}", level));
  return static_cast<int>(level);
}

}  // namespace pfetch::session
