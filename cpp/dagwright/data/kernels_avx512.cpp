// Compiled with -mavx512f -mavx512bw -mavx512vpopcntdq; called only where the processor has them.
#if defined(__x86_64__)

#include <immintrin.h>

#include "dagwright/data/kernel_sets.hpp"

namespace dagwright {

namespace {

constexpr std::size_t kLane = 8;  // words in a register

std::uint64_t and_count(const Word* a, const Word* b, std::size_t n_words) {
  __m512i total = _mm512_setzero_si512();
  for (std::size_t i = 0; i < n_words; i += kLane) {
    const __m512i both = _mm512_and_si512(_mm512_load_si512(a + i), _mm512_load_si512(b + i));
    total = _mm512_add_epi64(total, _mm512_popcnt_epi64(both));
  }
  return static_cast<std::uint64_t>(_mm512_reduce_add_epi64(total));
}

void and_only(const Word* a, const Word* b, Word* out, std::size_t n_words) {
  for (std::size_t i = 0; i < n_words; i += kLane) {
    _mm512_store_si512(out + i,
                       _mm512_and_si512(_mm512_load_si512(a + i), _mm512_load_si512(b + i)));
  }
}

std::uint64_t and_store(const Word* a, const Word* b, Word* out, std::size_t n_words) {
  __m512i total = _mm512_setzero_si512();
  for (std::size_t i = 0; i < n_words; i += kLane) {
    const __m512i both = _mm512_and_si512(_mm512_load_si512(a + i), _mm512_load_si512(b + i));
    _mm512_store_si512(out + i, both);
    total = _mm512_add_epi64(total, _mm512_popcnt_epi64(both));
  }
  return static_cast<std::uint64_t>(_mm512_reduce_add_epi64(total));
}

std::uint64_t split(const Word* a, const Word* b, Word* inside, Word* outside,
                    std::size_t n_words) {
  __m512i total = _mm512_setzero_si512();
  for (std::size_t i = 0; i < n_words; i += kLane) {
    const __m512i rows = _mm512_load_si512(a + i);
    const __m512i mask = _mm512_load_si512(b + i);
    const __m512i both = _mm512_and_si512(rows, mask);
    _mm512_store_si512(inside + i, both);
    _mm512_store_si512(outside + i, _mm512_andnot_si512(mask, rows));
    total = _mm512_add_epi64(total, _mm512_popcnt_epi64(both));
  }
  return static_cast<std::uint64_t>(_mm512_reduce_add_epi64(total));
}

void and_count_many(const Word* const* cells, std::size_t n_cells, const Word* b,
                    std::size_t n_words, std::uint64_t* counts) {
  std::size_t i = 0;
  for (; i + 4 <= n_cells; i += 4) {
    __m512i total[4] = {_mm512_setzero_si512(), _mm512_setzero_si512(), _mm512_setzero_si512(),
                        _mm512_setzero_si512()};
    for (std::size_t w = 0; w < n_words; w += kLane) {
      const __m512i mask = _mm512_load_si512(b + w);
      for (std::size_t k = 0; k < 4; ++k) {
        const __m512i both = _mm512_and_si512(_mm512_load_si512(cells[i + k] + w), mask);
        total[k] = _mm512_add_epi64(total[k], _mm512_popcnt_epi64(both));
      }
    }
    for (std::size_t k = 0; k < 4; ++k) {
      counts[i + k] += static_cast<std::uint64_t>(_mm512_reduce_add_epi64(total[k]));
    }
  }
  for (; i < n_cells; ++i) counts[i] += and_count(cells[i], b, n_words);
}

void mark(const std::uint8_t* codes, std::size_t n_rows, std::uint8_t state, Word* out) {
  const __m512i wanted = _mm512_set1_epi8(static_cast<char>(state));
  std::size_t row = 0;
  for (; row + 64 <= n_rows; row += 64) {
    out[row / 64] = _mm512_cmpeq_epi8_mask(_mm512_loadu_si512(codes + row), wanted);
  }
  if (row < n_rows) {
    Word word = 0;
    for (std::size_t i = row; i < n_rows; ++i) word |= Word{codes[i] == state} << (i - row);
    out[row / 64] = word;
  }
}

}  // namespace

const Kernels kAvx512Kernels = {"avx512", and_count,      and_only, and_store,
                                split,    and_count_many, mark};

}  // namespace dagwright

#endif
