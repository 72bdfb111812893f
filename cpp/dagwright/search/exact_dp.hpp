// The best graph of all, by dynamic programming over sets of variables (Silander & Myllymaki 2006).
//
// The best graph over a set has a sink; without it there is the best graph over the rest. So best(S) is
// the largest of best(S - v) + the best family of v with parents in S - v, over v in S.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dagwright/graph/dag.hpp"
#include "dagwright/search/all_parent_sets.hpp"

namespace dagwright {

struct Optimum {
  std::optional<Dag> dag;  // none if the run ended first, or if no graph satisfies the constraints
  double score = 0;
  bool complete = false;  // the whole table was made
};

// What the tables take at least, and what they take for given parent sets (which come on top).
double exact_dp_bytes(std::size_t n_variables);
double exact_dp_bytes(const std::vector<AllParentSets>& all);

// At most 31 variables, so that a set is an index. Tables for which `max_bytes` of memory do not suffice
// are files in the folder `scratch`, if it is not empty; throws NoRoom if there is none.
Optimum exact_dp(const std::vector<AllParentSets>& all, double max_bytes,
                 const std::string& scratch, Run& run);

}  // namespace dagwright
