// Tabu search (Glover): always takes the best move that does not go back, even if it loses.
#pragma once

#include <cstddef>
#include <cstdint>

#include "dagwright/base/run.hpp"
#include "dagwright/graph/constraints.hpp"
#include "dagwright/score/scorer.hpp"
#include "dagwright/search/search.hpp"

namespace dagwright {

struct Tabu {
  std::size_t tenure = 10;     // steps for which going back is tabu
  std::size_t patience = 100;  // steps without a new best before the walk ends
  bool states = false;         // tabu are the last graphs, not what undoes the last moves
  std::size_t explore = 0;     // random moves when half of the patience is used up
  std::size_t restarts = 0;    // walks from random graphs after the first one
  std::uint64_t seed = 0;
};

// The best graph seen by any of the walks; the trace leads to it and no further. A tabu move that leads
// to a new best is allowed. Where every move is tabu, the list is forgotten.
Found tabu(const Scorer& scorer, const Constraints& constraints, const Dag& start,
           const Tabu& spec, Run& run);

}  // namespace dagwright
