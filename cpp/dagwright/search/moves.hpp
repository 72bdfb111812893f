// Single-edge moves: which are legal, what one does, and one at random.
#pragma once

#include <optional>

#include "dagwright/base/rng.hpp"
#include "dagwright/graph/constraints.hpp"
#include "dagwright/graph/dag.hpp"
#include "dagwright/score/scorer.hpp"
#include "dagwright/search/search.hpp"

namespace dagwright {

// No cycle, and the constraints hold after the move.
bool is_legal(const Dag& dag, const Constraints& constraints, Operator op, Variable from,
              Variable to);

void make_move(Dag& dag, Operator op, Variable from, Variable to);

// A legal move without its gain, the operator drawn first: of all moves nearly all would add an edge.
// None when there is none.
std::optional<Step> random_move(const Dag& dag, const Constraints& constraints, Rng& rng);

// What a legal move gains.
double gain_of(const Scorer& scorer, const Dag& dag, const Step& move, Run& run);

// The score of a graph: the sum over its families.
double total_score(const Scorer& scorer, const Dag& dag, Run& run);

}  // namespace dagwright
