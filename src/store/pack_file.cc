#include "store/pack_file.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/error.h"
#include "store/delta.h"

namespace pfetch::store {

namespace {

constexpr std::size_t pack_header_bytes = 12;
constexpr std::uint32_t magic = 0x5041434b;  // "PACK"
constexpr std::size_t piece_bytes = std::size_t{64} << 10;
constexpr std::uint64_t scratch_bytes_max = std::uint64_t{1} << 20;
constexpr std::size_t delta_header_bytes_max = 20;  // two numbers of at most 9 bytes each

[[noreturn]] void throw_at(std::uint64_t offset, std::string_view why) {
  throw Error(ErrorCode::corrupt, fmt::format("entry at offset {}: {}", offset, why));
}

// Runs `work`, whose errors do not know where they are.
template <typename Work>
auto at_entry(std::uint64_t offset, Work work) {
  try {
    return work();
  } catch (Error& error) {
    throw error.add_context(fmt::format("entry at offset {}", offset));
  }
}

}  // namespace

PackFile::PackFile(const std::string& path, const PackIndex& index, Context context)
    : path_(path), index_(index), context_(context), file_(base::open_file(path, O_RDONLY).get(), path) {
  const base::Bytes bytes = file_.view();
  const auto fail = [&](std::string_view why) {
    throw Error(ErrorCode::corrupt, fmt::format("pack '{}' is corrupt: {}", path_, why));
  };
  if (bytes.size() < pack_header_bytes + object::Oid::raw_size) fail("it is too small");
  if (base::load_be32(bytes.data()) != magic) fail("it has another signature");
  const std::uint32_t version = base::load_be32(bytes.data() + 4);
  if (version != 2 && version != 3) fail(fmt::format("version {} is not known", version));
  if (base::load_be32(bytes.data() + 8) != index.count()) fail("its object count is not that of its index");
  entries_end_ = bytes.size() - object::Oid::raw_size;
  if (object::Oid::from_raw(bytes.data() + entries_end_) != index.pack_checksum()) {
    fail("its checksum is not the one its index names");
  }
}

PackFile::Entry PackFile::entry_at(std::uint64_t offset) const {
  if (offset < pack_header_bytes || offset >= entries_end_) throw_at(offset, "it lies outside the pack");
  const base::Bytes rest = file_.view().subspan(offset, entries_end_ - offset);
  const auto header = at_entry(offset, [&] { return read_entry_header(rest); });
  if (!header) throw_at(offset, "it is cut short");
  Entry entry{*header, offset, rest.subspan(header->header_bytes)};
  if (entry.header.size / base::inflate_ratio_max > entry.data.size()) {
    throw_at(offset, "it claims to be larger than what is stored can inflate to");
  }
  return entry;
}

std::uint64_t PackFile::base_offset(const Entry& entry) const {
  if (entry.header.type == EntryType::ofs_delta) {
    if (entry.header.base_distance > entry.offset) throw_at(entry.offset, "its base lies before the pack");
    return entry.offset - entry.header.base_distance;
  }
  const auto position = index_.find(entry.header.base_id);
  if (!position) throw_at(entry.offset, fmt::format("its base {} is not in the pack", entry.header.base_id.hex()));
  return index_.offset_at(*position);
}

object::Object PackFile::inflate_object(const Entry& entry, InflateTools& tools) const {
  const auto buffer = allocate_untouched(entry.header.size);
  at_entry(entry.offset, [&] {
    return base::inflate_whole(tools.fast, tools.sure, entry.data, {buffer.get(), entry.header.size});
  });
  return {static_cast<object::Kind>(entry.header.type), base::SharedBytes(buffer, entry.header.size)};
}

// Replaces the base in `object` by what the delta makes of it.
void PackFile::apply(const Delta& delta, object::Object& object, InflateTools& tools) const {
  at_entry(delta.offset, [&] {
    const base::Bytes data = file_.view().subspan(delta.data_at, entries_end_ - delta.data_at);
    std::shared_ptr<std::byte[]> large;
    std::span<std::byte> instructions;
    if (delta.data_size <= scratch_bytes_max) {
      tools.scratch.resize(std::max<std::size_t>(tools.scratch.size(), delta.data_size));
      instructions = std::span(tools.scratch).first(delta.data_size);
    } else {
      large = allocate_untouched(delta.data_size);  // the size is a claim: no byte is touched before it is inflated
      instructions = {large.get(), delta.data_size};
    }
    base::inflate_whole(tools.fast, tools.sure, data, instructions);
    const std::uint64_t size = read_delta_sizes(instructions).result;
    const auto result = allocate_untouched(size);
    apply_delta(object.bytes.view(), instructions, {result.get(), size});
    object.bytes = base::SharedBytes(result, size);
  });
}

object::Object PackFile::read(std::uint64_t offset) const {
  const InflatePool::Loan tools(context_.inflaters);
  std::vector<Delta> chain;  // from the entry asked for down to the one on the base
  object::Object object;
  std::uint64_t at = offset;
  bool cached = false;
  for (;;) {
    if (auto base = context_.bases.find(this, at)) {
      object = std::move(*base);
      cached = true;
      break;
    }
    const Entry entry = entry_at(at);
    if (!is_delta(entry.header.type)) {
      object = inflate_object(entry, *tools);
      break;
    }
    if (chain.size() >= index_.count()) throw_at(offset, "its chain of deltas never ends");
    chain.push_back({at, at + entry.header.header_bytes, entry.header.size});
    at = base_offset(entry);
  }
  for (; !chain.empty(); chain.pop_back()) {
    if (!cached) context_.bases.put(this, at, object);
    cached = false;
    apply(chain.back(), object, *tools);
    at = chain.back().offset;
  }
  return object;
}

std::uint64_t PackFile::delta_result_size(const Entry& entry, InflateTools& tools) const {
  std::array<std::byte, delta_header_bytes_max> head{};
  const std::size_t wanted = std::min<std::size_t>(head.size(), entry.header.size);
  tools.sure.reset();
  std::size_t taken = 0;
  std::size_t filled = 0;
  while (filled < wanted) {
    const auto step = tools.sure.step(entry.data.subspan(taken), {head.data() + filled, wanted - filled});
    taken += step.taken;
    filled += step.produced;
    const bool stuck = step.taken == 0 && step.produced == 0;
    if (stuck || (step.status != base::Inflater::Status::need_output && filled < wanted)) {
      throw_at(entry.offset, "its delta cannot be inflated");
    }
  }
  return at_entry(entry.offset, [&] { return read_delta_sizes(base::Bytes(head).first(filled)).result; });
}

object::ObjectInfo PackFile::info(std::uint64_t offset) const {
  Entry entry = entry_at(offset);
  object::ObjectInfo info{static_cast<object::Kind>(entry.header.type), entry.header.size};
  if (!is_delta(entry.header.type)) return info;
  {
    const InflatePool::Loan tools(context_.inflaters);
    info.size = delta_result_size(entry, *tools);
  }
  for (std::uint32_t steps = 0; is_delta(entry.header.type); ++steps) {
    if (steps >= index_.count()) throw_at(offset, "its chain of deltas never ends");
    const std::uint64_t base = base_offset(entry);
    if (const auto cached = context_.bases.find(this, base)) {
      info.kind = cached->kind;
      return info;
    }
    entry = entry_at(base);
  }
  info.kind = static_cast<object::Kind>(entry.header.type);
  return info;
}

void PackFile::stream(std::uint64_t offset, const std::function<void(base::Bytes)>& piece) const {
  const Entry entry = entry_at(offset);
  if (is_delta(entry.header.type)) {
    const object::Object object = read(offset);
    if (!object.bytes.empty()) piece(object.bytes.view());
    return;
  }
  const InflatePool::Loan tools(context_.inflaters);
  tools->scratch.resize(piece_bytes);
  tools->sure.reset();
  std::size_t taken = 0;
  std::uint64_t left = entry.header.size;
  for (;;) {
    const auto step = tools->sure.step(entry.data.subspan(taken), tools->scratch);
    taken += step.taken;
    if (step.produced > left) throw_at(offset, "it inflates to more than it claims");
    left -= step.produced;
    const bool done = step.status == base::Inflater::Status::done;
    const bool stuck = step.taken == 0 && step.produced == 0;
    if (step.status == base::Inflater::Status::damaged || (done && left != 0) || (!done && stuck)) {
      throw_at(offset, "it is damaged or not of the size it claims");
    }
    if (step.produced != 0) piece(base::Bytes(tools->scratch).first(step.produced));
    if (done) return;
  }
}

}  // namespace pfetch::store
