// The lane work of SHA-1 detection: turning rows into planes, and re-testing candidates side by side.
//
// This file is a text to be compiled once for each instruction set, like simdjson's generic kernels: vector types of
// the compiler (GCC and clang lower them to whatever the target has) and a target attribute on every function. Before
// including it, inside an unnamed namespace, define
//   PFETCH_LANES_TARGET  the function attribute, or nothing
//   PFETCH_LANES_BYTES   16 or 32, the width of a register
// Vectors are read and written through pointers, not memcpy, which GCC cuts into pieces that stall the reload.
// There is no include guard: a file that includes it twice is a mistake that does not compile.
#if PFETCH_LANES_BYTES != 16 && PFETCH_LANES_BYTES != 32
#error "PFETCH_LANES_BYTES must be 16 or 32"
#endif

typedef std::uint32_t Lanes __attribute__((vector_size(PFETCH_LANES_BYTES), may_alias));
typedef std::uint8_t ByteLanes __attribute__((vector_size(PFETCH_LANES_BYTES)));
typedef std::uint16_t HalfLanes __attribute__((vector_size(PFETCH_LANES_BYTES)));
inline constexpr std::size_t kLanes = PFETCH_LANES_BYTES / 4;

// Thousands of steps in a straight line, every index a constant: checking each access by UBSan and counting each check
// as a branch finds nothing and takes clang minutes.
#if defined(__clang__)
#define PFETCH_LANES_STRAIGHT __attribute__((no_sanitize("undefined", "coverage")))
#else
#define PFETCH_LANES_STRAIGHT __attribute__((no_sanitize("undefined")))
#endif
#define PFETCH_LANES_INLINE PFETCH_LANES_TARGET PFETCH_LANES_STRAIGHT __attribute__((always_inline)) inline

// Interleaves the elements of a and b, in each 128 bits: `low` the lower halves, `high` the upper ones.
#if PFETCH_LANES_BYTES == 16
#define PFETCH_INTERLEAVE_BYTES(a, b, o)                                                                              \
  __builtin_shufflevector(a, b, o, o + 16, o + 1, o + 17, o + 2, o + 18, o + 3, o + 19, o + 4, o + 20, o + 5, o + 21, \
                          o + 6, o + 22, o + 7, o + 23)
#define PFETCH_INTERLEAVE_HALVES(a, b, o) \
  __builtin_shufflevector(a, b, o, o + 8, o + 1, o + 9, o + 2, o + 10, o + 3, o + 11)
#define PFETCH_INTERLEAVE_WORDS(a, b, o) __builtin_shufflevector(a, b, o, o + 4, o + 1, o + 5)
#else
#define PFETCH_INTERLEAVE_BYTES(a, b, o)                                                                              \
  __builtin_shufflevector(a, b, o, o + 32, o + 1, o + 33, o + 2, o + 34, o + 3, o + 35, o + 4, o + 36, o + 5, o + 37, \
                          o + 6, o + 38, o + 7, o + 39, o + 16, o + 48, o + 17, o + 49, o + 18, o + 50, o + 19,       \
                          o + 51, o + 20, o + 52, o + 21, o + 53, o + 22, o + 54, o + 23, o + 55)
#define PFETCH_INTERLEAVE_HALVES(a, b, o)                                                                             \
  __builtin_shufflevector(a, b, o, o + 16, o + 1, o + 17, o + 2, o + 18, o + 3, o + 19, o + 8, o + 24, o + 9, o + 25, \
                          o + 10, o + 26, o + 11, o + 27)
#define PFETCH_INTERLEAVE_WORDS(a, b, o) \
  __builtin_shufflevector(a, b, o, o + 8, o + 1, o + 9, o + 4, o + 12, o + 5, o + 13)
#endif

// Swaps the bits of `high` under `mask` with those of `low` that lie `shift` above: one step of a bit transposition.
#define PFETCH_SWAP_BITS(low, high, shift, mask)                     \
  do {                                                               \
    const Lanes difference = (((low) >> (shift)) ^ (high)) & (mask); \
    (high) ^= difference;                                            \
    (low) ^= difference << (shift);                                  \
  } while (false)

