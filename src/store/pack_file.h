// One stored pack (gitformat-pack): objects by the offset of their entry, with delta chains of any length.
//
// The pack is mapped whole. Chains are followed and rebuilt without recursion: what a chain costs is 24 bytes for each
// of its deltas, and the buffers of one base and one result at a time. Lengths are bounded by the pack's object count,
// so a ring of ref-deltas ends as damage. Bases must be in the same pack, as they are in every installed pack.
//
// Thread safe. Throws ErrorCode::corrupt naming the offset at fault; the caller adds which object and which pack.
// Hashes are not computed: damage shows in zlib's checksum, in sizes and in delta instructions.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/bytes.h"
#include "base/fd.h"
#include "object/object_source.h"
#include "store/base_cache.h"
#include "store/entry_header.h"
#include "store/idx.h"
#include "store/inflate_pool.h"

namespace pfetch::store {

class PackFile {
 public:
  // What reading needs beside the pack; both outlive the PackFile.
  struct Context {
    InflatePool& inflaters;
    BaseCache& bases;
  };

  // Maps the pack and checks its header, and that its object count and checksum are those `index` names. The index
  // must outlive the PackFile. ErrorCode::not_found when the file is not there.
  PackFile(const std::string& path, const PackIndex& index, Context context);
  PackFile(const PackFile&) = delete;  // its address is its name in the cache
  PackFile& operator=(const PackFile&) = delete;

  const std::string& path() const { return path_; }

  // All take the offset of an entry, as PackIndex::offset_at gives it; one outside the pack is damage.
  object::ObjectInfo info(std::uint64_t offset) const;
  object::Object read(std::uint64_t offset) const;
  // Hands the content over in order, in pieces: of at most 64 KB, in bounded memory, for an object stored whole; in one
  // piece for a delta, which needs all of its base anyway.
  void stream(std::uint64_t offset, const std::function<void(base::Bytes)>& piece) const;

 private:
  struct Entry {
    EntryHeader header;
    std::uint64_t offset = 0;  // of the entry
    base::Bytes data;          // from the zlib stream's first byte to the end of all entries
  };
  struct Delta {
    std::uint64_t offset = 0;     // of the entry
    std::uint64_t data_at = 0;    // of its zlib stream
    std::uint64_t data_size = 0;  // of the delta, inflated
  };

  Entry entry_at(std::uint64_t offset) const;
  std::uint64_t base_offset(const Entry& entry) const;
  object::Object inflate_object(const Entry& entry, InflateTools& tools) const;
  void apply(const Delta& delta, object::Object& object, InflateTools& tools) const;
  std::uint64_t delta_result_size(const Entry& entry, InflateTools& tools) const;

  std::string path_;
  const PackIndex& index_;
  Context context_;
  base::MappedFile file_;
  std::uint64_t entries_end_ = 0;  // where the trailing checksum begins
};

}  // namespace pfetch::store
