// All parent sets that an optimal graph may need: what exact searches choose from.
#pragma once

#include <cstdint>
#include <vector>

#include "dagwright/base/run.hpp"
#include "dagwright/graph/constraints.hpp"
#include "dagwright/score/scorer.hpp"
#include "dagwright/search/parent_sets.hpp"

namespace dagwright {

inline constexpr std::size_t kMostVariables = 64;  // of exact searches: a set is one word

// Of one child. A set is left out when a subset with the same adjacent ones in it scores as high.
struct AllParentSets {
  std::vector<ScoredSet> sets;  // best first; the members are variables
  std::uint64_t adjacent = 0;   // parents, if they come before the child in an order
  std::uint64_t n_scored = 0;
  bool complete = true;         // or else the run ended, or memory
  double rest = 0;              // a set that was left out because of that scores no higher
};

// Of every child. Sets that are still looked at take at most `max_bytes`; those that are kept come on top.
// A run that ends leaves the answer incomplete, it does not throw.
std::vector<AllParentSets> all_parent_sets(const Scorer& scorer, const Constraints& constraints,
                                           double max_bytes, Run& run);

}  // namespace dagwright
