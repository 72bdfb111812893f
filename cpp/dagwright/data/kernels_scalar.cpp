#include <bit>

#include "dagwright/data/kernel_sets.hpp"

namespace dagwright {

namespace {

std::uint64_t and_count(const Word* a, const Word* b, std::size_t n_words) {
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < n_words; ++i) count += std::popcount(a[i] & b[i]);
  return count;
}

void and_only(const Word* a, const Word* b, Word* out, std::size_t n_words) {
  for (std::size_t i = 0; i < n_words; ++i) out[i] = a[i] & b[i];
}

std::uint64_t and_store(const Word* a, const Word* b, Word* out, std::size_t n_words) {
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < n_words; ++i) {
    out[i] = a[i] & b[i];
    count += std::popcount(out[i]);
  }
  return count;
}

std::uint64_t split(const Word* a, const Word* b, Word* inside, Word* outside,
                    std::size_t n_words) {
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < n_words; ++i) {
    const Word both = a[i] & b[i];
    const Word rest = a[i] & ~b[i];
    count += std::popcount(both);
    inside[i] = both;
    outside[i] = rest;
  }
  return count;
}

void and_count_many(const Word* const* cells, std::size_t n_cells, const Word* const* states,
                    std::size_t n_states, std::size_t n_words, std::uint64_t* counts) {
  for (std::size_t i = 0; i < n_cells; ++i)
    for (std::size_t j = 0; j < n_states; ++j) *counts++ += and_count(cells[i], states[j], n_words);
}

void and_count_within(const Word* a, const Word* b, const Word* const* states,
                      std::size_t n_states, std::size_t n_words, std::uint64_t* counts) {
  for (std::size_t j = 0; j < n_states; ++j) {
    counts[j] = 0;
    for (std::size_t i = 0; i < n_words; ++i) counts[j] += std::popcount(a[i] & b[i] & states[j][i]);
  }
}

void mark(const std::uint8_t* codes, std::size_t n_rows, std::uint8_t state, Word* out) {
  for (std::size_t begin = 0; begin < n_rows; begin += 64) {
    const std::size_t size = n_rows - begin < 64 ? n_rows - begin : 64;
    Word word = 0;
    for (std::size_t i = 0; i < size; ++i) word |= Word{codes[begin + i] == state} << i;
    out[begin / 64] = word;
  }
}

}  // namespace

const Kernels kScalarKernels = {"scalar", 0.4, and_count,      and_only,         and_store,
                                split,    and_count_many, and_count_within, mark};

}  // namespace dagwright
