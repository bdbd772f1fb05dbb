// One commit-graph file (gitformat-commit-graph), whole or a layer of a chain.
//
// Mapped; its layout, the order of its ids and its checksum are verified when it is opened. Numbers inside (parents,
// positions in other chunks) are checked when they are read. Immutable, safe from any thread. Throws
// ErrorCode::corrupt, or unsupported for another version or other ids than SHA-1, naming the file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/fd.h"
#include "object/oid.h"

namespace pfetch::graph {

class CommitGraphLayer {
 public:
  // ErrorCode::not_found when the file is not there.
  explicit CommitGraphLayer(const std::string& path);

  const std::string& path() const { return path_; }
  object::Oid checksum() const;
  // The checksums of the layers below, from the ground up; empty for a file that stands alone.
  const std::vector<object::Oid>& base_checksums() const { return base_checksums_; }
  // Commits of this layer alone. Indexes below go from 0 to count() - 1, in the order of ids.
  std::uint32_t count() const { return count_; }

  std::optional<std::uint32_t> find(const object::Oid& id) const;
  object::Oid id_at(std::uint32_t index) const;
  // Appends positions in the whole chain, counted from the ground up; they may be beyond its end.
  void append_parents(std::uint32_t index, std::vector<std::uint32_t>& parents) const;
  // Of the committer, seconds since the epoch, modulo 2^34.
  std::int64_t date(std::uint32_t index) const;
  // Generation numbers, version 1; 0: none was computed.
  std::uint32_t topological_level(std::uint32_t index) const;
  bool has_corrected_dates() const { return offsets_ != nullptr; }
  // Generation numbers, version 2. Only when has_corrected_dates().
  std::uint64_t corrected_date(std::uint32_t index) const;

  [[noreturn]] void throw_corrupt(const char* why) const;

 private:
  void open_chunks();
  const std::uint8_t* data_of(std::uint32_t index) const;

  std::string path_;
  base::MappedFile file_;
  std::vector<object::Oid> base_checksums_;  // BASE
  std::uint32_t count_ = 0;
  const std::uint8_t* fanout_ = nullptr;   // OIDF
  const std::uint8_t* ids_ = nullptr;      // OIDL
  const std::uint8_t* data_ = nullptr;     // CDAT
  const std::uint8_t* offsets_ = nullptr;  // GDA2; nullptr when absent
  base::Bytes large_offsets_;              // GDO2
  base::Bytes edges_;                      // EDGE
};

}  // namespace pfetch::graph
