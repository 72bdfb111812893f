// Greedy equivalence search: the best single-edge move from class to class of DAGs, while one gains.
#pragma once

#include "dagwright/base/run.hpp"
#include "dagwright/graph/constraints.hpp"
#include "dagwright/score/scorer.hpp"
#include "dagwright/search/search.hpp"

namespace dagwright {

struct Ges {
  bool turning = true;  // a third phase that reverses edges
  bool repeat = true;   // all phases again, until none of them gains
};

// The scorer is score-equivalent. Only classes with a member that satisfies the constraints are
// visited, and such a member is returned.
Found ges(const Scorer& scorer, const Constraints& constraints, const Ges& spec, Run& run);

}  // namespace dagwright
