// Runs a pack through the pipeline and keeps all that came out of it.
#pragma once

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "base/cancel.h"
#include "base/error.h"
#include "pack/ingest.h"
#include "tests/support/fakes.h"
#include "tests/support/temporary_directory.h"

namespace pfetch::test {

struct Ingested {
  explicit Ingested(const std::string& pack, pack::IngestOptions options = {}, std::size_t piece = 0)
      : ingest(in_directory(std::move(options)), cancel) {
    StringSource source(pack, piece);
    ingest.run(source, {&sink});
  }

  // Each entry as an index knows it: offset, id, kind, CRC.
  using Line = std::tuple<std::uint64_t, object::Oid, object::Kind, std::uint32_t>;
  std::vector<Line> lines() {
    std::vector<Line> all;
    const pack::EntryTable& table = ingest.pack().table();
    for (pack::EntryNumber i = 0; i < table.size(); ++i) {
      all.emplace_back(table[i].offset, table[i].id, table[i].kind, table[i].crc);
    }
    return all;
  }
  // What the sinks were given, without streamed contents.
  std::map<object::Oid, std::string> contents() const {
    std::map<object::Oid, std::string> all;
    for (const auto& [id, seen] : sink.objects()) all[id] = seen.content;
    return all;
  }

  TemporaryDirectory directory;
  base::Cancellation cancel;
  RecordingSink sink;
  pack::Ingest ingest;

 private:
  pack::IngestOptions in_directory(pack::IngestOptions options) const {
    if (options.pack_directory.empty()) options.pack_directory = directory.path();
    if (options.workers == 0) options.workers = 2;
    return options;
  }
};

// The error with which the pipeline refuses a pack; ErrorCode::usage with an empty message when it does not.
inline Error refusal(const std::string& pack, const pack::IngestOptions& options = {}, std::size_t piece = 0) {
  try {
    const Ingested ingested(pack, options, piece);
  } catch (const Error& error) {
    return error;
  }
  return {ErrorCode::usage, ""};
}

inline std::map<object::Oid, std::string> contents_of(const std::vector<PackObject>& objects) {
  std::map<object::Oid, std::string> all;
  for (const PackObject& object : objects) all[object.id()] = object.content;
  return all;
}

}  // namespace pfetch::test
