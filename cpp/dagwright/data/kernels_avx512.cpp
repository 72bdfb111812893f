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

std::uint64_t sum_words(__m512i x) {
  return static_cast<std::uint64_t>(_mm512_reduce_add_epi64(x));
}

// counts[c * stride + s] += rows in both cells[c] and states[s], all in registers.
template <std::size_t C, std::size_t S>
void count_tile(const Word* const* cells, const Word* const* states, std::size_t n_words,
                std::uint64_t* counts, std::size_t stride) {
  __m512i total[C][S];
  for (auto& row : total)
    for (auto& sum : row) sum = _mm512_setzero_si512();
  for (std::size_t w = 0; w < n_words; w += kLane) {
    __m512i state[S];
    for (std::size_t s = 0; s < S; ++s) state[s] = _mm512_load_si512(states[s] + w);
    for (std::size_t c = 0; c < C; ++c) {
      const __m512i cell = _mm512_load_si512(cells[c] + w);
      for (std::size_t s = 0; s < S; ++s) {
        total[c][s] = _mm512_add_epi64(total[c][s],
                                       _mm512_popcnt_epi64(_mm512_and_si512(cell, state[s])));
      }
    }
  }
  for (std::size_t c = 0; c < C; ++c)
    for (std::size_t s = 0; s < S; ++s) counts[c * stride + s] += sum_words(total[c][s]);
}

template <std::size_t S>
void count_tiles(const Word* const* cells, std::size_t n_cells, const Word* const* states,
                 std::size_t n_words, std::uint64_t* counts, std::size_t stride) {
  std::size_t i = 0;
  for (; i + 4 <= n_cells; i += 4)
    count_tile<4, S>(cells + i, states, n_words, counts + i * stride, stride);
  for (; i < n_cells; ++i)
    count_tile<1, S>(cells + i, states, n_words, counts + i * stride, stride);
}

void and_count_many(const Word* const* cells, std::size_t n_cells, const Word* const* states,
                    std::size_t n_states, std::size_t n_words, std::uint64_t* counts) {
  std::size_t j = 0;
  for (; j + 4 <= n_states; j += 4)
    count_tiles<4>(cells, n_cells, states + j, n_words, counts + j, n_states);
  for (; j + 2 <= n_states; j += 2)
    count_tiles<2>(cells, n_cells, states + j, n_words, counts + j, n_states);
  if (j < n_states) count_tiles<1>(cells, n_cells, states + j, n_words, counts + j, n_states);
}

template <std::size_t S>
void count_within(const Word* a, const Word* b, const Word* const* states, std::size_t n_words,
                  std::uint64_t* counts) {
  __m512i total[S];
  for (auto& sum : total) sum = _mm512_setzero_si512();
  for (std::size_t w = 0; w < n_words; w += kLane) {
    const __m512i both = _mm512_and_si512(_mm512_load_si512(a + w), _mm512_load_si512(b + w));
    for (std::size_t s = 0; s < S; ++s) {
      const __m512i here = _mm512_and_si512(both, _mm512_load_si512(states[s] + w));
      total[s] = _mm512_add_epi64(total[s], _mm512_popcnt_epi64(here));
    }
  }
  for (std::size_t s = 0; s < S; ++s) counts[s] = sum_words(total[s]);
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

const Kernels kAvx512Kernels = {"avx512", 0.08, and_count,      and_only,         and_store,
                                split,    and_count_many, and_count_within, mark};

}  // namespace dagwright

#endif
