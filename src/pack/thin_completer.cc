#include "pack/thin_completer.h"

#include <fmt/format.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>

#include "base/error.h"
#include "base/fd.h"
#include "base/inflate.h"
#include "object/hasher.h"

namespace pfetch::pack {

namespace {

// The type and size of an entry (gitformat-pack): 4 bits of size in the first byte, 7 in each that follows.
std::vector<std::byte> entry_header(object::Kind kind, std::uint64_t size) {
  std::vector<std::byte> header;
  auto byte = static_cast<unsigned>(kind) << 4 | static_cast<unsigned>(size & 15);
  size >>= 4;
  while (size != 0) {
    header.push_back(static_cast<std::byte>(byte | 0x80));
    byte = static_cast<unsigned>(size & 0x7f);
    size >>= 7;
  }
  header.push_back(static_cast<std::byte>(byte));
  return header;
}

// zlib at its fastest, as Git compresses what it appends.
std::vector<std::byte> deflated(base::Bytes bytes) {
  uLongf size = ::compressBound(static_cast<uLong>(bytes.size()));
  std::vector<std::byte> out(size);
  if (::compress2(reinterpret_cast<Bytef*>(out.data()), &size, reinterpret_cast<const Bytef*>(bytes.data()),
                  static_cast<uLong>(bytes.size()), Z_BEST_SPEED) != Z_OK) {
    throw Error(ErrorCode::io, "out of memory while completing a thin pack");
  }
  out.resize(size);
  return out;
}

}  // namespace

ThinCompleter::ThinCompleter(ArrivingPack& pack, DeltaResolver& resolver, object::ObjectSource& bases,
                             std::uint64_t end)
    : pack_(pack), resolver_(resolver), bases_(bases), end_(end) {}

std::uint32_t ThinCompleter::run(const std::vector<EntryNumber>& unresolved) {
  const EntryNumber before = pack_.table().size();
  pack_.table().claim(std::uint64_t{before} + unresolved.size());
  for (const EntryNumber delta : unresolved) {
    const Entry& entry = pack_.table()[delta];
    if (entry.resolved.load()) continue;  // its base came with an earlier one
    const object::Oid base_id = entry.id;
    if (const auto base = bases_.read(base_id)) append(base_id, *base);
  }
  rewrite_header_and_trailer();
  return pack_.table().size() - before;
}

void ThinCompleter::append(const object::Oid& id, const object::Object& base) {
  // What is stored here is not hashed when it is read; damage must not be blamed on what was sent.
  object::Hasher::Job job{base.kind, base.bytes.view()};
  object::CheckedHasher().hash({&job, 1});
  if (job.id != id) {
    throw Error(ErrorCode::corrupt, fmt::format("local object {} is corrupt", id.hex()));
  }
  const EntryNumber number = pack_.table().append(end_);
  Entry& entry = pack_.table()[number];
  entry.stored = static_cast<store::EntryType>(base.kind);
  for (const auto& part : {entry_header(base.kind, base.bytes.size()), deflated(base.bytes.view())}) {
    base::pwrite_all(pack_.fd(), part, end_, pack_.path());
    entry.crc = base::crc32(entry.crc, part);
    end_ += part.size();
  }
  pack_.table().set_frontier(end_);
  resolver_.add_appended(number, base.kind, base.bytes, id);
}

void ThinCompleter::rewrite_header_and_trailer() {
  std::byte count[4];
  base::store_be32(count, pack_.table().size());
  base::pwrite_all(pack_.fd(), count, 8, pack_.path());
  base::PlainSha1 hash;
  std::vector<std::byte> piece(std::size_t{1} << 18);
  for (std::uint64_t at = 0; at < end_;) {
    const auto here = static_cast<std::size_t>(std::min<std::uint64_t>(piece.size(), end_ - at));
    base::pread_all(pack_.fd(), std::span(piece).first(here), at, pack_.path());
    hash.update(std::span(piece).first(here));
    at += here;
  }
  checksum_ = hash.finish();
  base::pwrite_all(pack_.fd(), std::as_bytes(std::span(checksum_)), end_, pack_.path());
  const auto size = static_cast<off_t>(end_ + checksum_.size());
  if (::ftruncate(pack_.fd(), size) != 0) throw_errno(errno, "unable to write", pack_.path());
}

}  // namespace pfetch::pack
