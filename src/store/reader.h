// The objects of a repository: packs and loose files of its objects directory and of its alternates.
//
// An object is looked for in multi-pack-indexes, then in the packs that answered last, then in all others, then loose.
// On a miss the pack directories are looked at again, and listed again if they changed, so that a repack beside us
// loses nothing. A copy that is damaged, or vanished between look-up and reading, is no failure as long as another copy
// is good.
//
// Thread safe; no lock is held while an object is inflated. Pack indexes and packs stay mapped as long as the Reader
// lives. Objects are given as stored: replace refs and grafts are not followed, and hashes are not computed again. The
// empty tree is always there, as in Git. Damage throws ErrorCode::corrupt: "packed object <id> (stored in <pack>) is
// corrupt: …", "loose object <id> (stored in <file>) is corrupt: …", or what is wrong with an index, when no good copy
// is found.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "object/object_source.h"
#include "store/base_cache.h"
#include "store/inflate_pool.h"
#include "store/loose.h"
#include "store/pack_set.h"

namespace pfetch::store {

struct ReaderOptions {
  std::size_t delta_base_cache_bytes = std::size_t{96} << 20;  // core.deltaBaseCacheLimit
};

class Reader final : public object::ObjectSource {
 public:
  // `objects_directories`: the repository's own first, then its alternates, each the path of an "objects" directory.
  // One that does not exist holds nothing.
  explicit Reader(std::vector<std::string> objects_directories, const ReaderOptions& options = {});

  std::optional<object::ObjectInfo> info(const object::Oid& id) override;
  std::optional<object::Object> read(const object::Oid& id) override;
  // In bounded memory for loose objects and those stored whole; a delta is rebuilt in memory. When damage shows after
  // the first piece, it throws. What `piece` throws comes out unchanged.
  bool stream(const object::Oid& id, const std::function<void(base::Bytes)>& piece) override;

  // Whether some pack or loose file has the id, by look-up alone: nothing is inflated. With `quick`, directories are
  // not looked at again on a miss, so an object that another process is just adding may be overlooked; right where most
  // answers are "no", as for the tips a server advertises.
  bool contains(const object::Oid& id, bool quick = false);
  // The same without the empty tree that is always there.
  bool stores(const object::Oid& id);

  // The ids of stored objects that begin so, ascending, each once; of each pack, and of loose ones, at most `limit`.
  // Loose objects are found by two digits or more.
  std::vector<object::Oid> find_prefix(const object::OidPrefix& prefix, std::size_t limit);

  // Objects in packs, those in several of them counted each time; loose ones are not counted.
  std::uint64_t packed_objects();

 private:
  struct Use;
  struct Search;
  bool visit(const object::Oid& id, const Use& use);
  bool search(const object::Oid& id, const Use& use, Search& state, const PackSet::Snapshot& packs);
  bool search_packs(const object::Oid& id, const Use& use, Search& state, const PackSet::Snapshot& packs);
  bool try_pack(const object::Oid& id, const Use& use, Search& state, StoredPack& pack);
  bool try_entry(const object::Oid& id, const Use& use, Search& state, StoredPack& pack, std::uint64_t offset);
  bool try_loose(const object::Oid& id, const Use& use, Search& state);
  bool look_up(const object::Oid& id, bool quick);
  std::vector<object::Oid> prefixed(const object::OidPrefix& prefix, std::size_t limit,
                                    const PackSet::Snapshot& packs) const;
  bool is_known(const object::Oid& id, const PackSet::Snapshot& packs);

  const std::vector<std::string> directories_;
  InflatePool inflaters_;
  BaseCache bases_;
  PackSet packs_;
};

}  // namespace pfetch::store
