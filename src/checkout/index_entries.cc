#include "checkout/index_entries.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/error.h"
#include "base/sha1.h"
#include "checkout/index_layout.h"
#include "object/path_rules.h"

namespace pfetch::checkout {
namespace {

using object::Oid;

constexpr std::size_t stat_and_mode_bytes = 10 * 4;
constexpr std::size_t fixed_bytes = stat_and_mode_bytes + Oid::raw_size + 2;  // up to and with the flags
constexpr std::uint64_t paths_bytes_max = std::uint64_t{1} << 30;

[[noreturn]] void throw_corrupt(std::string message) {
  throw Error(ErrorCode::corrupt, std::move(message));
}

// The text up to the NUL at the front of `rest`, which is moved behind the NUL.
std::string_view take_text(base::Bytes& rest) {
  const std::string_view text = base::as_text(rest);
  const std::size_t end = text.find('\0');
  if (end == std::string_view::npos) throw_corrupt("a path does not end");
  rest = rest.subspan(end + 1);
  return text.substr(0, end);
}

class EntryDecoder {
 public:
  EntryDecoder(std::uint32_t version, base::Bytes rest, PathStore& paths)
      : version_(version), rest_(rest), paths_(paths) {}

  IndexEntry next() {
    if (rest_.size() < fixed_bytes) throw_corrupt("it is cut short in an entry");
    entry_ = {};
    const base::Bytes start = rest_;
    const std::uint32_t flags = take_fixed();
    const std::size_t size_in_flags = flags & index_path_size_max;
    entry_.path = version_ == 4 ? take_compressed_path() : take_plain_path(size_in_flags, start);
    if (std::min(entry_.path.size(), index_path_size_max) != size_in_flags) {
      throw_corrupt(fmt::format("the size of a path is wrong: '{}'", entry_.path));
    }
    return entry_;
  }

  base::Bytes rest() const { return rest_; }

 private:
  // Reads everything before the path into entry_; returns the flags.
  std::uint32_t take_fixed() {
    const std::byte* at = rest_.data();
    IndexStat& stat = entry_.stat;
    for (std::uint32_t* into : {&stat.ctime_s, &stat.ctime_ns, &stat.mtime_s, &stat.mtime_ns, &stat.dev, &stat.ino,
                                &entry_.mode, &stat.uid, &stat.gid, &stat.size}) {
      *into = base::load_be32(at);
      at += 4;
    }
    entry_.id = Oid::from_raw(at);
    const std::uint32_t flags = base::load_be16(at + Oid::raw_size);
    rest_ = rest_.subspan(fixed_bytes);
    entry_.stage = static_cast<std::uint8_t>(flags >> index_stage_shift & index_stage_max);
    entry_.assume_valid = (flags & index_assume_valid) != 0;
    if ((flags & index_extended) != 0) take_extended_flags();
    return flags;
  }

  void take_extended_flags() {
    if (version_ < 3) throw_corrupt("version 2 has no extended flags");
    if (rest_.size() < 2) throw_corrupt("it is cut short in an entry");
    const std::uint32_t extended = base::load_be16(rest_.data());
    rest_ = rest_.subspan(2);
    if ((extended & ~(index_intent_to_add | index_skip_worktree)) != 0) {
      throw Error(ErrorCode::unsupported, fmt::format("unknown extended flags {:#06x}", extended));
    }
    entry_.intent_to_add = (extended & index_intent_to_add) != 0;
    entry_.skip_worktree = (extended & index_skip_worktree) != 0;
  }

  // Versions 2 and 3: the path, and NULs up to a multiple of eight bytes from the `start` of the entry. A path that is
  // too long for the flags ends at its first NUL, another one where the flags say.
  std::string_view take_plain_path(std::size_t size_in_flags, base::Bytes start) {
    base::Bytes after = rest_;
    if (size_in_flags < index_path_size_max) {
      if (size_in_flags >= rest_.size() || rest_[size_in_flags] != std::byte{0}) throw_corrupt("a path does not end");
      after = rest_.first(size_in_flags + 1);
    }
    const std::string_view path = take_text(after);
    const std::size_t before_path = start.size() - rest_.size();
    const std::size_t entry_bytes = (before_path + path.size() + 8) / 8 * 8;
    if (entry_bytes > start.size()) throw_corrupt("it is cut short in an entry");
    rest_ = start.subspan(entry_bytes);
    return paths_.keep(path);
  }

