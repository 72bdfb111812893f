// All against all: the tables of pairs of variables by ANDs of their bitmaps.
#pragma once

#include <vector>

#include "dagwright/base/run.hpp"
#include "dagwright/data/bitmaps.hpp"
#include "dagwright/data/pair_counts.hpp"

namespace dagwright {

// Whether the pair (v, w) can be counted here.
inline bool can_count_pair(const Bitmaps& bitmaps, Variable v, Variable w) {
  return bitmaps.has_planes() && bitmaps.has(v) && bitmaps.has(w);
}

// Every pair v < w with begin <= v < end that can be counted here. A table takes one AND for each two
// states that are not left out (one for two binary variables); the rest follows from the variables'
// own totals. Some variables are counted against many in blocks of rows, so that both stay in the
// cache.
void count_pairs(const Bitmaps& bitmaps, const std::vector<Arity>& arities, Variable begin,
                 Variable end, Run& run, const UsePair& use);

}  // namespace dagwright
