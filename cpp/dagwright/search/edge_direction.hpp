// Which way a new edge shall point when both ways gain the same.
#pragma once

#include <span>

#include "dagwright/base/run.hpp"
#include "dagwright/graph/constraints.hpp"
#include "dagwright/graph/dag.hpp"
#include "dagwright/score/scorer.hpp"

namespace dagwright {

// Between two nodes with the same parents the score of an edge cannot tell, but what could follow can.
// The edge goes where it makes other variables gain more as further parents of its child than they did
// before, as the second cause of an effect does; if that is the same both ways, where it takes less away
// from them. True if that is to -> from; sums within `tolerance` are the same, and then it is from -> to.
// `before` gives what each variable gains as a parent of `to` and of `from` without the edge.
struct GainsBefore {
  std::span<const double> of_to, of_from;
};
bool goes_the_other_way(Variable from, Variable to, const GainsBefore& before, const Scorer& scorer,
                        const Constraints& constraints, const Dag& dag, double tolerance, Run& run);

}  // namespace dagwright
