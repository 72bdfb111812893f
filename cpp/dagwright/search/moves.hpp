// Single-edge moves: which are legal, what one does, and one at random.
#pragma once

#include <optional>

#include "dagwright/base/rng.hpp"
#include "dagwright/graph/constraints.hpp"
#include "dagwright/graph/dag.hpp"
#include "dagwright/score/scorer.hpp"
#include "dagwright/search/search.hpp"

namespace dagwright {

// No cycle, and the constraints hold after the move. Gains are not looked at.
bool is_legal(const Dag& dag, const Constraints& constraints, const Step& move);

void make_move(Dag& dag, const Step& move);
void undo_move(Dag& dag, const Step& move);

// A move without its gain that may not be legal. The operator is drawn first: of all moves nearly all
// would add an edge.
Step draw_move(const Dag& dag, Rng& rng);

// A legal one; none when there is none.
std::optional<Step> random_move(const Dag& dag, const Constraints& constraints, Rng& rng);

// What a legal move gains.
double gain_of(const Scorer& scorer, const Dag& dag, const Step& move, Run& run);

}  // namespace dagwright
