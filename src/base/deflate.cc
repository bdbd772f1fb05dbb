#include "base/deflate.h"

#include <algorithm>
#include <array>
#include <limits>

#include "base/error.h"

namespace pfetch::base {

namespace {

constexpr std::size_t piece_bytes = std::size_t{16} << 10;

}  // namespace

Deflater::Deflater(int level) {
  if (::deflateInit(&stream_, level) != Z_OK) throw Error(ErrorCode::io, "out of memory while deflating");
}

Deflater::~Deflater() {
  ::deflateEnd(&stream_);
}

void Deflater::reset() {
  ::deflateReset(&stream_);
}

void Deflater::add(Bytes input, bool is_last, const std::function<void(Bytes)>& output) {
  std::array<std::byte, piece_bytes> piece;
  do {
    // zlib counts in 32 bits.
    const std::size_t count = std::min<std::size_t>(input.size(), std::numeric_limits<uInt>::max());
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(input.data()));
    stream_.avail_in = static_cast<uInt>(count);
    input = input.subspan(count);
    const int flush = is_last && input.empty() ? Z_FINISH : Z_NO_FLUSH;
    do {
      stream_.next_out = reinterpret_cast<Bytef*>(piece.data());
      stream_.avail_out = static_cast<uInt>(piece.size());
      ::deflate(&stream_, flush);
      const std::size_t made = piece.size() - stream_.avail_out;
      if (made != 0) output({piece.data(), made});
    } while (stream_.avail_out == 0);
  } while (!input.empty());
}

}  // namespace pfetch::base
