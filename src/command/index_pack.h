// `pfetch index-pack`: the pipeline alone, from a file or from standard input to a pack with its index.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "command/command_context.h"

namespace pfetch::command {

struct IndexPackRequest {
  std::string pack_file;  // empty with --stdin
  bool from_stdin = false;
  std::optional<std::string> output;        // -o: where the index goes
  std::optional<std::string> keep_message;  // --keep[=<msg>]
  bool strict = false;
  bool check_objects = false;   // --strict[=…] and --fsck-objects
  std::string fsck_severities;  // "<id>=<severity>" with commas between
  bool fix_thin = false;
  bool write_rev = true;  // --[no-]rev-index
  unsigned threads = 0;
  std::uint64_t max_input_bytes = 0;
  std::uint32_t small_offset_max = 0x7fffffff;  // --index-version=2,<offset>
};

struct IndexPackOutcome {
  std::string checksum;
  bool kept = false;
  std::uint64_t objects = 0;
  std::uint64_t deltas = 0;
  std::uint64_t inflated_once = 0;
  std::uint64_t inflated_again = 0;
  double seconds = 0;
};

// With from_stdin `input` is read: a descriptor. Throws pfetch::Error; then no file has been left.
IndexPackOutcome index_pack(const IndexPackRequest& request, int input, const CommandContext& context);

}  // namespace pfetch::command
