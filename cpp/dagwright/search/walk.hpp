// What every walk over graphs does: score where it starts, take steps, and settle the score at the end.
#pragma once

#include "dagwright/base/run.hpp"
#include "dagwright/graph/constraints.hpp"
#include "dagwright/graph/dag.hpp"
#include "dagwright/score/scorer.hpp"
#include "dagwright/search/gain_matrix.hpp"
#include "dagwright/search/search.hpp"

namespace dagwright {

// The start graph with its score. If the run stops before that is known, the simplest graph that
// satisfies the constraints: a large one may be dear to score.
Found begin_walk(const Scorer& scorer, const Constraints& constraints, Dag start, Run& run);

// Takes a step from found.dag, whose gains these are; its gain is known.
void take_step(Found& found, GainMatrix& gains, Step step);

// The same with the score summed anew, free of the rounding of many gains; also after a stop.
Found end_walk(const Scorer& scorer, Found found, const Run& run);

}  // namespace dagwright
