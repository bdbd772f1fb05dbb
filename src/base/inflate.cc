#include "base/inflate.h"

#include <libdeflate.h>

#include <algorithm>
#include <limits>
#include <new>

#include "base/error.h"

namespace pfetch::base {

std::size_t usual_deflate_bound(std::size_t size) {
  // Stored blocks of zlib: 5 bytes for each 16 KB, plus header, trailer and a block's slack.
  return size + size / 1000 + 64;
}

Inflater::Inflater() {
  if (::inflateInit(&stream_) != Z_OK) throw std::bad_alloc();
}

Inflater::~Inflater() {
  ::inflateEnd(&stream_);
}

void Inflater::reset() {
  ::inflateReset(&stream_);
}

Inflater::Step Inflater::step(Bytes input, std::span<std::byte> output) {
  constexpr std::size_t chunk_max = std::numeric_limits<uInt>::max();
  const auto in_size = static_cast<uInt>(std::min(input.size(), chunk_max));
  const auto out_size = static_cast<uInt>(std::min(output.size(), chunk_max));
  Bytef nothing = 0;
  stream_.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(input.data()));
  stream_.avail_in = in_size;
  stream_.next_out = output.empty() ? &nothing : reinterpret_cast<Bytef*>(output.data());
  stream_.avail_out = out_size;
  const int result = ::inflate(&stream_, Z_NO_FLUSH);
  Step step{Status::damaged, in_size - stream_.avail_in, out_size - stream_.avail_out};
  if (result == Z_STREAM_END) {
    step.status = Status::done;
  } else if (result == Z_OK || result == Z_BUF_ERROR) {
    step.status = stream_.avail_out == 0 ? Status::need_output : Status::need_input;
  } else if (result == Z_MEM_ERROR) {
    throw std::bad_alloc();
  }
  return step;
}

FastInflater::FastInflater() : decompressor_(libdeflate_alloc_decompressor()) {
  if (decompressor_ == nullptr) throw std::bad_alloc();
}

FastInflater::~FastInflater() {
  libdeflate_free_decompressor(decompressor_);
}

std::size_t FastInflater::inflate(Bytes input, std::span<std::byte> output) {
  std::size_t used = 0;
  std::byte nothing{};
  void* to = output.empty() ? &nothing : output.data();
  const auto result =
      libdeflate_zlib_decompress_ex(decompressor_, input.data(), input.size(), to, output.size(), &used, nullptr);
  return result == LIBDEFLATE_SUCCESS ? used : 0;
}

std::size_t inflate_whole(FastInflater& fast, Inflater& sure, Bytes input, std::span<std::byte> output) {
  if (const std::size_t used = fast.inflate(input, output); used != 0) return used;
  sure.reset();
  std::size_t taken = 0;
  std::size_t produced = 0;
  for (;;) {
    const auto step = sure.step(input.subspan(taken), output.subspan(produced));
    taken += step.taken;
    produced += step.produced;
    if (step.status == Inflater::Status::done && produced == output.size()) return taken;
    const bool stuck = step.taken == 0 && step.produced == 0;
    if (step.status == Inflater::Status::damaged || step.status == Inflater::Status::done || stuck) {
      throw Error(ErrorCode::corrupt, "inflate failed: the data is damaged or not of the size it claims");
    }
  }
}

std::uint32_t crc32(std::uint32_t crc, Bytes bytes) {
  return bytes.empty() ? crc : libdeflate_crc32(crc, bytes.data(), bytes.size());
}

}  // namespace pfetch::base
