#include "store/chunk_file.h"

#include <cstring>

#include "base/sha1.h"
#include "object/oid.h"

namespace pfetch::store {

namespace {

constexpr std::size_t entry_bytes = 12;  // id and offset of one chunk

}  // namespace

ChunkTable::ChunkTable(base::Bytes file, std::size_t table_at, std::size_t count,
                       const std::function<void(const char* why)>& refuse) {
  if (file.size() < object::Oid::raw_size) refuse("it is too small");
  const std::size_t data_end = file.size() - object::Oid::raw_size;
  if (table_at > data_end || (count + 1) * entry_bytes > data_end - table_at) refuse("its chunk table is cut short");
  for (std::size_t i = 0; i < count; ++i) {
    const std::byte* const entry = file.data() + table_at + i * entry_bytes;
    const std::uint64_t begin = base::load_be64(entry + 4);
    const std::uint64_t end = base::load_be64(entry + entry_bytes + 4);
    if (begin > end || end > data_end) refuse("a chunk lies outside the file");
    chunks_.push_back({base::load_be32(entry), file.subspan(begin, end - begin)});
  }
}

base::Bytes ChunkTable::operator[](std::string_view name) const {
  const std::uint32_t id = base::load_be32(name.data());
  for (const Chunk& chunk : chunks_) {
    if (chunk.id == id) return chunk.bytes;
  }
  return {};
}

bool ends_with_its_checksum(base::Bytes file) {
  if (file.size() < object::Oid::raw_size) return false;
  base::PlainSha1 hash;
  hash.update(file.first(file.size() - object::Oid::raw_size));
  const base::Sha1Digest digest = hash.finish();
  return std::memcmp(digest.data(), file.data() + file.size() - digest.size(), digest.size()) == 0;
}

}  // namespace pfetch::store
