// Compiled with -mavx2; called only where the processor has it.
#if defined(__x86_64__)

#include <immintrin.h>

#include "dagwright/data/kernel_sets.hpp"

namespace dagwright {

namespace {

constexpr std::size_t kLane = 4;  // words in a register

__m256i load(const Word* p) { return _mm256_load_si256(reinterpret_cast<const __m256i*>(p)); }
void store(Word* p, __m256i x) { _mm256_store_si256(reinterpret_cast<__m256i*>(p), x); }

// Bits in each byte: two look-ups of four bits (Mula, Kurz & Lemire 2018).
__m256i bits_in_bytes(__m256i x) {
  const __m256i table = _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, 0, 1, 1, 2,
                                         1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
  const __m256i low = _mm256_set1_epi8(0x0f);
  return _mm256_add_epi8(
      _mm256_shuffle_epi8(table, _mm256_and_si256(x, low)),
      _mm256_shuffle_epi8(table, _mm256_and_si256(_mm256_srli_epi32(x, 4), low)));
}

__m256i sum_bytes(__m256i bytes) { return _mm256_sad_epu8(bytes, _mm256_setzero_si256()); }

std::uint64_t sum_words(__m256i x) {
  const __m128i half =
      _mm_add_epi64(_mm256_castsi256_si128(x), _mm256_extracti128_si256(x, 1));
  return static_cast<std::uint64_t>(_mm_cvtsi128_si64(half)) +
         static_cast<std::uint64_t>(_mm_extract_epi64(half, 1));
}

// A byte counts to 8 a step; after 31 steps it would overflow.
constexpr std::size_t kStepsPerSum = 30;

std::uint64_t and_count(const Word* a, const Word* b, std::size_t n_words) {
  __m256i total = _mm256_setzero_si256();
  for (std::size_t i = 0; i < n_words;) {
    const std::size_t end = n_words - i < kStepsPerSum * kLane ? n_words : i + kStepsPerSum * kLane;
    __m256i bytes = _mm256_setzero_si256();
    for (; i < end; i += 2 * kLane) {
      const __m256i x = bits_in_bytes(_mm256_and_si256(load(a + i), load(b + i)));
      const __m256i y = bits_in_bytes(_mm256_and_si256(load(a + i + kLane), load(b + i + kLane)));
      bytes = _mm256_add_epi8(bytes, _mm256_add_epi8(x, y));
    }
    total = _mm256_add_epi64(total, sum_bytes(bytes));
  }
  return sum_words(total);
}

void and_only(const Word* a, const Word* b, Word* out, std::size_t n_words) {
  for (std::size_t i = 0; i < n_words; i += kLane) {
    store(out + i, _mm256_and_si256(load(a + i), load(b + i)));
  }
}

std::uint64_t and_store(const Word* a, const Word* b, Word* out, std::size_t n_words) {
  __m256i total = _mm256_setzero_si256();
  for (std::size_t i = 0; i < n_words;) {
    const std::size_t end = n_words - i < kStepsPerSum * kLane ? n_words : i + kStepsPerSum * kLane;
    __m256i bytes = _mm256_setzero_si256();
    for (; i < end; i += kLane) {
      const __m256i both = _mm256_and_si256(load(a + i), load(b + i));
      store(out + i, both);
      bytes = _mm256_add_epi8(bytes, bits_in_bytes(both));
    }
    total = _mm256_add_epi64(total, sum_bytes(bytes));
  }
  return sum_words(total);
}

std::uint64_t split(const Word* a, const Word* b, Word* inside, Word* outside,
                    std::size_t n_words) {
  __m256i total = _mm256_setzero_si256();
  for (std::size_t i = 0; i < n_words;) {
    const std::size_t end = n_words - i < kStepsPerSum * kLane ? n_words : i + kStepsPerSum * kLane;
    __m256i bytes = _mm256_setzero_si256();
    for (; i < end; i += kLane) {
      const __m256i rows = load(a + i);
      const __m256i mask = load(b + i);
      const __m256i both = _mm256_and_si256(rows, mask);
      store(inside + i, both);
      store(outside + i, _mm256_andnot_si256(mask, rows));
      bytes = _mm256_add_epi8(bytes, bits_in_bytes(both));
    }
    total = _mm256_add_epi64(total, sum_bytes(bytes));
  }
  return sum_words(total);
}

// Four cells against one b.
void and_count_four(const Word* const* cells, const Word* b, std::size_t n_words,
                    std::uint64_t* counts) {
  __m256i total[4] = {_mm256_setzero_si256(), _mm256_setzero_si256(), _mm256_setzero_si256(),
                      _mm256_setzero_si256()};
  for (std::size_t i = 0; i < n_words;) {
    const std::size_t end = n_words - i < kStepsPerSum * kLane ? n_words : i + kStepsPerSum * kLane;
    __m256i bytes[4] = {_mm256_setzero_si256(), _mm256_setzero_si256(), _mm256_setzero_si256(),
                        _mm256_setzero_si256()};
    for (; i < end; i += kLane) {
      const __m256i mask = load(b + i);
      for (int k = 0; k < 4; ++k) {
        bytes[k] = _mm256_add_epi8(
            bytes[k], bits_in_bytes(_mm256_and_si256(load(cells[k] + i), mask)));
      }
    }
    for (int k = 0; k < 4; ++k) total[k] = _mm256_add_epi64(total[k], sum_bytes(bytes[k]));
  }
  for (int k = 0; k < 4; ++k) counts[k] += sum_words(total[k]);
}

void and_count_many(const Word* const* cells, std::size_t n_cells, const Word* const* states,
                    std::size_t n_states, std::size_t n_words, std::uint64_t* counts) {
  for (std::size_t j = 0; j < n_states; ++j) {
    std::size_t i = 0;
    for (; i + 4 <= n_cells; i += 4) {
      std::uint64_t four[4] = {};
      and_count_four(cells + i, states[j], n_words, four);
      for (std::size_t k = 0; k < 4; ++k) counts[(i + k) * n_states + j] += four[k];
    }
    for (; i < n_cells; ++i) counts[i * n_states + j] += and_count(cells[i], states[j], n_words);
  }
}

// N states within the rows in both a and b.
template <std::size_t N>
void count_within(const Word* a, const Word* b, const Word* const* states, std::size_t n_words,
                  std::uint64_t* counts) {
  __m256i total[N];
  for (auto& sum : total) sum = _mm256_setzero_si256();
  for (std::size_t i = 0; i < n_words;) {
    const std::size_t end = n_words - i < kStepsPerSum * kLane ? n_words : i + kStepsPerSum * kLane;
    __m256i bytes[N];
    for (auto& sum : bytes) sum = _mm256_setzero_si256();
    for (; i < end; i += kLane) {
      const __m256i both = _mm256_and_si256(load(a + i), load(b + i));
      for (std::size_t k = 0; k < N; ++k) {
        bytes[k] = _mm256_add_epi8(
            bytes[k], bits_in_bytes(_mm256_and_si256(both, load(states[k] + i))));
      }
    }
    for (std::size_t k = 0; k < N; ++k) total[k] = _mm256_add_epi64(total[k], sum_bytes(bytes[k]));
  }
  for (std::size_t k = 0; k < N; ++k) counts[k] = sum_words(total[k]);
}

void and_count_within(const Word* a, const Word* b, const Word* const* states,
                      std::size_t n_states, std::size_t n_words, std::uint64_t* counts) {
  std::size_t j = 0;
  for (; j + 4 <= n_states; j += 4) count_within<4>(a, b, states + j, n_words, counts + j);
  switch (n_states - j) {
    case 3:
      return count_within<3>(a, b, states + j, n_words, counts + j);
    case 2:
      return count_within<2>(a, b, states + j, n_words, counts + j);
    case 1:
      return count_within<1>(a, b, states + j, n_words, counts + j);
  }
}

void mark(const std::uint8_t* codes, std::size_t n_rows, std::uint8_t state, Word* out) {
  const __m256i wanted = _mm256_set1_epi8(static_cast<char>(state));
  const auto half = [&](const std::uint8_t* from) {
    const __m256i bytes = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
    return static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(bytes, wanted)));
  };
  std::size_t row = 0;
  for (; row + 64 <= n_rows; row += 64) {
    out[row / 64] = half(codes + row) | Word{half(codes + row + 32)} << 32;
  }
  if (row < n_rows) {
    Word word = 0;
    for (std::size_t i = row; i < n_rows; ++i) word |= Word{codes[i] == state} << (i - row);
    out[row / 64] = word;
  }
}

}  // namespace

const Kernels kAvx2Kernels = {"avx2", 0.2, and_count,      and_only,         and_store,
                              split,  and_count_many, and_count_within, mark};

}  // namespace dagwright

#endif
