// One against all: the counts of a family with each of many candidates added to its parents.
#pragma once

#include <span>

#include "dagwright/base/run.hpp"
#include "dagwright/data/bitmaps.hpp"
#include "dagwright/data/count_source.hpp"

namespace dagwright {

// Whether the family's own cells are few enough, and all its variables have bitmaps.
bool can_count_extensions(const Bitmaps& bitmaps, const FamilyShape& base);

// In how many parts to count so many candidates, each on a thread of its own. With many rows that is one:
// count_extensions then spreads the rows over the threads.
std::size_t parts_worth_a_thread(const Bitmaps& bitmaps, double n_cells, std::size_t n_candidates,
                                 unsigned threads);

// The rows are split into the family's cells once; each cell is then counted against each candidate.
// All candidates have bitmaps and none is in the family. use(i, counts) for candidate i.
void count_extensions(const Table& table, const Bitmaps& bitmaps, const FamilyShape& base,
                      std::span<const Variable> candidates, Run& run, const UseExtension& use);

}  // namespace dagwright
