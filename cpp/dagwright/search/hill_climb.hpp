// Hill climbing over DAGs: add, remove or reverse one edge while the score rises.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "dagwright/base/run.hpp"
#include "dagwright/graph/constraints.hpp"
#include "dagwright/score/scorer.hpp"
#include "dagwright/search/restarts.hpp"
#include "dagwright/search/search.hpp"

namespace dagwright {

struct HillClimb {
  bool first = false;  // take the first move that improves, not the best one
  std::uint64_t max_steps = std::numeric_limits<std::uint64_t>::max();
  double min_gain = 0.0;  // a move must gain more than this
  bool sideways = false;  // see below; no difference where the scorer tells equivalent graphs apart
  bool tells_score = true;  // as the run's progress; false where the scorer has other data
};

// `start` satisfies the constraints. When the run stops, the graph reached so far is returned.
//
// Sideways, a move may be one of any graph equivalent to the one reached: edges that the score cannot tell
// the direction of are turned first. The equivalents of a graph with many edges are too many to look at
// all their moves at every step. So if there are edges at the start, or the first move that improves is to
// be taken, the climb goes sideways from its local optimum on; else from the start.
Found hill_climb(const Scorer& scorer, const Constraints& constraints, Dag start,
                 const HillClimb& spec, Run& run);

// The best of the climb from `start` and of climbs from random graphs.
Found hill_climb_from_random(const Scorer& scorer, const Constraints& constraints, Dag start,
                             const HillClimb& spec, const Restarts& restarts, Run& run);

// Climbs from `start`, then again and again from the best graph so far after so many random moves.
// The trace leads from `start` to the best graph, random moves included.
Found hill_climb_perturbed(const Scorer& scorer, const Constraints& constraints, const Dag& start,
                           const HillClimb& spec, std::size_t perturbation,
                           const Restarts& restarts, Run& run);

}  // namespace dagwright
