// The branching of greatest weight: at most one parent a node, no cycle.
#pragma once

#include <cstddef>
#include <vector>

#include "dagwright/base/run.hpp"
#include "dagwright/base/types.hpp"
#include "dagwright/graph/edge.hpp"

namespace dagwright {

// `weights` has the edge parent -> child at child * n + parent, minus infinity where there is none. A
// node without a parent adds 0, so no edge is taken that does not add to the total. The algorithm of
// Chu, Liu and Edmonds, in Tarjan's form for dense graphs: O(n * n), and 4 n * n bytes beside the
// weights, which are used up. Throws Stopped when the run ends before.
ParentLists best_branching(std::size_t n, std::vector<double> weights, Run& run);

}  // namespace dagwright