// The last steps of all transpositions: eight registers, each byte position of which is an 8 x 8 bit matrix.
#define PFETCH_TRANSPOSE_BITS(m)                                                               \
  do {                                                                                         \
    for (std::size_t i = 0; i < 4; ++i) PFETCH_SWAP_BITS(m[i], m[i + 4], 4, 0x0f0f0f0fU);      \
    for (const std::size_t i : {0, 1, 4, 5}) PFETCH_SWAP_BITS(m[i], m[i + 2], 2, 0x33333333U); \
    for (const std::size_t i : {0, 2, 4, 6}) PFETCH_SWAP_BITS(m[i], m[i + 1], 1, 0x55555555U); \
  } while (false)

// Rows to planes for 64 rows. First bytes: the same byte of rows r, r+8 … r+56 comes together in 64 bits, for r = 0..7.
// Then bits. `column` is the first row word that is worked on.
PFETCH_LANES_TARGET void transpose_group(const Batch& batch, std::size_t group, std::size_t column,
                                         std::uint64_t* planes) {
  alignas(64) Lanes grouped[8][8];
  for (std::size_t r = 0; r < 8; ++r) {
    Lanes row[8];
    for (std::size_t i = 0; i < 8; ++i) {
      row[i] = *reinterpret_cast<const Lanes*>(&batch.bits[64 * group + r + 8 * i][column]);
    }
    Lanes two[8];
    for (std::size_t i = 0; i < 4; ++i) {
      const auto a = (ByteLanes)row[2 * i];
      const auto b = (ByteLanes)row[2 * i + 1];
      two[2 * i] = (Lanes)PFETCH_INTERLEAVE_BYTES(a, b, 0);
      two[2 * i + 1] = (Lanes)PFETCH_INTERLEAVE_BYTES(a, b, 8);
    }
    Lanes four[2][4];
    for (std::size_t i = 0; i < 2; ++i) {
      for (std::size_t k = 0; k < 2; ++k) {
        const auto a = (HalfLanes)two[4 * i + k];
        const auto b = (HalfLanes)two[4 * i + 2 + k];
        four[i][2 * k] = (Lanes)PFETCH_INTERLEAVE_HALVES(a, b, 0);
        four[i][2 * k + 1] = (Lanes)PFETCH_INTERLEAVE_HALVES(a, b, 4);
      }
    }
    for (std::size_t k = 0; k < 4; ++k) {
      grouped[2 * k][r] = PFETCH_INTERLEAVE_WORDS(four[0][k], four[1][k], 0);
      grouped[2 * k + 1][r] = PFETCH_INTERLEAVE_WORDS(four[0][k], four[1][k], 2);
    }
  }
  for (std::size_t x = 0; x < 8; ++x) {
    Lanes(&m)[8] = grouped[x];
    PFETCH_TRANSPOSE_BITS(m);
    for (std::size_t bit = 0; bit < 8; ++bit) {
      *reinterpret_cast<Lanes*>(planes + (x * 8 + bit) * 4 + column / 2) = m[bit];
    }
  }
}

// Rows to planes of one byte, for the first eight rows.
PFETCH_LANES_TARGET void transpose_few(const Batch& batch, std::size_t column, std::uint8_t* planes) {
  Lanes m[8];
  for (std::size_t r = 0; r < 8; ++r) m[r] = *reinterpret_cast<const Lanes*>(&batch.bits[r][column]);
  PFETCH_TRANSPOSE_BITS(m);
  for (std::size_t bit = 0; bit < 8; ++bit) *reinterpret_cast<Lanes*>(planes + 32 * bit + 4 * column) = m[bit];
}

#define PFETCH_ROTATE(x, n) (((x) << (n)) | ((x) >> (32 - (n))))

