// All conditions of all vectors for many blocks at once, on planes: one XOR for a condition, one OR for each vector
// that it can rule out, straight lines of code without a branch until a candidate shows.
//
// A text compiled once for each instruction set, as sha1_lanes.h is and under the same rules; include it after that.

// 64 planes' worth of blocks side by side in one register, as many as it holds.
typedef std::uint64_t WidePlane __attribute__((vector_size(PFETCH_LANES_BYTES), may_alias));
inline constexpr std::size_t kWideGroups = PFETCH_LANES_BYTES / 8;

// Where a plane lies: bytes for at most eight blocks, 64 bits for a group, or a register of several groups.
template <class Plane>
constexpr std::size_t plane_index(std::size_t word, std::size_t bit) {
  const RowBit at = row_bit_of(word, bit);
  return sizeof(Plane) == 1 ? few_plane_index(at) : group_plane_index(at);
}

// What is computed with: processors are slow with single bytes.
template <class Plane>
using Wide = std::conditional_t<sizeof(Plane) == 1, std::uint32_t, Plane>;

// The blocks that break condition I.
template <class Plane, std::size_t I>
PFETCH_LANES_INLINE void note_broken(const Plane* planes, Wide<Plane>* conditions) {
  constexpr auto kCondition = sha1_facts::kConditions[I];
  constexpr std::size_t kFirst = plane_index<Plane>(kCondition.first_word, kCondition.first_bit);
  constexpr std::size_t kSecond = plane_index<Plane>(kCondition.second_word, kCondition.second_bit);
  conditions[I] = Wide<Plane>{planes[kFirst]} ^ planes[kSecond];
  if constexpr (kCondition.value == 1) conditions[I] = ~conditions[I];
}

template <class Plane, std::size_t... I>
PFETCH_LANES_INLINE void note_all_broken(const Plane* planes, Wide<Plane>* conditions, std::index_sequence<I...>) {
  (note_broken<Plane, I>(planes, conditions), ...);
}

template <class Plane, std::size_t V, std::size_t... I>
PFETCH_LANES_INLINE void rule_out(const Plane* conditions, Plane& out, std::index_sequence<I...>) {
  ((out |= conditions[kConditionsOf<V>.index[I]]), ...);
}

// Notes in the batch that the blocks whose bits are set may belong to vector V. `group` counts 64 blocks.
inline void note_blocks(Batch& batch, std::size_t group, std::uint64_t blocks, std::uint32_t vector) {
  batch.candidates[group] |= blocks;
  for (; blocks != 0; blocks &= blocks - 1) {
    batch.vectors[64 * group + static_cast<std::size_t>(std::countr_zero(blocks))] |= 1U << vector;
  }
}

template <class Plane, std::size_t V>
PFETCH_LANES_INLINE void find_vector(const Plane* conditions, const Wide<Plane>& live, Batch& batch,
                                     std::size_t group) {
  Plane out = ~live;
  rule_out<Plane, V>(conditions, out, std::make_index_sequence<kConditionsOf<V>.count>());
  const Plane left = ~out;
  if constexpr (sizeof(Plane) <= 8) {
    if (left != 0) note_blocks(batch, group, left, V);
  } else if (PFETCH_LANES_ANY(left)) {
    for (std::size_t i = 0; i < kWideGroups; ++i) note_blocks(batch, group + i, left[i], V);
  }
}

template <class Plane, std::size_t... V>
PFETCH_LANES_INLINE void find_all(const Plane* conditions, const Wide<Plane>& live, Batch& batch, std::size_t group,
                                  std::index_sequence<V...>) {
  (find_vector<Plane, V>(conditions, live, batch, group), ...);
}

template <class Plane>
PFETCH_LANES_TARGET PFETCH_LANES_STRAIGHT void find_candidates(const Plane* planes, const Wide<Plane>& live,
                                                               Batch& batch, std::size_t group) {
  Wide<Plane> conditions[sha1_facts::kConditionCount];
  note_all_broken(planes, conditions, std::make_index_sequence<sha1_facts::kConditionCount>());
  find_all<Wide<Plane>>(conditions, live, batch, group, std::make_index_sequence<sha1_facts::kVectorCount>());
}

