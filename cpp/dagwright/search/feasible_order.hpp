// Orders of the nodes along which the edges that must be there can be there.
#pragma once

#include <vector>

#include "dagwright/base/types.hpp"
#include "dagwright/graph/constraints.hpp"

namespace dagwright {

// An order as near to `wish` as may be. It is filled from its end, each time with the last node of the
// wish that may come after all nodes left, of the highest tier left where that is possible. Some graph
// satisfies the constraints, so some node always may.
std::vector<Variable> feasible_order(const Constraints& constraints,
                                     const std::vector<Variable>& wish);

}  // namespace dagwright