  // Version 4: how many bytes to drop from the end of the last path, and what to put there instead.
  std::string_view take_compressed_path() {
    const std::uint32_t dropped = take_varint(rest_);
    if (dropped > last_path_.size()) throw_corrupt(fmt::format("a path near '{}' is malformed", last_path_));
    const std::string_view tail = take_text(rest_);
    const std::string_view head = last_path_.substr(0, last_path_.size() - dropped);
    paths_bytes_ += head.size() + tail.size();
    if (paths_bytes_ > paths_bytes_max) throw_corrupt("its paths take more than 1 GiB");
    last_path_ = paths_.keep(head, tail);
    return last_path_;
  }

  const std::uint32_t version_;
  base::Bytes rest_;
  PathStore& paths_;
  IndexEntry entry_;
  std::string_view last_path_;
  std::uint64_t paths_bytes_ = 0;
};

bool is_type_of_entry(std::uint32_t mode) {
  const std::uint32_t type = mode & object::mode_type_mask;
  return type == 0100000 || type == object::mode_symlink || type == object::mode_gitlink || type == object::mode_tree;
}

// The path may have the directories of `last`, which were checked with it.
void check_path(const IndexEntry& entry, std::string_view last, bool sparse) {
  std::string_view path = entry.path;
  if (!is_type_of_entry(entry.mode)) throw_corrupt(fmt::format("'{}' has the mode {:o}", path, entry.mode));
  if (entry.is_sparse_directory()) {
    if (!sparse || !entry.skip_worktree || !path.ends_with('/')) {
      throw_corrupt(fmt::format("it holds a directory where none may be: '{}'", path));
    }
    path.remove_suffix(1);
  }
  const auto differs = std::mismatch(path.begin(), path.end(), last.begin(), last.end()).first;
  const auto same = static_cast<std::size_t>(differs - path.begin());
  const std::size_t slash = same == 0 ? std::string_view::npos : path.rfind('/', same - 1);
  const std::string_view unchecked = slash == std::string_view::npos ? path : path.substr(slash + 1);
  // As for any file: what a symbolic link may not be called is a question for those who write it.
  if (const auto reason = object::refuse_entry(unchecked, object::mode_file, {.protect_ntfs = false})) {
    throw_corrupt(fmt::format("it holds the path '{}': {}", entry.path, *reason));
  }
}

}  // namespace

IndexFileParts decode_index_file(base::Bytes file, PathStore& paths) {
  if (file.size() < index_header_bytes + Oid::raw_size) throw_corrupt("it is smaller than any index");
  if (!base::as_text(file).starts_with("DIRC")) throw_corrupt("it does not begin as an index");
  IndexFileParts parts;
  parts.version = base::load_be32(file.data() + 4);
  if (parts.version < 2 || parts.version > 4) {
    throw Error(ErrorCode::unsupported, fmt::format("its version is {}; 2 to 4 are known", parts.version));
  }
  const base::Bytes content = file.first(file.size() - Oid::raw_size);
  parts.checksum = Oid::from_raw(content.data() + content.size());
  if (!parts.checksum.is_null()) {
    base::PlainSha1 sha1;
    sha1.update(content);
    if (parts.checksum.raw != sha1.finish()) throw_corrupt("its checksum is wrong");
  }
  const std::uint32_t count = base::load_be32(file.data() + 8);
  EntryDecoder decoder(parts.version, content.subspan(index_header_bytes), paths);
  if (count > decoder.rest().size() / fixed_bytes) throw_corrupt("it is too short for its number of entries");
  parts.entries.reserve(count);
  for (std::uint32_t i = 0; i < count; ++i) parts.entries.push_back(decoder.next());
  parts.extensions = decoder.rest();
  return parts;
}

void check_index_entries(const std::vector<IndexEntry>& entries, bool sparse) {
  std::string_view last;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const IndexEntry& entry = entries[i];
    if (i > 0 && entry.path == last) {
      const std::uint8_t last_stage = entries[i - 1].stage;
      if (last_stage == 0 || entry.stage <= last_stage) {
        throw_corrupt(fmt::format("it holds the stages of a path twice or out of order: '{}'", entry.path));
      }
      if (entry.is_sparse_directory()) throw_corrupt(fmt::format("a directory is in conflict: '{}'", entry.path));
      continue;
    }
    if (entry.path < last) throw_corrupt(fmt::format("its entries are out of order: '{}'", entry.path));
    check_path(entry, last, sparse);
    last = entry.path;
  }
}

}  // namespace pfetch::checkout
