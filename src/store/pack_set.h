// Which packs lie in a list of objects directories, looked up by id, and looked for again when the directories change.
//
// Directories are listed when the set is made and when `refresh` finds that they changed. A listing (a Snapshot) never
// changes and, like every pack, lives as long as the set: readers take no lock and hold no count. Listings that did not
// differ are not kept, so their number is that of real changes. Thread safe.
#pragma once

#include <sys/stat.h>
#include <sys/types.h>

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "store/midx.h"
#include "store/stored_pack.h"

namespace pfetch::store {

class PackSet {
 public:
  struct Covered {  // a multi-pack-index and the packs it names, in its order
    std::shared_ptr<const MultiPackIndex> index;
    std::vector<StoredPack*> packs;
  };
  struct Snapshot {
    std::vector<Covered> covered;
    std::vector<StoredPack*> others;  // by directory, the youngest pack first
  };

  // Each entry of `objects_directories` has (or has not) a directory "pack". Those that are absent are empty.
  PackSet(std::vector<std::string> objects_directories, PackFile::Context context);

  const Snapshot& current() const { return *current_.load(std::memory_order_acquire); }

  // Lists the directories again if they changed, or in any case when `force`; returns whether the current snapshot is
  // now another than `seen`.
  bool refresh(const Snapshot& seen, bool force);

  // The pack that answered last is asked first. `at` below recent_max.
  static constexpr std::size_t recent_max = 4;
  StoredPack* recent(std::size_t at) const { return recent_[at].load(std::memory_order_relaxed); }
  void note_hit(StoredPack* pack);

 private:
  bool unchanged() const;
  std::unique_ptr<Snapshot> list();
  void list_directory(const std::string& directory, Snapshot& snapshot);
  std::shared_ptr<const MultiPackIndex> multi_pack_index(const std::string& path);
  StoredPack* pack_named(const std::string& stem);

  const std::vector<std::string> directories_;  // ".../pack"
  const PackFile::Context context_;
  mutable std::mutex mutex_;  // guards all down to multi_pack_indexes_
  // When each directory had last changed when it was listed. Equal times mean that nothing changed since, unless one
  // was `young`: then the next change may bear the same time.
  std::vector<struct timespec> changed_;
  bool young_ = false;
  std::unordered_map<std::string, std::unique_ptr<StoredPack>> packs_;  // by stem
  std::vector<std::unique_ptr<const Snapshot>> snapshots_;
  struct KnownIndex {
    struct stat status {};
    std::shared_ptr<const MultiPackIndex> index;
  };
  std::unordered_map<std::string, KnownIndex> multi_pack_indexes_;  // by path
  std::atomic<const Snapshot*> current_{nullptr};
  std::array<std::atomic<StoredPack*>, recent_max> recent_{};  // a race between two hits costs order, never truth
};

}  // namespace pfetch::store
