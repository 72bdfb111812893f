// Graphs to start a search from; all satisfy the constraints.
#pragma once

#include "dagwright/base/rng.hpp"
#include "dagwright/graph/constraints.hpp"
#include "dagwright/graph/dag.hpp"

namespace dagwright {

// The required edges and one orientation of each adjacent pair.
Dag empty_start(const Constraints& constraints);

// As many edges as the constraints allow, from smaller to larger numbers where possible.
Dag complete_start(const Constraints& constraints);

// About one random edge a node on top of the empty start.
Dag random_start(const Constraints& constraints, Rng& rng);

}  // namespace dagwright
