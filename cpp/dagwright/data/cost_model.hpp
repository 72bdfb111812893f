// Which counter is the fastest for a family: estimates in nanoseconds, checked by the conformance tests.
#pragma once

#include <cstdint>

#include "dagwright/data/family_counts.hpp"

namespace dagwright {

enum class Counter : std::uint8_t { bitmap, dense, sparse };

// `n_planes` is how many sets of rows the bitmap counter would go through, 0 where it cannot count.
// `word_cost` is that of its kernels.
Counter cheapest_counter(const FamilyShape& shape, std::size_t n_rows, std::size_t n_planes,
                         double word_cost);

// Whether the full table is worth its memory. It depends on all rows, not on those of one chunk,
// so that counts of chunks have one storage and add up.
bool prefers_dense(double n_cells, double n_rows);

}  // namespace dagwright
