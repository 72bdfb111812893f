// Hill climbing over DAGs: add, remove or reverse one edge while the score rises.
#pragma once

#include <cstdint>
#include <limits>

#include "dagwright/base/run.hpp"
#include "dagwright/graph/constraints.hpp"
#include "dagwright/score/scorer.hpp"
#include "dagwright/search/search.hpp"

namespace dagwright {

struct HillClimb {
  bool first = false;  // take the first move that improves, not the best one
  std::uint64_t max_steps = std::numeric_limits<std::uint64_t>::max();
  double min_gain = 0.0;  // a move must gain more than this
};

// `start` satisfies the constraints. When the run stops, the graph reached so far is returned.
Found hill_climb(const Scorer& scorer, const Constraints& constraints, Dag start,
                 const HillClimb& spec, Run& run);

}  // namespace dagwright
