// Friedman, Geiger and Goldszmidt: one target is a parent of all others, which make a tree.
#pragma once

#include "dagwright/base/run.hpp"
#include "dagwright/graph/constraints.hpp"
#include "dagwright/score/scorer.hpp"
#include "dagwright/search/search.hpp"

namespace dagwright {

// The constraints require every edge from the target, allow at most one parent more to each of the
// others, and some graph satisfies them. The tree has the greatest mutual information given the
// target, so the graph has the greatest likelihood of its kind. When the run stops, the best forest of
// the pairs seen so far.
Found tree_augmented_naive_bayes(const Scorer& scorer, const Constraints& constraints,
                                 Variable target, Run& run);

}  // namespace dagwright
