#include "pack/arriving_pack.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/error.h"
#include "base/inflate.h"
#include "store/delta.h"

namespace pfetch::pack {

namespace {

constexpr std::size_t buffer_budget_bytes = std::size_t{40} << 20;
constexpr std::size_t piece_size = std::size_t{1} << 17;  // bytes

struct ThreadInflaters {
  base::FastInflater fast;
  base::Inflater sure;
};

ThreadInflaters& inflaters() {
  thread_local ThreadInflaters mine;
  return mine;
}

}  // namespace

void refuse_attack(bool attack, const object::Oid& id, std::uint64_t offset) {
  if (!attack) return;
  throw Error(ErrorCode::refused,
              fmt::format("SHA-1 collision attack detected in object {} at offset {}", id.hex(), offset));
}

ArrivingPack::ArrivingPack(base::UniqueFd fd, std::string path, const ArrivingPackLimits& limits,
                           IngestCounters& counters)
    : fd_(std::move(fd)),
      path_(std::move(path)),
      delta_result_max_(limits.delta_result_max),
      counters_(counters),
      buffers_(std::make_shared<base::BufferPool>(buffer_budget_bytes)),
      ids_(table_),
      cache_(table_, limits.cache_budget_bytes) {}

std::optional<object::Kind> ArrivingPack::kind_of(const object::Oid& id) const {
  const EntryNumber number = ids_.find(id);
  if (number == no_entry) return std::nullopt;
  return table_[number].kind;
}

std::optional<object::ObjectInfo> ArrivingPack::info(const object::Oid& id) {
  const EntryNumber number = ids_.find(id);
  if (number == no_entry) return std::nullopt;
  const Entry& entry = table_[number];
  if (is_delta(entry.stored)) return object::ObjectInfo{entry.kind, content(number).size()};
  std::byte start[store::entry_header_bytes_max];
  const std::uint64_t there =
      std::min<std::uint64_t>(store::entry_header_bytes_max, table_.end_of(number) - entry.offset);
  base::pread_all(fd_.get(), {start, static_cast<std::size_t>(there)}, entry.offset, path_);
  const auto header = store::read_entry_header({start, static_cast<std::size_t>(there)});
  return object::ObjectInfo{entry.kind, header ? header->size : 0};
}

std::optional<object::Object> ArrivingPack::read(const object::Oid& id) {
  const EntryNumber number = ids_.find(id);
  if (number == no_entry) return std::nullopt;
  return object::Object{table_[number].kind, content(number)};
}

bool ArrivingPack::stream(const object::Oid& id, const std::function<void(base::Bytes)>& piece) {
  const EntryNumber number = ids_.find(id);
  if (number == no_entry) return false;
  if (table_[number].streamed) {
    inflate_pieces(number, piece);
  } else {
    piece(content(number).view());
  }
  return true;
}

base::SharedBytes ArrivingPack::content(EntryNumber number) {
  std::vector<EntryNumber> deltas;  // from `number` down to what is at hand
  base::SharedBytes bytes;
  for (EntryNumber at = number; !cache_.get(at, bytes); at = table_[at].base) {
    if (!is_delta(table_[at].stored)) {
      bytes = inflate_again(at);
      cache_.put(at, bytes);
      break;
    }
    deltas.push_back(at);
  }
  for (; !deltas.empty(); deltas.pop_back()) {
    bytes = patched(bytes.view(), inflate_again(deltas.back()).view());
    cache_.put(deltas.back(), bytes);
  }
  return bytes;
}

base::SharedBytes ArrivingPack::inflate_again(EntryNumber number) {
  const std::uint64_t offset = table_[number].offset;
  std::byte* stored_into = nullptr;
  const base::SharedBytes stored = buffers_->allocate(table_.end_of(number) - offset, &stored_into);
  base::pread_all(fd_.get(), {stored_into, stored.size()}, offset, path_);
  const auto header = store::read_entry_header(stored.view());
  if (!header || header->size / base::inflate_ratio_max > stored.size()) {
    throw Error(ErrorCode::corrupt, fmt::format("the pack '{}' has changed at offset {}", path_, offset));
  }
  std::byte* into = nullptr;
  auto bytes = buffers_->allocate(header->size, &into);
  base::inflate_whole(inflaters().fast, inflaters().sure, stored.view().subspan(header->header_bytes),
                      {into, bytes.size()});
  counters_.inflated_again.fetch_add(1, std::memory_order_relaxed);
  return bytes;
}

base::SharedBytes ArrivingPack::patched(base::Bytes base, base::Bytes delta) const {
  const std::uint64_t size = store::measure_delta(delta);
  if (size > delta_result_max_) {
    throw Error(ErrorCode::refused,
                fmt::format("bad delta: it makes {} bytes, more than {} (a larger core.bigFileThreshold lets it in)",
                            size, delta_result_max_));
  }
  std::byte* into = nullptr;
  auto result = buffers_->allocate(size, &into);
  store::apply_delta(base, delta, {into, static_cast<std::size_t>(size)});
  return result;
}

void ArrivingPack::inflate_pieces(EntryNumber number, const std::function<void(base::Bytes)>& piece) {
  std::uint64_t offset = table_[number].offset;
  const std::uint64_t end = table_.end_of(number);
  std::vector<std::byte> stored(piece_size);
  std::vector<std::byte> inflated(piece_size);
  base::Inflater& inflater = inflaters().sure;
  inflater.reset();
  bool in_header = true;
  counters_.inflated_again.fetch_add(1, std::memory_order_relaxed);
  while (offset < end) {
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(stored.size(), end - offset));
    base::pread_all(fd_.get(), std::span(stored).first(count), offset, path_);
    offset += count;
    base::Bytes rest(stored.data(), count);
    if (in_header) rest = rest.subspan(store::read_entry_header(rest)->header_bytes);
    in_header = false;
    for (;;) {
      const auto step = inflater.step(rest, inflated);
      rest = rest.subspan(step.taken);
      if (step.produced != 0) piece({inflated.data(), step.produced});
      if (step.status == base::Inflater::Status::done) return;
      if (step.status == base::Inflater::Status::damaged) {
        throw Error(ErrorCode::corrupt, fmt::format("the pack '{}' has changed at offset {}", path_, offset));
      }
      if (step.status == base::Inflater::Status::need_input) break;
    }
  }
  throw Error(ErrorCode::corrupt, fmt::format("the pack '{}' has changed at offset {}", path_, end));
}

}  // namespace pfetch::pack
