// A graph that was not found move by move, told as additions of edges to the empty graph.
#pragma once

#include <vector>

#include "dagwright/base/run.hpp"
#include "dagwright/graph/edge.hpp"
#include "dagwright/score/scorer.hpp"
#include "dagwright/search/search.hpp"

namespace dagwright {

// The graph of all these edges, which make no cycle, and what each adds to the score. Layers come one
// after the other; no two edges of one lead to the same child, and those that add most come first.
// Scores what the run may have had no time for.
Found added(const Scorer& scorer, const std::vector<std::vector<Edge>>& layers, const Run& run);

}  // namespace dagwright