// One step forward or back for kLanes messages, as `step` and `step_back` of sha1_check.cc.
template <std::size_t T, bool Forward>
PFETCH_LANES_INLINE void lane_step(Lanes (&s)[5], const Lanes& w) {
  constexpr std::size_t kA = (80 - T) % 5;
  const Lanes& a = s[kA];
  Lanes& b = s[(kA + 1) % 5];
  const Lanes& c = s[(kA + 2) % 5];
  const Lanes& d = s[(kA + 3) % 5];
  Lanes& e = s[(kA + 4) % 5];
  if constexpr (!Forward) b = PFETCH_ROTATE(b, 2);
  Lanes sum = PFETCH_ROTATE(a, 5) + w;
  if constexpr (T < 20) {
    sum += (d ^ (b & (c ^ d))) + 0x5a827999U;
  } else if constexpr (T < 40) {
    sum += (b ^ c ^ d) + 0x6ed9eba1U;
  } else if constexpr (T < 60) {
    sum += ((b & c) | (d & (b ^ c))) + 0x8f1bbcdcU;
  } else {
    sum += (b ^ c ^ d) + 0xca62c1d6U;
  }
  if constexpr (Forward) {
    e += sum;
    b = PFETCH_ROTATE(b, 30);
  } else {
    e -= sum;
  }
}

template <std::size_t From, std::size_t... I>
PFETCH_LANES_INLINE void lane_steps(Lanes (&s)[5], const Lanes* w, std::index_sequence<I...>) {
  (lane_step<From + I, true>(s, w[From + I]), ...);
}

template <std::size_t To, std::size_t... I>
PFETCH_LANES_INLINE void lane_steps_back(Lanes (&s)[5], const Lanes* w, std::index_sequence<I...>) {
  (lane_step<To - 1 - I, false>(s, w[To - 1 - I]), ...);
}

// Re-tests kLanes candidates. Those of test step 65 share the way of the others: from step 65 down to step 58 they walk
// on with the other message, and come back over the same states.
PFETCH_LANES_TARGET PFETCH_LANES_STRAIGHT std::uint32_t retest_lanes(const Candidate* candidates, std::size_t count) {
  Lanes w[80];
  Lanes other[80];
  Lanes before[5];
  Lanes after[5];
  Lanes late;
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    const Candidate& candidate = candidates[lane < count ? lane : 0];
    const auto& vector = sha1_facts::kVectors[candidate.vector];
    for (std::size_t t = 0; t < 16; ++t) {
      w[t][lane] = load_be32(candidate.block.data() + 4 * t);
      other[t][lane] = w[t][lane] ^ vector.difference[t];
    }
    const Chain from = candidate.before.chain();
    const Chain to = candidate.after.chain();
    for (std::size_t i = 0; i < 5; ++i) {
      before[i][lane] = from[i];
      after[i][lane] = to[i];
    }
    late[lane] = vector.test_step == 58 ? 0 : 0xffffffff;
  }
  for (std::size_t t = 16; t < 80; ++t) {
    const Lanes x = w[t - 3] ^ w[t - 8] ^ w[t - 14] ^ w[t - 16];
    w[t] = PFETCH_ROTATE(x, 1);
    const Lanes y = other[t - 3] ^ other[t - 8] ^ other[t - 14] ^ other[t - 16];
    other[t] = PFETCH_ROTATE(y, 1);
  }
  for (std::size_t t = 58; t < 65; ++t) w[t] ^= (w[t] ^ other[t]) & late;

  Lanes s[5];
  for (std::size_t i = 0; i < 5; ++i) s[i] = after[i] - before[i];
  lane_steps_back<80>(s, w, std::make_index_sequence<22>());
  Lanes start[5] = {s[0], s[1], s[2], s[3], s[4]};
  lane_steps<58>(s, other, std::make_index_sequence<22>());
  lane_steps_back<58>(start, other, std::make_index_sequence<58>());

  Lanes unequal = {};
  for (std::size_t i = 0; i < 5; ++i) unequal |= (start[i] + s[i]) ^ after[i];
  std::uint32_t attacks = 0;
  for (std::size_t lane = 0; lane < kLanes && lane < count; ++lane) {
    attacks |= std::uint32_t{unequal[lane] == 0} << lane;
  }
  return attacks;
}

PFETCH_LANES_TARGET std::uint32_t retest_candidates(const Candidate* candidates, std::size_t count) {
  std::uint32_t attacks = 0;
  for (std::size_t at = 0; at < count; at += kLanes) {
    const std::uint32_t found =
        count - at == 1 ? std::uint32_t{retest_one(candidates[at])} : retest_lanes(candidates + at, count - at);
    attacks |= found << at;
  }
  return attacks;
}
