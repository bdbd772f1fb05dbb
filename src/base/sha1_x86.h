// The SHA-NI kernel: the chain by SHA instructions, the bits for the check picked up on the way.
//
// A text compiled once for each instruction set, as sha1_lanes.h is and under the same rules. The SHA instructions form
// one long chain of waiting, so most of the processor is idle; packing the bits costs nothing there, and a second
// message's chain runs beside the first nearly for free (`compress_pair`).
// Before including it, inside an unnamed namespace, include sha1_lanes.h.

#define PFETCH_SHA_INLINE PFETCH_LANES_INLINE

struct ShaStream {
  __m128i abcd;
  __m128i e;           // of the quad at hand; its highest word counts
  __m128i message[4];  // the last four quads of the expanded message
  __m128i row[2];
};

PFETCH_SHA_INLINE void load_chain(ShaStream& s, const Chain& chain) {
  s.abcd = _mm_setr_epi32(static_cast<int>(chain[3]), static_cast<int>(chain[2]), static_cast<int>(chain[1]),
                          static_cast<int>(chain[0]));
  s.e = _mm_setr_epi32(0, 0, 0, static_cast<int>(chain[4]));
}

PFETCH_SHA_INLINE void store(StoredChain& out, const ShaStream& s) {
  auto* at = reinterpret_cast<__m128i*>(&out);
  _mm_store_si128(at, s.abcd);
  _mm_store_si128(at + 1, s.e);
}

// Picks the needed bits of quad Q into the row.
template <std::size_t Q>
PFETCH_SHA_INLINE void pack_quad(ShaStream& s, __m128i quad) {
  constexpr std::size_t kIndex = Q - kFirstQuad;
  constexpr Placement kPlace = kPlacements[kIndex];
  __m128i bits = _mm_and_si128(quad, _mm_load_si128(reinterpret_cast<const __m128i*>(&kNeededBits[kIndex])));
  if constexpr (kPlace.rotation == 16) {
    bits = _mm_shuffle_epi8(bits, _mm_setr_epi8(2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13));
  } else if constexpr (kPlace.rotation == 24) {
    bits = _mm_shuffle_epi8(bits, _mm_setr_epi8(1, 2, 3, 0, 5, 6, 7, 4, 9, 10, 11, 8, 13, 14, 15, 12));
  } else if constexpr (kPlace.rotation != 0) {
    const __m128i shifted = _mm_slli_epi32(bits, kPlace.rotation);
    bits = shift_suffices(kIndex) ? shifted : _mm_or_si128(shifted, _mm_srli_epi32(bits, 32 - kPlace.rotation));
  }
  __m128i& row = s.row[kPlace.accumulator];
  row = _mm_or_si128(row, bits);
}

// Four steps with quad Q of the expanded message.
template <std::size_t Q>
PFETCH_SHA_INLINE void quad_steps(ShaStream& s, const std::byte* data) {
  __m128i& w = s.message[Q % 4];
  if constexpr (Q < 4) {
    const __m128i reverse = _mm_setr_epi8(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    w = _mm_shuffle_epi8(_mm_loadu_si128(reinterpret_cast<const __m128i*>(data) + Q), reverse);
  } else {
    w = _mm_sha1msg1_epu32(w, s.message[(Q + 1) % 4]);
    w = _mm_sha1msg2_epu32(_mm_xor_si128(w, s.message[(Q + 2) % 4]), s.message[(Q + 3) % 4]);
  }
  const __m128i before = s.abcd;
  const __m128i e = Q == 0 ? _mm_add_epi32(s.e, w) : _mm_sha1nexte_epu32(s.e, w);
  s.abcd = _mm_sha1rnds4_epu32(s.abcd, e, Q / 5);
  s.e = before;
  if constexpr (Q >= kFirstQuad && Q < kEndQuad) pack_quad<Q>(s, w);
}

// The end of a block: adds what the chain was, and stores all that the check wants to know.
PFETCH_SHA_INLINE void end_block(ShaStream& s, const std::byte* data, Batch& batch, std::size_t slot) {
  const auto* before = reinterpret_cast<const __m128i*>(&batch.before[slot]);
  s.e = _mm_sha1nexte_epu32(s.e, _mm_load_si128(before + 1));
  s.abcd = _mm_add_epi32(s.abcd, _mm_load_si128(before));
  store(batch.after[slot], s);
  auto* row = reinterpret_cast<__m128i*>(batch.bits[slot].data());
  _mm_store_si128(row, s.row[0]);
  _mm_store_si128(row + 1, s.row[1]);
  batch.block[slot] = data;
}

PFETCH_SHA_INLINE void begin_block(ShaStream& s, Batch& batch, std::size_t slot) {
  store(batch.before[slot], s);
  s.row[0] = s.row[1] = _mm_setzero_si128();
}

template <std::size_t... Q>
PFETCH_SHA_INLINE void all_steps(ShaStream& s, const std::byte* data, std::index_sequence<Q...>) {
  (quad_steps<Q>(s, data), ...);
}

template <std::size_t... Q>
PFETCH_SHA_INLINE void all_steps_of_two(ShaStream& one, const std::byte* one_data, ShaStream& two,
                                        const std::byte* two_data, std::index_sequence<Q...>) {
  ((quad_steps<Q>(one, one_data), quad_steps<Q>(two, two_data)), ...);
}

PFETCH_LANES_TARGET void compress_blocks(Chain& chain, const std::byte* data, std::size_t blocks, Batch& batch,
                                         std::size_t slot) {
  ShaStream s;
  load_chain(s, chain);
  const std::size_t end = slot + blocks;
  for (; slot < end; ++slot, data += kBlockBytes) {
    begin_block(s, batch, slot);
    all_steps(s, data, std::make_index_sequence<20>());
    end_block(s, data, batch, slot);
  }
  if (blocks > 0) chain = batch.after[end - 1].chain();
}

PFETCH_LANES_TARGET void compress_two(Chain& first, const std::byte* first_data, Chain& second,
                                      const std::byte* second_data, std::size_t blocks, Batch& batch,
                                      std::size_t slot) {
  ShaStream one;
  ShaStream two;
  load_chain(one, first);
  load_chain(two, second);
  const std::size_t end = slot + 2 * blocks;
  for (; slot < end; slot += 2, first_data += kBlockBytes, second_data += kBlockBytes) {
    begin_block(one, batch, slot);
    begin_block(two, batch, slot + 1);
    all_steps_of_two(one, first_data, two, second_data, std::make_index_sequence<20>());
    end_block(one, first_data, batch, slot);
    end_block(two, second_data, batch, slot + 1);
  }
  if (blocks == 0) return;
  first = batch.after[end - 2].chain();
  second = batch.after[end - 1].chain();
}
