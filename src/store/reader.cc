#include "store/reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>

#include "base/error.h"

namespace pfetch::store {

namespace {

// Carries what a caller's function threw past the handlers of damage.
struct CallerFailed {
  std::exception_ptr why;
};

bool is_empty_tree(const object::Oid& id) {
  return id == object::empty_tree_id();
}

}  // namespace

// What to do with a copy once it is found. Either function throws pfetch::Error when the copy is damaged.
struct Reader::Use {
  std::function<void(const PackFile&, std::uint64_t offset)> packed;
  std::function<void(LooseObject&)> loose;
  const bool* begun = nullptr;  // once true, another copy would come too late
};

struct Reader::Search {
  std::optional<Error> first_error;  // of a copy or an index that is damaged
  bool vanished = false;             // some pack was listed and is gone
};

Reader::Reader(std::vector<std::string> objects_directories, const ReaderOptions& options)
    : directories_(objects_directories),
      bases_(options.delta_base_cache_bytes),
      packs_(std::move(objects_directories), PackFile::Context{inflaters_, bases_}) {}

bool Reader::try_entry(const object::Oid& id, const Use& use, Search& state, StoredPack& pack, std::uint64_t offset) {
  const PackFile* const file = pack.file();
  if (file == nullptr) {
    state.vanished = true;
    return false;
  }
  try {
    use.packed(*file, offset);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::corrupt) throw;
    Error named(ErrorCode::corrupt, fmt::format("packed object {} (stored in {}) is corrupt: {}", id.hex(),
                                                pack.pack_path(), error.message()));
    if (use.begun != nullptr && *use.begun) throw named;
    if (!state.first_error) state.first_error = std::move(named);
    return false;
  }
  packs_.note_hit(&pack);
  return true;
}

// An index or a pack that cannot be opened may still not be needed: the error waits until all else was looked through.
bool Reader::try_pack(const object::Oid& id, const Use& use, Search& state, StoredPack& pack) {
  try {
    const PackIndex* const index = pack.index();
    if (index == nullptr) {
      state.vanished = true;
      return false;
    }
    const auto position = index->find(id);
    return position && try_entry(id, use, state, pack, index->offset_at(*position));
  } catch (const Error& error) {
    if (use.begun != nullptr && *use.begun) throw;
    if (!state.first_error) state.first_error = error;
    return false;
  }
}

bool Reader::search_packs(const object::Oid& id, const Use& use, Search& state, const PackSet::Snapshot& packs) {
  for (const PackSet::Covered& covered : packs.covered) {
    try {
      const auto place = covered.index->find(id);
      if (place && try_entry(id, use, state, *covered.packs[place->pack], place->offset)) return true;
      // Its copy is bad: the pack it chose is not the only one that may have the object.
      if (!place) continue;
      for (StoredPack* const pack : covered.packs) {
        if (pack != covered.packs[place->pack] && try_pack(id, use, state, *pack)) return true;
      }
    } catch (const Error& error) {
      if (use.begun != nullptr && *use.begun) throw;
      if (!state.first_error) state.first_error = error;
    }
  }
  std::array<StoredPack*, PackSet::recent_max> tried{};
  for (std::size_t i = 0; i < tried.size(); ++i) {
    tried[i] = packs_.recent(i);
    if (tried[i] != nullptr && try_pack(id, use, state, *tried[i])) return true;
  }
  for (StoredPack* const pack : packs.others) {
    if (std::find(tried.begin(), tried.end(), pack) == tried.end() && try_pack(id, use, state, *pack)) return true;
  }
  return false;
}

bool Reader::try_loose(const object::Oid& id, const Use& use, Search& state) {
  const InflatePool::Loan tools(inflaters_);
  for (const std::string& directory : directories_) {
    const std::string path = loose_object_path(directory, id);
    try {
      auto loose = LooseObject::open(path, *tools);
      if (!loose) continue;
      use.loose(*loose);
      return true;
    } catch (const Error& error) {
      Error named = error;
      if (error.code() == ErrorCode::corrupt) {
        named = Error(ErrorCode::corrupt,
                      fmt::format("loose object {} (stored in {}) is corrupt: {}", id.hex(), path, error.message()));
      }
      if (use.begun != nullptr && *use.begun) throw named;
      if (!state.first_error) state.first_error = std::move(named);
    }
  }
  return false;
}

bool Reader::search(const object::Oid& id, const Use& use, Search& state, const PackSet::Snapshot& packs) {
  return search_packs(id, use, state, packs) || try_loose(id, use, state);
}

