#include "store/pack_set.h"

#include <dirent.h>
#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <cerrno>
#include <unordered_set>

#include "base/error.h"

namespace pfetch::store {

namespace {

// A directory that changed less than this before it was listed may change again within one tick of its clock (FAT
// counts in 2 seconds), so equal stamps prove nothing then.
constexpr time_t young_seconds = 3;

struct CloseDirectory {
  void operator()(DIR* directory) const { ::closedir(directory); }
};

bool take_suffix(std::string& name, std::string_view suffix) {
  if (name.size() <= suffix.size() || name.compare(name.size() - suffix.size(), suffix.size(), suffix) != 0) {
    return false;
  }
  name.resize(name.size() - suffix.size());
  return true;
}

struct timespec change_time(const std::string& directory) {
  struct stat status {};
  if (::stat(directory.c_str(), &status) != 0) return {};
  return status.st_mtim;
}

bool same_time(const struct timespec& a, const struct timespec& b) {
  return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

bool later(const struct timespec& a, const struct timespec& b) {
  return a.tv_sec != b.tv_sec ? a.tv_sec > b.tv_sec : a.tv_nsec > b.tv_nsec;
}

}  // namespace

PackSet::PackSet(std::vector<std::string> objects_directories, PackFile::Context context)
    : directories_([&] {
        for (std::string& directory : objects_directories) directory += "/pack";
        return std::move(objects_directories);
      }()),
      context_(context) {
  snapshots_.push_back(list());
  current_.store(snapshots_.back().get(), std::memory_order_release);
}

StoredPack* PackSet::pack_named(const std::string& stem) {
  std::unique_ptr<StoredPack>& pack = packs_[stem];
  if (!pack) pack = std::make_unique<StoredPack>(stem, context_);
  return pack.get();
}

std::unique_ptr<PackSet::Snapshot> PackSet::list() {
  auto snapshot = std::make_unique<Snapshot>();
  changed_.clear();
  young_ = false;
  for (const std::string& directory : directories_) {
    const struct timespec changed = change_time(directory);  // before listing: what comes after it is seen next time
    changed_.push_back(changed);
    if (changed.tv_sec + young_seconds > ::time(nullptr)) young_ = true;
    list_directory(directory, *snapshot);
  }
  return snapshot;
}

void PackSet::list_directory(const std::string& directory, Snapshot& snapshot) {
  const std::unique_ptr<DIR, CloseDirectory> stream(::opendir(directory.c_str()));
  if (!stream) {
    if (errno == ENOENT || errno == ENOTDIR) return;
    throw_errno(errno, "could not open directory", directory);
  }
  std::unordered_set<std::string> indexes;
  std::vector<std::string> packs;
  bool has_multi_pack_index = false;
  while (const dirent* const entry = ::readdir(stream.get())) {  // NOLINT(concurrency-mt-unsafe): our own stream
    std::string name = entry->d_name;
    if (name == "multi-pack-index") has_multi_pack_index = true;
    if (take_suffix(name, ".idx")) {
      indexes.insert(std::move(name));
    } else if (take_suffix(name, ".pack")) {
      packs.push_back(std::move(name));
    }
  }
  std::unordered_set<std::string_view> covered;
  if (has_multi_pack_index) {
    if (const auto index = multi_pack_index(directory + "/multi-pack-index")) {
      Covered& of_index = snapshot.covered.emplace_back(Covered{index, {}});
      for (const std::string_view name : index->pack_names()) {
        const std::string_view stem = name.substr(0, name.rfind('.'));
        covered.insert(stem);
        of_index.packs.push_back(pack_named(fmt::format("{}/{}", directory, stem)));
      }
    }
  }
  std::vector<std::pair<struct timespec, StoredPack*>> found;
  for (const std::string& name : packs) {
    if (indexes.count(name) == 0 || covered.count(name) != 0) continue;
    const std::string stem = directory + "/" + name;
    struct stat status {};
    if (::stat((stem + ".pack").c_str(), &status) != 0) continue;  // gone since it was listed
    found.emplace_back(status.st_mtim, pack_named(stem));
  }
  std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return later(a.first, b.first); });
  for (const auto& [time, pack] : found) snapshot.others.push_back(pack);
}

// nullptr when it is damaged or unknown: that only costs speed, since every pack has an index of its own.
std::shared_ptr<const MultiPackIndex> PackSet::multi_pack_index(const std::string& path) {
  KnownIndex& known = multi_pack_indexes_[path];
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return nullptr;
  const bool same = known.status.st_ino == status.st_ino && known.status.st_size == status.st_size &&
                    same_time(known.status.st_mtim, status.st_mtim);
  if (known.index && same) return known.index;
  known.index.reset();
  known.status = status;
  try {
    known.index = std::make_shared<const MultiPackIndex>(path);
  } catch (const Error& error) {
    if (error.code() == ErrorCode::io) throw;
  }
  return known.index;
}

bool PackSet::unchanged() const {
  for (std::size_t i = 0; i < directories_.size(); ++i) {
    if (!same_time(change_time(directories_[i]), changed_[i])) return false;
  }
  return true;
}

bool PackSet::refresh(const Snapshot& seen, bool force) {
  if (&current() != &seen) return true;
  const std::scoped_lock lock(mutex_);
  if (&current() != &seen) return true;
  if (!force && !young_ && unchanged()) return false;
  std::unique_ptr<const Snapshot> fresh = list();
  const auto same_index = [](const Covered& a, const Covered& b) { return a.index == b.index; };
  if (fresh->others == seen.others &&
      std::equal(fresh->covered.begin(), fresh->covered.end(), seen.covered.begin(), seen.covered.end(), same_index)) {
    return false;
  }
  snapshots_.push_back(std::move(fresh));
  current_.store(snapshots_.back().get(), std::memory_order_release);
  return true;
}

void PackSet::note_hit(StoredPack* pack) {
  StoredPack* before = pack;
  for (std::atomic<StoredPack*>& place : recent_) {
    StoredPack* const here = place.load(std::memory_order_relaxed);
    if (here == before || here == pack) {
      if (before != here) place.store(before, std::memory_order_relaxed);
      return;
    }
    place.store(before, std::memory_order_relaxed);
    before = here;
    if (before == nullptr) return;
  }
}

}  // namespace pfetch::store
