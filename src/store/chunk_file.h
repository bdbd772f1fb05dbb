// What several of Git's files have in common: a table of contents of chunks (gitformat-chunk), and a checksum over all
// that stands before it.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "base/bytes.h"

namespace pfetch::store {

// The chunks of a file that is mapped; what it gives are views into the map. Immutable, safe from any thread.
class ChunkTable {
 public:
  // The table of `count` chunks stands at `table_at`; the file ends with a checksum, which no chunk overlaps. Where the
  // table cannot be right, `refuse` is called with what is wrong, and must throw.
  ChunkTable(base::Bytes file, std::size_t table_at, std::size_t count,
             const std::function<void(const char* why)>& refuse);

  // The first chunk of that name ("OIDF"); empty when there is none.
  base::Bytes operator[](std::string_view name) const;

 private:
  struct Chunk {
    std::uint32_t id;
    base::Bytes bytes;
  };
  std::vector<Chunk> chunks_;
};

// Whether a file ends with the SHA-1 of all before it. Reads all of it.
bool ends_with_its_checksum(base::Bytes file);

// The first byte, as the formats' readers want it.
inline const std::uint8_t* raw(base::Bytes bytes) {
  return reinterpret_cast<const std::uint8_t*>(bytes.data());
}

}  // namespace pfetch::store