bool Reader::visit(const object::Oid& id, const Use& use) {
  for (;;) {
    Search state;
    const PackSet::Snapshot& packs = packs_.current();
    if (search(id, use, state, packs)) return true;
    // Each turn needs a directory that really changed, so this ends unless repacks never do.
    if (packs_.refresh(packs, state.vanished)) continue;
    if (state.first_error) throw *state.first_error;
    return false;
  }
}

std::optional<object::ObjectInfo> Reader::info(const object::Oid& id) {
  std::optional<object::ObjectInfo> info;
  Use use;
  use.packed = [&](const PackFile& pack, std::uint64_t offset) { info = pack.info(offset); };
  use.loose = [&](LooseObject& loose) { info = loose.info(); };
  if (!visit(id, use) && is_empty_tree(id)) return object::ObjectInfo{object::Kind::tree, 0};
  return info;
}

std::optional<object::Object> Reader::read(const object::Oid& id) {
  std::optional<object::Object> object;
  Use use;
  use.packed = [&](const PackFile& pack, std::uint64_t offset) { object = pack.read(offset); };
  use.loose = [&](LooseObject& loose) { object = loose.read(); };
  if (!visit(id, use) && is_empty_tree(id)) return object::Object{object::Kind::tree, {}};
  return object;
}

bool Reader::stream(const object::Oid& id, const std::function<void(base::Bytes)>& piece) {
  bool begun = false;
  const std::function<void(base::Bytes)> guarded = [&](base::Bytes bytes) {
    begun = true;
    try {
      piece(bytes);
    } catch (...) {
      throw CallerFailed{std::current_exception()};
    }
  };
  Use use;
  use.packed = [&](const PackFile& pack, std::uint64_t offset) { pack.stream(offset, guarded); };
  use.loose = [&](LooseObject& loose) { loose.stream(guarded); };
  use.begun = &begun;
  try {
    return visit(id, use) || is_empty_tree(id);
  } catch (const CallerFailed& failed) {
    std::rethrow_exception(failed.why);
  }
}

bool Reader::is_known(const object::Oid& id, const PackSet::Snapshot& packs) {
  const auto in_pack = [&](StoredPack* pack) {
    if (pack == nullptr) return false;
    const PackIndex* const index = pack->index();
    if (index == nullptr || !index->find(id)) return false;
    packs_.note_hit(pack);
    return true;
  };
  for (const PackSet::Covered& covered : packs.covered) {
    if (covered.index->find(id)) return true;
  }
  for (std::size_t i = 0; i < PackSet::recent_max; ++i) {
    if (in_pack(packs_.recent(i))) return true;
  }
  if (std::any_of(packs.others.begin(), packs.others.end(), in_pack)) return true;
  return std::any_of(directories_.begin(), directories_.end(),
                     [&](const std::string& directory) { return base::path_exists(loose_object_path(directory, id)); });
}

bool Reader::contains(const object::Oid& id, bool quick) {
  return is_empty_tree(id) || look_up(id, quick);
}

bool Reader::stores(const object::Oid& id) {
  return look_up(id, false);
}

bool Reader::look_up(const object::Oid& id, bool quick) {
  for (;;) {
    const PackSet::Snapshot& packs = packs_.current();
    if (is_known(id, packs)) return true;
    if (quick || !packs_.refresh(packs, false)) return false;
  }
}

std::vector<object::Oid> Reader::prefixed(const object::OidPrefix& prefix, std::size_t limit,
                                          const PackSet::Snapshot& packs) const {
  std::vector<object::Oid> found;
  for (const PackSet::Covered& covered : packs.covered) covered.index->find_prefix(prefix, limit, found);
  for (StoredPack* const pack : packs.others) {
    if (const PackIndex* const index = pack->index()) index->find_prefix(prefix, limit, found);
  }
  for (const std::string& directory : directories_) find_loose_prefix(directory, prefix, limit, found);
  return object::sorted_unique(std::move(found));
}

std::vector<object::Oid> Reader::find_prefix(const object::OidPrefix& prefix, std::size_t limit) {
  for (;;) {
    const PackSet::Snapshot& packs = packs_.current();
    std::vector<object::Oid> found = prefixed(prefix, limit, packs);
    if (!found.empty() || !packs_.refresh(packs, false)) return found;
  }
}

std::uint64_t Reader::packed_objects() {
  const PackSet::Snapshot& packs = packs_.current();
  std::uint64_t count = 0;
  for (const PackSet::Covered& covered : packs.covered) count += covered.index->count();
  for (StoredPack* pack : packs.others) {
    if (const PackIndex* index = pack->index()) count += index->count();
  }
  return count;
}

}  // namespace pfetch::store
