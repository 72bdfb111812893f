// The best graph of all, by dynamic programming over sets of variables (Silander & Myllymaki 2006).
//
// The best graph over a set has a sink; without it there is the best graph over the rest. So best(S) is
// the largest of best(S - v) + the best family of v with parents in S - v, over v in S.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "dagwright/graph/dag.hpp"
#include "dagwright/search/all_parent_sets.hpp"

namespace dagwright {

struct Optimum {
  std::optional<Dag> dag;  // none if the run ended first, or if no graph satisfies the constraints
  double score = 0;
  bool complete = false;  // the whole table was made
};

// What the tables take, whatever the parent sets: these come on top, and are few.
double exact_dp_bytes(std::size_t n_variables);

// At most 31 variables, so that a set is an index; more do not fit in any memory.
Optimum exact_dp(const std::vector<AllParentSets>& all, Run& run);

}  // namespace dagwright
