// The code of all sets of kernels: the including file names the set, and its compiler options say how
// many numbers go at once. No product and sum is fused, so all sets agree to the last bit.
#pragma once

#include <cstring>

#if defined(__AVX512F__)
#include <immintrin.h>
#endif

#include "dagwright/markov/spin_kernels.hpp"

namespace dagwright {

namespace {

#if defined(__AVX512F__)
constexpr std::size_t kWide = 8;
#elif defined(__AVX2__)
constexpr std::size_t kWide = 4;
#else
constexpr std::size_t kWide = 2;
#endif

typedef double Wide __attribute__((vector_size(8 * kWide)));
typedef std::int64_t WideWords __attribute__((vector_size(8 * kWide)));

constexpr std::size_t kLanes = 8;               // rows k with the same k % 8 are one sum
constexpr std::size_t kParts = kLanes / kWide;  // registers that eight rows take
constexpr std::size_t kGroups = 64 / kLanes;    // of eight rows in a word
constexpr std::size_t kBlock = 64;              // words whose terms stay in the nearest cache
constexpr std::size_t kTogether = kWide;        // columns that go through the rows side by side

#define DAGWRIGHT_INLINE inline __attribute__((always_inline))

DAGWRIGHT_INLINE Wide all(double value) {
  Wide values;
  for (std::size_t i = 0; i < kWide; ++i) values[i] = value;  // 0 + value would lose the sign of -0
  return values;
}

DAGWRIGHT_INLINE Wide load(const double* from) {
  Wide values;
  std::memcpy(&values, from, sizeof values);
  return values;
}

DAGWRIGHT_INLINE void store(Wide values, double* to) { std::memcpy(to, &values, sizeof values); }

// Bit by bit: all ones where it is set. The row is that of the first bit.
DAGWRIGHT_INLINE WideWords mask_of(SpinWord word, std::size_t row) {
  WideWords places;
  for (std::size_t i = 0; i < kWide; ++i) places[i] = std::int64_t{1} << i;
  const WideWords spread = WideWords{} + static_cast<std::int64_t>(word >> row);
  return (spread & places) == places;
}

// The sum with the values added where the bits are set.
DAGWRIGHT_INLINE Wide add_where(Wide sum, SpinWord word, std::size_t row, Wide values) {
#if defined(__AVX512F__)
  return _mm512_mask_add_pd(sum, static_cast<__mmask8>(word >> row), sum, values);
#else
  return sum + (Wide)((WideWords)values & mask_of(word, row));
#endif
}

DAGWRIGHT_INLINE Wide choose(WideWords where, Wide yes, Wide no) {
  return (Wide)(((WideWords)yes & where) | ((WideWords)no & ~where));
}

DAGWRIGHT_INLINE double total(const double* x) {
  return ((x[0] + x[1]) + (x[2] + x[3])) + ((x[4] + x[5]) + (x[6] + x[7]));
}

// e^x to the last digits: x = n ln 2 + r, the series of e^r, and n put into the exponent. Beyond what
// a double can have the result is that at the end.
DAGWRIGHT_INLINE Wide exp_of(Wide x) {
  x = choose(x > 709.0, all(709.0), x);
  x = choose(x < -708.0, all(-708.0), x);
  const Wide shifted = x * 1.4426950408889634 + 6755399441055744.0;  // 1.5 * 2^52 rounds to whole
  const Wide n = shifted - 6755399441055744.0;
  const Wide r = (x - n * 6.93147180369123816490e-01) - n * 1.90821492927058770002e-10;
  constexpr double terms[] = {1.0 / 479001600.0, 1.0 / 39916800.0, 1.0 / 3628800.0, 1.0 / 362880.0,
                              1.0 / 40320.0,     1.0 / 5040.0,     1.0 / 720.0,     1.0 / 120.0,
                              1.0 / 24.0,        1.0 / 6.0,        0.5,             1.0,
                              1.0};
  Wide series = all(1.0 / 6227020800.0);
  for (const double term : terms) series = series * r + term;
  return (Wide)(((WideWords)shifted << 52) + (WideWords)series);
}

// log(1 + e) for e from 0 to 1, by the series of artanh about 1 or about 2.
DAGWRIGHT_INLINE Wide log_of_one_plus(Wide e) {
  const WideWords upper = e > 0.41421356237309503;
  const Wide s = choose(upper, e - 1.0, e) / (e + choose(upper, all(3.0), all(2.0)));
  const Wide square = s * s;
  constexpr double terms[] = {1.0 / 21, 1.0 / 19, 1.0 / 17, 1.0 / 15, 1.0 / 13, 1.0 / 11,
                              1.0 / 9,  1.0 / 7,  1.0 / 5,  1.0 / 3,  1.0};
  Wide series = all(1.0 / 23);
  for (const double term : terms) series = series * square + term;
  return 2.0 * s * series + choose(upper, all(0.69314718055994531), all(0.0));
}

void combine(double start, const SpinWord* const* columns, const double* values,
             std::size_t n_columns, std::size_t n_words, double* out) {
  constexpr std::size_t kRegisters = 8;
  for (std::size_t w = 0; w < n_words; ++w) {
    for (std::size_t begin = 0; begin < 64; begin += kRegisters * kWide) {
      Wide sums[kRegisters];
      for (Wide& sum : sums) sum = all(start);
      for (std::size_t j = 0; j < n_columns; ++j) {
        const SpinWord word = columns[j][w];
        const Wide value = all(values[j]);
        for (std::size_t i = 0; i < kRegisters; ++i) {
          sums[i] = add_where(sums[i], word, begin + i * kWide, value);
        }
      }
      for (std::size_t i = 0; i < kRegisters; ++i) store(sums[i], out + 64 * w + begin + i * kWide);
    }
  }
}

// Some columns at once, so that a term is read once for them; `sums` has eight of each.
template <std::size_t n>
DAGWRIGHT_INLINE void sums_of(const double* terms, const SpinWord* base,
                              const SpinWord* const* columns, std::size_t begin, std::size_t end,
                              double* sums) {
  Wide own[n][kParts];
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t p = 0; p < kParts; ++p) own[j][p] = load(sums + kLanes * j + kWide * p);
  }
  for (std::size_t w = begin; w < end; ++w) {
    SpinWord words[n];
    for (std::size_t j = 0; j < n; ++j) words[j] = columns[j][w] ^ (base == nullptr ? 0 : base[w]);
    for (std::size_t g = 0; g < kGroups; ++g) {
      for (std::size_t p = 0; p < kParts; ++p) {
        const std::size_t row = kLanes * g + kWide * p;
        const Wide here = load(terms + 64 * w + row);
        for (std::size_t j = 0; j < n; ++j) own[j][p] = add_where(own[j][p], words[j], row, here);
      }
    }
  }
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t p = 0; p < kParts; ++p) store(own[j][p], sums + kLanes * j + kWide * p);
  }
}

