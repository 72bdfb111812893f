// Counters: rows in, the contingency table of one family out. They all give the same table.
#pragma once

#include "dagwright/base/run.hpp"
#include "dagwright/data/family_counts.hpp"
#include "dagwright/data/table.hpp"

namespace dagwright {

// Rows between two looks at the clock: about a millisecond of work.
inline constexpr std::size_t kRowsPerLook = 1 << 16;

// Numbers each cell by its place in the full table: for tables that the rows can fill.
// Throws Stopped when the run ends before all rows are counted, as count_sparse does. Memory that `counts` has is used
// again.
void count_dense(const Table& table, const FamilyShape& shape, FamilyCounts& counts, Run& run);
inline FamilyCounts count_dense(const Table& table, const FamilyShape& shape, Run& run) {
  FamilyCounts counts;
  count_dense(table, shape, counts, run);
  return counts;
}

// Sorts the rows by their cell: for tables far larger than the number of rows.
FamilyCounts count_sparse(const Table& table, const FamilyShape& shape, Run& run);

// A map from states to count, row by row: slow and obvious, the oracle of the others.
FamilyCounts count_naive(const Table& table, const FamilyShape& shape);

}  // namespace dagwright
