#include "pack/idx_writer.h"

#include <algorithm>
#include <numeric>

#include "base/fd.h"

namespace pfetch::pack {

namespace {

// Writes through a buffer and hashes what it writes; `finish` appends the digest.
class HashedWriter {
 public:
  HashedWriter(int fd, const std::string& path) : fd_(fd), path_(path) { buffer_.reserve(buffer_max); }

  void put(base::Bytes bytes) {
    if (buffer_.size() + bytes.size() > buffer_max) flush();
    buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
  }
  void put32(std::uint32_t value) {
    std::byte bytes[4];
    base::store_be32(bytes, value);
    put(bytes);
  }
  void put64(std::uint64_t value) {
    std::byte bytes[8];
    base::store_be64(bytes, value);
    put(bytes);
  }
  void finish() {
    flush();
    const base::Sha1Digest digest = hash_.finish();
    base::write_all(fd_, std::as_bytes(std::span(digest)), path_);
  }

 private:
  static constexpr std::size_t buffer_max = std::size_t{1} << 17;

  void flush() {
    hash_.update(buffer_);
    base::write_all(fd_, buffer_, path_);
    buffer_.clear();
  }

  int fd_;
  const std::string& path_;
  base::PlainSha1 hash_;
  std::vector<std::byte> buffer_;
};

}  // namespace

std::vector<EntryNumber> sorted_by_id(const EntryTable& table) {
  // Sorting numbers alone would miss the cache at each comparison: the id's first eight bytes travel along.
  struct Key {
    std::uint64_t prefix;
    EntryNumber entry;
  };
  std::vector<Key> keys(table.size());
  for (EntryNumber i = 0; i < keys.size(); ++i) keys[i] = {base::load_be64(table[i].id.raw.data()), i};
  std::sort(keys.begin(), keys.end(), [&](const Key& a, const Key& b) {
    if (a.prefix != b.prefix) return a.prefix < b.prefix;
    const auto order = table[a.entry].id <=> table[b.entry].id;
    return order != 0 ? order < 0 : a.entry < b.entry;
  });
  std::vector<EntryNumber> by_id(keys.size());
  std::transform(keys.begin(), keys.end(), by_id.begin(), [](const Key& key) { return key.entry; });
  return by_id;
}

void write_idx(int fd, const std::string& path, const EntryTable& table, const std::vector<EntryNumber>& by_id,
               const base::Sha1Digest& pack_checksum, const IdxOptions& options) {
  HashedWriter out(fd, path);
  out.put32(0xff744f63);  // "\377tOc"
  out.put32(2);
  std::uint32_t counts[256] = {};
  for (const EntryNumber entry : by_id) ++counts[table[entry].id.raw[0]];
  std::uint32_t total = 0;
  for (const std::uint32_t count : counts) out.put32(total += count);
  for (const EntryNumber entry : by_id) out.put(table[entry].id.bytes());
  for (const EntryNumber entry : by_id) out.put32(table[entry].crc);
  std::vector<std::uint64_t> large;
  for (const EntryNumber entry : by_id) {
    const std::uint64_t offset = table[entry].offset;
    if (offset > options.small_offset_max || offset > 0x7fffffff) {
      out.put32(0x80000000U | static_cast<std::uint32_t>(large.size()));
      large.push_back(offset);
    } else {
      out.put32(static_cast<std::uint32_t>(offset));
    }
  }
  for (const std::uint64_t offset : large) out.put64(offset);
  out.put(std::as_bytes(std::span(pack_checksum)));
  out.finish();
}

void write_rev(int fd, const std::string& path, const std::vector<EntryNumber>& by_id,
               const base::Sha1Digest& pack_checksum) {
  // Entries are numbered in pack order, so the reverse index is the inverse of `by_id`.
  std::vector<std::uint32_t> position(by_id.size());
  for (std::uint32_t i = 0; i < by_id.size(); ++i) position[by_id[i]] = i;
  HashedWriter out(fd, path);
  out.put32(0x52494458);  // "RIDX"
  out.put32(1);           // version
  out.put32(1);           // SHA-1
  for (const std::uint32_t at : position) out.put32(at);
  out.put(std::as_bytes(std::span(pack_checksum)));
  out.finish();
}

}  // namespace pfetch::pack