// The bits of the first `used` blocks of a group; `used` may be more than 64.
inline std::uint64_t live_blocks(std::size_t used) {
  return used >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << used) - 1;
}

PFETCH_LANES_TARGET void check_few(Batch& batch, std::size_t used) {
  alignas(64) std::uint8_t planes[kPlaneCount];
  for (std::size_t column = 0; column < kRowWords; column += kLanes) transpose_few(batch, column, planes);
  find_candidates(planes, static_cast<std::uint32_t>(live_blocks(used)), batch, 0);
}

PFETCH_LANES_TARGET void check_group(Batch& batch, std::size_t used) {
  alignas(64) std::uint64_t planes[kPlaneCount];
  for (std::size_t column = 0; column < kRowWords; column += kLanes) transpose_group(batch, 0, column, planes);
  find_candidates(planes, live_blocks(used), batch, 0);
}

// Brings the same plane of kWideGroups groups together in one register.
PFETCH_LANES_INLINE void widen_planes(const std::uint64_t (&narrow)[kWideGroups][kPlaneCount], WidePlane* wide) {
  for (std::size_t p = 0; p < kPlaneCount; p += kWideGroups) {
    WidePlane in[kWideGroups];
    for (std::size_t i = 0; i < kWideGroups; ++i) in[i] = *reinterpret_cast<const WidePlane*>(&narrow[i][p]);
#if PFETCH_LANES_BYTES == 16
    wide[p] = __builtin_shufflevector(in[0], in[1], 0, 2);
    wide[p + 1] = __builtin_shufflevector(in[0], in[1], 1, 3);
#else
    const WidePlane even01 = __builtin_shufflevector(in[0], in[1], 0, 4, 2, 6);
    const WidePlane odd01 = __builtin_shufflevector(in[0], in[1], 1, 5, 3, 7);
    const WidePlane even23 = __builtin_shufflevector(in[2], in[3], 0, 4, 2, 6);
    const WidePlane odd23 = __builtin_shufflevector(in[2], in[3], 1, 5, 3, 7);
    wide[p] = __builtin_shufflevector(even01, even23, 0, 1, 4, 5);
    wide[p + 1] = __builtin_shufflevector(odd01, odd23, 0, 1, 4, 5);
    wide[p + 2] = __builtin_shufflevector(even01, even23, 2, 3, 6, 7);
    wide[p + 3] = __builtin_shufflevector(odd01, odd23, 2, 3, 6, 7);
#endif
  }
}

PFETCH_LANES_TARGET void check_wide(Batch& batch, std::size_t used, std::size_t first_group) {
  alignas(64) std::uint64_t narrow[kWideGroups][kPlaneCount];
  WidePlane planes[kPlaneCount];
  WidePlane live = {};
  for (std::size_t i = 0; i < kWideGroups; ++i) {
    const std::size_t group = first_group + i;
    if (64 * group < used) {
      live[i] = live_blocks(used - 64 * group);
      for (std::size_t column = 0; column < kRowWords; column += kLanes) {
        transpose_group(batch, group, column, narrow[i]);
      }
    } else {
      std::memset(narrow[i], 0, sizeof narrow[i]);
    }
  }
  widen_planes(narrow, planes);
  find_candidates(planes, live, batch, first_group);
}

PFETCH_LANES_TARGET void check_batch(Batch& batch, std::size_t used) {
  const std::size_t whole = used <= 8 ? 8 : (used + 63) / 64 * 64;
  std::memset(&batch.bits[used], 0, (whole - used) * sizeof batch.bits[0]);
  std::memset(batch.vectors.data(), 0, used * sizeof batch.vectors[0]);
  batch.candidates = {};
  if (used <= 8) {
    check_few(batch, used);
  } else if (used <= 64) {
    check_group(batch, used);
  } else {
    for (std::size_t group = 0; 64 * group < used; group += kWideGroups) check_wide(batch, used, group);
  }
}
