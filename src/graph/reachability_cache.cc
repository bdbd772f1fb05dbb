#include "graph/reachability_cache.h"

#include <fcntl.h>
#include <xxhash.h>

#include <cstring>

#include "base/error.h"
#include "base/lock_file.h"

namespace pfetch::graph {

namespace {

using object::Oid;

constexpr std::uint32_t magic = 0x50465243;  // "PFRC"
constexpr std::uint32_t version = 1;
constexpr std::size_t header_bytes = 24;
constexpr std::size_t hash_bytes = 8;

std::string header(std::uint64_t key, std::size_t top_count, std::size_t commit_count) {
  std::string bytes(header_bytes, '\0');
  base::store_be32(bytes.data(), magic);
  base::store_be32(bytes.data() + 4, version);
  base::store_be64(bytes.data() + 8, key);
  base::store_be32(bytes.data() + 16, static_cast<std::uint32_t>(top_count));
  base::store_be32(bytes.data() + 20, static_cast<std::uint32_t>(commit_count));
  return bytes;
}

}  // namespace

std::optional<ReachabilityCache> ReachabilityCache::open(const std::string& path, std::uint64_t key) {
  ReachabilityCache cache;
  try {
    const base::UniqueFd fd = base::open_if_there(path, O_RDONLY);
    if (!fd) return std::nullopt;
    cache.file_ = base::MappedFile(fd.get(), path);
  } catch (const Error&) {
    return std::nullopt;
  }
  const base::Bytes bytes = cache.file_.view();
  if (bytes.size() < header_bytes + hash_bytes) return std::nullopt;
  cache.top_count_ = base::load_be32(bytes.data() + 16);
  cache.commit_count_ = base::load_be32(bytes.data() + 20);
  const std::string expected = header(key, cache.top_count_, cache.commit_count_);
  if (std::memcmp(bytes.data(), expected.data(), header_bytes) != 0) return std::nullopt;
  const std::size_t hashed = header_bytes + (cache.top_count_ + cache.commit_count_) * Oid::raw_size;
  if (bytes.size() != hashed + hash_bytes) return std::nullopt;
  if (XXH64(bytes.data(), hashed, 0) != base::load_be64(bytes.data() + hashed)) return std::nullopt;
  return cache;
}

bool ReachabilityCache::save(const std::string& path, std::uint64_t key, const std::vector<Oid>& tops,
                             const std::vector<Oid>& commits) {
  std::string bytes = header(key, tops.size(), commits.size());
  bytes.reserve(header_bytes + (tops.size() + commits.size()) * Oid::raw_size + hash_bytes);
  for (const std::vector<Oid>* part : {&tops, &commits}) {
    for (const Oid& id : *part) bytes += base::as_text(id.bytes());
  }
  const std::uint64_t hash = XXH64(bytes.data(), bytes.size(), 0);
  bytes.resize(bytes.size() + hash_bytes);
  base::store_be64(bytes.data() + bytes.size() - hash_bytes, hash);
  try {
    base::make_directories(path.substr(0, path.rfind('/')));
    base::LockFile lock = base::LockFile::take(path);
    lock.write(bytes);
    lock.commit();
    return true;
  } catch (const Error&) {
    return false;
  }
}

std::vector<Oid> ReachabilityCache::ids(std::size_t offset, std::size_t count) const {
  std::vector<Oid> found;
  found.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    found.push_back(Oid::from_raw(file_.view().data() + offset + i * Oid::raw_size));
  }
  return found;
}

std::vector<Oid> ReachabilityCache::tops() const {
  return ids(header_bytes, top_count_);
}

std::vector<Oid> ReachabilityCache::commits() const {
  return ids(header_bytes + top_count_ * Oid::raw_size, commit_count_);
}

bool ReachabilityCache::has(const Oid& commit) const {
  const std::byte* const first = file_.view().data() + header_bytes + top_count_ * Oid::raw_size;
  std::size_t low = 0;
  std::size_t high = commit_count_;
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    const int order = std::memcmp(first + middle * Oid::raw_size, commit.raw.data(), Oid::raw_size);
    if (order == 0) return true;
    if (order < 0) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return false;
}

std::uint64_t reachability_key(std::span<const std::string> parts) {
  std::uint64_t key = 0;
  for (const std::string& part : parts) key = XXH64(part.data(), part.size(), key + 1);
  return key;
}

}  // namespace pfetch::graph
