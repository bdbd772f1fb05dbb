// Completes a thin pack: appends each base that the pack left out, taken from the objects that were here before, and
// resolves what waits for it. The header's count and the trailer are then made anew, as by
// `git index-pack --fix-thin`.
#pragma once

#include <cstdint>
#include <vector>

#include "base/sha1.h"
#include "object/object_source.h"
#include "pack/arriving_pack.h"
#include "pack/delta_resolver.h"

namespace pfetch::pack {

class ThinCompleter {
 public:
  // `end` is where the pack's entries end (and its trailer begins), bytes.
  ThinCompleter(ArrivingPack& pack, DeltaResolver& resolver, object::ObjectSource& bases, std::uint64_t end);

  // `unresolved` in pack order. Returns how many bases were appended. A base that is nowhere is left unresolved.
  std::uint32_t run(const std::vector<EntryNumber>& unresolved);
  const base::Sha1Digest& checksum() const { return checksum_; }

 private:
  void append(const object::Oid& id, const object::Object& base);
  void rewrite_header_and_trailer();

  ArrivingPack& pack_;
  DeltaResolver& resolver_;
  object::ObjectSource& bases_;
  std::uint64_t end_;
  base::Sha1Digest checksum_{};
};

}  // namespace pfetch::pack
