#include "pack/entry_scanner.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/sha1.h"
#include "base/trace.h"
#include "object/hasher.h"

namespace pfetch::pack {

namespace {

constexpr std::size_t header_size = 12;                          // of a pack, bytes
constexpr std::size_t trailer_size = 20;                         // bytes
constexpr std::uint64_t entry_bytes_min = 9;                     // one of header, and the shortest zlib stream
constexpr std::size_t fast_size_max = std::size_t{32} << 20;     // inflated in one go, bytes
constexpr std::size_t batch_bytes_max = std::size_t{256} << 10;  // inflated bytes
constexpr std::size_t batch_entries_max = 64;
constexpr std::size_t tell_ring_every = std::size_t{128} << 10;  // bytes
constexpr std::size_t first_room = std::size_t{64} << 10;        // bytes

[[noreturn]] void throw_corrupt(std::uint64_t offset, std::string_view why) {
  throw Error(ErrorCode::corrupt, fmt::format("pack has a bad object at offset {}: {}", offset, why));
}

}  // namespace

PackHeader take_pack_header(base::Ring& ring) {
  const base::Bytes bytes = ring.wait_data(header_size);
  if (bytes.size() < header_size) {
    throw Error(ErrorCode::corrupt, fmt::format("early EOF: the pack ended after {} bytes", bytes.size()));
  }
  if (base::load_be32(bytes.data()) != 0x5041434b) {
    throw Error(ErrorCode::corrupt, "pack signature mismatch: the other side sent something that is not a pack");
  }
  const PackHeader header{base::load_be32(bytes.data() + 4), base::load_be32(bytes.data() + 8)};
  if (header.version != 2 && header.version != 3) {
    throw Error(ErrorCode::corrupt, fmt::format("pack version {} unsupported", header.version));
  }
  ring.consume(header_size);
  return header;
}

EntryScanner::EntryScanner(const ScannerOptions& options, base::Ring& ring, ArrivingPack& pack, WorkQueue& queue)
    : options_(options), ring_(ring), pack_(pack), queue_(queue) {}

void EntryScanner::run(std::uint32_t objects) {
  const base::TraceSpan span("scan");
  for (std::uint32_t i = 0; i < objects; ++i) {
    entries_left_ = objects - i;
    try {
      scan_entry();
    } catch (Error& error) {
      if (error.code() == ErrorCode::corrupt) error.add_context(fmt::format("object {} of {}", i + 1, objects));
      throw;
    }
  }
  flush();
  take_trailer();
  queue_.close();
}

void EntryScanner::scan_entry() {
  const EntryNumber number = pack_.table().append(offset_);
  crc_ = 0;
  consumed_in_entry_ = 0;
  const store::EntryHeader header = read_header();
  Entry& entry = pack_.table()[number];
  entry.stored = header.type;
  link_base(number, header);
  auto& counters = pack_.counters();
  const bool streams = header.type == store::EntryType::blob && header.size > options_.big_file_threshold;
  base::SharedBytes bytes;
  if (streams) {
    inflate_streaming(number, header);
  } else {
    bytes = inflate_entry(number, header);
  }
  entry.crc = crc_;
  pack_.table().set_frontier(offset_);
  counters.inflated_once.fetch_add(1, std::memory_order_relaxed);
  counters.bytes_inflated.fetch_add(header.size, std::memory_order_relaxed);
  counters.objects_scanned.store(number + 1, std::memory_order_relaxed);
  if (is_delta(header.type)) counters.deltas.fetch_add(1, std::memory_order_relaxed);
  hand_over(number, std::move(bytes), header.size);
}

store::EntryHeader EntryScanner::read_header() {
  base::Bytes bytes = wait_data(std::min(store::entry_header_bytes_max, certain_to_come()));
  try {
    for (;;) {
      if (const auto header = store::read_entry_header(bytes)) {
        take(bytes.first(header->header_bytes));
        return *header;
      }
      const std::size_t before = bytes.size();
      bytes = wait_data(before + 1);
      if (bytes.size() == before) throw_corrupt(offset_, "the pack is truncated");
    }
  } catch (Error& error) {
    throw_corrupt(offset_, error.message());
  }
}

void EntryScanner::link_base(EntryNumber number, const store::EntryHeader& header) {
  EntryTable& table = pack_.table();
  Entry& entry = table[number];
  if (header.type == store::EntryType::ref_delta) {
    entry.id = header.base_id;  // until the entry is resolved, the id of its base
  } else if (header.type == store::EntryType::ofs_delta) {
    if (header.base_distance >= entry.offset) throw_corrupt(entry.offset, "delta base offset is out of bound");
    entry.base = table.find_offset(entry.offset - header.base_distance);
    if (entry.base == no_entry || entry.base == number) {
      throw_corrupt(entry.offset, "there is no object where its delta base should begin");
    }
  }
}

base::SharedBytes EntryScanner::inflate_entry(EntryNumber number, const store::EntryHeader& header) {
  const std::uint64_t start = pack_.table()[number].offset;
  try {
    if (header.size <= fast_size_max) {
      const std::size_t wanted = std::min(base::usual_deflate_bound(header.size), ring_.capacity());
      const base::Bytes bytes = wait_data(std::min(wanted, certain_to_come()));
      const bool promising = bytes.size() >= wanted || bytes.size() >= header.size / 4;
      if (promising && header.size / base::inflate_ratio_max <= bytes.size()) {
        std::byte* into = nullptr;
        auto inflated = pack_.buffers().allocate(header.size, &into);
        if (const std::size_t used = fast_.inflate(bytes, {into, inflated.size()}); used != 0) {
          take(bytes.first(used));
          return inflated;
        }
      }
    }
    return inflate_by_steps(header.size);
  } catch (Error& error) {
    if (error.code() == ErrorCode::corrupt) throw_corrupt(start, error.message());
    throw;
  }
}

base::SharedBytes EntryScanner::inflate_by_steps(std::uint64_t size) {
  base::SharedBytes buffer;
  std::byte* into = nullptr;
  std::uint64_t room = 0;
  std::uint64_t filled = 0;
  const auto grow = [&]() -> std::span<std::byte> {
    if (filled == room && filled < size) {
      const std::uint64_t seen = (consumed_in_entry_ + readable_.size()) * base::inflate_ratio_max;
      const std::uint64_t next =
          std::min({size, std::max<std::uint64_t>(first_room, room * 2), std::max<std::uint64_t>(first_room, seen)});
      room = std::max(next, std::min(size, filled + first_room));
      std::byte* larger_into = nullptr;
      auto larger = pack_.buffers().allocate(room, &larger_into);
      std::copy_n(into, filled, larger_into);
      buffer = std::move(larger);
      into = larger_into;
    }
    return {into + filled, static_cast<std::size_t>(room - filled)};
  };
  inflate_from_ring(size, grow, [&](std::size_t count) { filled += count; });
  return buffer;
}

void EntryScanner::inflate_streaming(EntryNumber number, const store::EntryHeader& header) {
  const base::TraceSpan span("stream a big blob");
  Entry& entry = pack_.table()[number];
  base::Sha1 hash;
  hash.update(object::HashHead(object::Kind::blob, header.size).view());
  std::vector<std::byte> piece(first_room);
  try {
    inflate_from_ring(
        header.size, [&] { return std::span(piece); },
        [&](std::size_t count) { hash.update(std::span(piece).first(count)); });
  } catch (Error& error) {
    if (error.code() == ErrorCode::corrupt) throw_corrupt(entry.offset, error.message());
    throw;
  }
  const auto result = hash.finish();
  entry.id = object::Oid::from_raw(result.digest.data());
  entry.streamed = true;
  refuse_attack(result.attack, entry.id, entry.offset);
}

void EntryScanner::inflate_from_ring(std::uint64_t size, const std::function<std::span<std::byte>()>& room,
                                     const std::function<void(std::size_t)>& filled) {
  sure_.reset();
  std::uint64_t produced = 0;
  for (;;) {
    const base::Bytes input = wait_data(1);
    std::span<std::byte> output = room();
    // One byte beyond the claimed size shows a stream that is longer than it says.
    std::byte beyond{};
    if (produced == size) output = {&beyond, 1};
    const auto missing = static_cast<std::size_t>(size - produced);
    if (missing != 0 && output.size() > missing) output = output.first(missing);
    const auto step = sure_.step(input, output);
    take(input.first(step.taken));
    if (produced == size && step.produced != 0) throw Error(ErrorCode::corrupt, "it is longer than it says");
    produced += step.produced;
    if (step.produced != 0) filled(step.produced);
    switch (step.status) {
      case base::Inflater::Status::done:
        if (produced != size) throw Error(ErrorCode::corrupt, "it is shorter than it says");
        return;
      case base::Inflater::Status::damaged:
        throw Error(ErrorCode::corrupt, "inflate returned an error: its data is damaged");
      case base::Inflater::Status::need_input:
        if (readable_.empty() && wait_data(1).empty()) throw Error(ErrorCode::corrupt, "the pack is truncated");
        break;
      case base::Inflater::Status::need_output:
        break;
    }
  }
}

std::size_t EntryScanner::certain_to_come() const {
  const std::uint64_t this_entry = entry_bytes_min - std::min<std::uint64_t>(consumed_in_entry_, entry_bytes_min);
  const std::uint64_t all = this_entry + (entries_left_ - 1) * entry_bytes_min + trailer_size;
  return static_cast<std::size_t>(std::min<std::uint64_t>(all, ring_.capacity()));
}

void EntryScanner::take(base::Bytes bytes) {
  crc_ = base::crc32(crc_, bytes);
  offset_ += bytes.size();
  consumed_in_entry_ += bytes.size();
  readable_ = readable_.subspan(bytes.size());
  untold_ += bytes.size();
  if (untold_ >= tell_ring_every) {
    ring_.consume(untold_);
    untold_ = 0;
  }
}

base::Bytes EntryScanner::wait_data(std::size_t at_least) {
  if (readable_.size() >= at_least) return readable_;
  if (untold_ != 0) {
    ring_.consume(untold_);
    untold_ = 0;
  }
  readable_ = ring_.wait_data(1);
  if (readable_.size() < at_least) {
    flush();  // the workers need not wait with us
    readable_ = ring_.wait_data(at_least);
  }
  return readable_;
}

void EntryScanner::hand_over(EntryNumber number, base::SharedBytes bytes, std::uint64_t size) {
  batch_bytes_ += bytes.size() + sizeof(ScannedEntry);
  batch_.push_back({number, std::move(bytes), size});
  if (batch_bytes_ >= batch_bytes_max || batch_.size() >= batch_entries_max) flush();
}

void EntryScanner::flush() {
  if (batch_.empty()) return;
  queue_.push(std::exchange(batch_, {}), std::exchange(batch_bytes_, 0));
}

void EntryScanner::take_trailer() {
  if (options_.on_end && wait_data(trailer_size).size() >= trailer_size) options_.on_end();
  const base::Bytes rest = wait_data(trailer_size + 1);
  if (rest.size() < trailer_size) throw_corrupt(offset_, "the pack is truncated in its checksum");
  if (rest.size() > trailer_size) {
    throw Error(ErrorCode::corrupt, fmt::format("pack has junk at the end, after its checksum at offset {}", offset_));
  }
}

}  // namespace pfetch::pack
