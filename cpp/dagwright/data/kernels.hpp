// The inner loops on bitmaps, one set of functions for each instruction set.
//
// All lengths are in words of 64 rows and multiples of kWordsPerStep; all pointers are aligned to 64
// bytes. Outputs may be the same memory as inputs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace dagwright {

using Word = std::uint64_t;

inline constexpr std::size_t kWordsPerStep = 8;  // 512 bits, the widest register in use

struct Kernels {
  const char* name;
  // About what one word of one conjunction takes, in nanoseconds.
  double word_cost;
  // Rows in both a and b.
  std::uint64_t (*and_count)(const Word* a, const Word* b, std::size_t n_words);
  // out = a & b.
  void (*and_only)(const Word* a, const Word* b, Word* out, std::size_t n_words);
  // The same; returns its rows.
  std::uint64_t (*and_store)(const Word* a, const Word* b, Word* out, std::size_t n_words);
  // inside = a & b, outside = a & ~b; returns the rows inside.
  std::uint64_t (*split)(const Word* a, const Word* b, Word* inside, Word* outside,
                         std::size_t n_words);
  // counts[i * n_states + j] += rows in both cells[i] and states[j]. Several of both go together, so
  // that what is read counts more than once.
  void (*and_count_many)(const Word* const* cells, std::size_t n_cells, const Word* const* states,
                         std::size_t n_states, std::size_t n_words, std::uint64_t* counts);
  // counts[j] = rows in all of a, b and states[j].
  void (*and_count_within)(const Word* a, const Word* b, const Word* const* states,
                           std::size_t n_states, std::size_t n_words, std::uint64_t* counts);
  // Sets bit i where codes[i] == state; bits beyond n_rows are 0.
  void (*mark)(const std::uint8_t* codes, std::size_t n_rows, std::uint8_t state, Word* out);
};

// The fastest set that this processor has.
const Kernels& best_kernels();

// Every set that this processor has, the scalar one first: tests compare them.
std::vector<const Kernels*> available_kernels();

}  // namespace dagwright
