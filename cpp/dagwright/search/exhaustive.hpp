// The best of all graphs by looking at every one: the reference for all other searches.
#pragma once

#include "dagwright/graph/constraints.hpp"
#include "dagwright/score/scorer.hpp"
#include "dagwright/search/exact_dp.hpp"

namespace dagwright {

inline constexpr std::size_t kMostExhausted = 6;  // 3,781,503 graphs

// What it found so far if the run ends first; then the optimum is not complete.
Optimum exhaustive(const Scorer& scorer, const Constraints& constraints, Run& run);

}  // namespace dagwright