DAGWRIGHT_INLINE void all_sums(const double* terms, const SpinWord* base,
                               const SpinWord* const* columns, std::size_t n_columns,
                               std::size_t n_words, double* sums) {
  std::vector<double> lanes(kLanes * n_columns, 0.0);
  for (std::size_t begin = 0; begin < n_words; begin += kBlock) {
    const std::size_t end = n_words < begin + kBlock ? n_words : begin + kBlock;
    std::size_t j = 0;
    for (; j + kTogether <= n_columns; j += kTogether) {
      sums_of<kTogether>(terms, base, columns + j, begin, end, lanes.data() + kLanes * j);
    }
    for (; j < n_columns; ++j) {
      sums_of<1>(terms, base, columns + j, begin, end, lanes.data() + kLanes * j);
    }
  }
  for (std::size_t j = 0; j < n_columns; ++j) sums[j] += total(lanes.data() + kLanes * j);
}

void sums(const double* terms, const SpinWord* const* columns, std::size_t n_columns,
          std::size_t n_words, double* sums) {
  all_sums(terms, nullptr, columns, n_columns, n_words, sums);
}

void sums_differ(const double* terms, const SpinWord* base, const SpinWord* const* columns,
                 std::size_t n_columns, std::size_t n_words, double* sums) {
  all_sums(terms, base, columns, n_columns, n_words, sums);
}

// fn(u, weight, value, first, second) for some rows at once, with u = target * lean; the derivative
// `first` is by u and is stored by lean.
template <class Fn>
DAGWRIGHT_INLINE double sum_over_rows(const double* lean, const SpinWord* target,
                                      const double* weights, std::size_t n_words, double* first,
                                      double* second, Fn&& fn) {
  Wide values[kParts];
  for (Wide& value : values) value = all(0.0);
  for (std::size_t w = 0; w < n_words; ++w) {
    for (std::size_t g = 0; g < kGroups; ++g) {
      for (std::size_t p = 0; p < kParts; ++p) {
        const std::size_t row = kLanes * g + kWide * p;
        const std::size_t at = 64 * w + row;
        const WideWords minus = ~mask_of(target[w], row) & (WideWords)all(-0.0);
        Wide value, by_u, by_u_twice;
        fn((Wide)((WideWords)load(lean + at) ^ minus), load(weights + at), value, by_u, by_u_twice);
        values[p] += value;
        store((Wide)((WideWords)by_u ^ minus), first + at);
        store(by_u_twice, second + at);
      }
    }
  }
  double lanes[kLanes];
  for (std::size_t p = 0; p < kParts; ++p) store(values[p], lanes + kWide * p);
  return total(lanes);
}

double logistic(const double* lean, const SpinWord* target, const double* weights,
                std::size_t n_words, double* first, double* second) {
  return sum_over_rows(lean, target, weights, n_words, first, second,
                       [](Wide u, Wide weight, Wide& value, Wide& by_u, Wide& by_u_twice) {
                         const WideWords below = u < 0.0;
                         const Wide size = choose(below, -u, u);
                         const Wide e = exp_of(-2.0 * size);
                         const Wide share = e / (1.0 + e);  // of the less probable spin
                         const Wide wrong = choose(below, 1.0 - share, share);
                         value = weight * (log_of_one_plus(e) + choose(below, 2.0 * size, all(0.0)));
                         by_u = -2.0 * weight * wrong;
                         by_u_twice = 4.0 * weight * share * (1.0 - share);
                       });
}

double exponential(const double* lean, const SpinWord* target, const double* weights,
                   std::size_t n_words, double* first, double* second) {
  return sum_over_rows(lean, target, weights, n_words, first, second,
                       [](Wide u, Wide weight, Wide& value, Wide& by_u, Wide& by_u_twice) {
                         value = weight * exp_of(-u);
                         by_u = -value;
                         by_u_twice = value;
                       });
}

#undef DAGWRIGHT_INLINE

}  // namespace

}  // namespace dagwright
