// The new edge reversal move (Grzegorczyk and Husmeier 2008): an edge is turned round, and both its ends
// get new parents, drawn from all that fit.
#pragma once

#include <optional>
#include <vector>

#include "dagwright/base/rng.hpp"
#include "dagwright/graph/dag.hpp"
#include "dagwright/mcmc/parent_table.hpp"

namespace dagwright {

struct Reversal {
  Variable first, second;                           // first -> second became second -> first
  std::vector<Variable> old_first, old_second;      // their parents before
  double log_ratio;       // accepting with probability min(1, e^this) leaves the posterior as it is
  double weight_change;   // of the log weight of the graph
};

// Changes the graph; none, and no change, if there is no edge, or if the parents of its ends are not in
// the table: the way back would not be possible.
std::optional<Reversal> propose_reversal(const ParentTable& table, Dag& dag, Rng& rng);

void undo(const Reversal& reversal, Dag& dag);

}  // namespace dagwright
