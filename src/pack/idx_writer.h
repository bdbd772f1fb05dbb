// Pack indexes, version 2 (gitformat-pack, "pack-*.idx files"), and reverse indexes, version 1 ("pack-*.rev files").
#pragma once

#include <string>
#include <vector>

#include "base/sha1.h"
#include "pack/entry_table.h"

namespace pfetch::pack {

struct IdxOptions {
  // Offsets above this go to the table of 64-bit offsets (`index-pack --index-version=2,<offset>`).
  std::uint32_t small_offset_max = 0x7fffffff;
};

// The entries by object id; equal ids by place in the pack.
std::vector<EntryNumber> sorted_by_id(const EntryTable& table);

// Each writes a whole file to `fd` (`path` is for messages). All entries must be resolved.
void write_idx(int fd, const std::string& path, const EntryTable& table, const std::vector<EntryNumber>& by_id,
               const base::Sha1Digest& pack_checksum, const IdxOptions& options);
void write_rev(int fd, const std::string& path, const std::vector<EntryNumber>& by_id,
               const base::Sha1Digest& pack_checksum);

}  // namespace pfetch::pack
