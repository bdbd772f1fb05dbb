#include "graph/ewah.h"

#include <bit>

#include "base/error.h"

namespace pfetch::graph {

namespace {

constexpr std::size_t word_bytes = 8;
constexpr std::size_t batch = 4096;  // numbers handed to Roaring in one go

[[noreturn]] void throw_corrupt(const char* why) {
  throw Error(ErrorCode::corrupt, why);
}

}  // namespace

base::Bytes take_ewah_words(base::Bytes& rest) {
  if (rest.size() < 12) throw_corrupt("a bitmap is cut short");
  const std::size_t size = base::load_be32(rest.data() + 4) * word_bytes;
  if (size > rest.size() - 12) throw_corrupt("a bitmap is cut short");
  const base::Bytes words = rest.subspan(8, size);
  rest = rest.subspan(12 + size);
  return words;
}

void FlatBits::flip(base::Bytes compressed) {
  std::size_t at = 0;  // in words_
  for (std::size_t from = 0; from < compressed.size();) {
    const std::uint64_t marker = base::load_be64(compressed.data() + from);
    from += word_bytes;
    const std::size_t run = marker >> 1 & 0xffffffff;
    const std::size_t literals = marker >> 33;
    if (run > words_.size() - at) throw_corrupt("a bitmap is too long");
    if ((marker & 1) != 0) {
      for (std::size_t i = 0; i < run; ++i) words_[at + i] = ~words_[at + i];
    }
    at += run;
    if (literals > words_.size() - at) throw_corrupt("a bitmap is too long");
    if (literals > (compressed.size() - from) / word_bytes) throw_corrupt("a bitmap is cut short");
    for (std::size_t i = 0; i < literals; ++i, from += word_bytes) {
      words_[at++] ^= base::load_be64(compressed.data() + from);
    }
  }
  if (count_ % 64 != 0 && words_.back() >> (count_ % 64) != 0) throw_corrupt("a bitmap is too long");
}

void FlatBits::keep(const FlatBits& mask) {
  for (std::size_t i = 0; i < words_.size(); ++i) words_[i] &= mask.words_[i];
}

Roaring FlatBits::to_roaring() const {
  Roaring set;
  std::vector<std::uint32_t> numbers;
  numbers.reserve(batch + 64);
  const auto flush = [&] {
    set.addMany(numbers.size(), numbers.data());
    numbers.clear();
  };
  for (std::size_t i = 0; i < words_.size(); ++i) {
    std::size_t end = i;
    while (end < words_.size() && ~words_[end] == 0) ++end;
    if (end != i) {
      flush();
      set.addRange(i * 64, end * 64);
      i = end - 1;
      continue;
    }
    for (std::uint64_t word = words_[i]; word != 0; word &= word - 1) {
      numbers.push_back(static_cast<std::uint32_t>(i * 64 + static_cast<unsigned>(std::countr_zero(word))));
    }
    if (numbers.size() >= batch) flush();
  }
  flush();
  return set;
}

std::string FlatBits::to_ewah() const {
  std::string stored(8, '\0');  // both counts, known at the end
  const auto put_word = [&stored](std::uint64_t word) {
    stored.resize(stored.size() + word_bytes);
    base::store_be64(stored.data() + stored.size() - word_bytes, word);
  };
  const auto is_run = [this](std::size_t at) { return words_[at] == 0 || ~words_[at] == 0; };
  std::size_t last_marker = 0;
  std::size_t at = 0;
  do {  // one marker with its run and its literals; a bitmap without words has one too
    const std::uint64_t bit = at < words_.size() && ~words_[at] == 0 ? 1 : 0;
    const std::size_t run_begin = at;
    while (at < words_.size() && is_run(at) && words_[at] == words_[run_begin]) ++at;
    const std::size_t literals_begin = at;
    while (at < words_.size() && !is_run(at)) ++at;
    last_marker = (stored.size() - 8) / word_bytes;
    put_word(bit | std::uint64_t{literals_begin - run_begin} << 1 | std::uint64_t{at - literals_begin} << 33);
    for (std::size_t i = literals_begin; i < at; ++i) put_word(words_[i]);
  } while (at < words_.size());
  base::store_be32(stored.data(), count_);
  base::store_be32(stored.data() + 4, static_cast<std::uint32_t>((stored.size() - 8) / word_bytes));
  stored.resize(stored.size() + 4);
  base::store_be32(stored.data() + stored.size() - 4, static_cast<std::uint32_t>(last_marker));
  return stored;
}

}  // namespace pfetch::graph
