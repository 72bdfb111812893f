// Graphs to start a search from; all satisfy the constraints.
#pragma once

#include "dagwright/base/rng.hpp"
#include "dagwright/base/run.hpp"
#include "dagwright/graph/constraints.hpp"
#include "dagwright/graph/dag.hpp"
#include "dagwright/score/scorer.hpp"

namespace dagwright {

// The required edges and one orientation of each adjacent pair.
Dag empty_start(const Constraints& constraints);

// As many edges as the constraints allow, from smaller to larger numbers where possible.
Dag complete_start(const Constraints& constraints);

// The tree of greatest mutual information, as many of its edges as the constraints allow beside the
// empty start.
Dag tree_start(const Scorer& scorer, const Constraints& constraints, Run& run);

// About one random edge a node on top of the empty start.
Dag random_start(const Constraints& constraints, Rng& rng);

}  // namespace dagwright
