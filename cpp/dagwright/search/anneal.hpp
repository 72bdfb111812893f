// Simulated annealing (Kirkpatrick, Gelatt & Vecchi) over DAGs: random moves that lose are taken with
// a probability that falls with the temperature.
#pragma once

#include <cstddef>
#include <cstdint>

#include "dagwright/base/run.hpp"
#include "dagwright/graph/constraints.hpp"
#include "dagwright/score/scorer.hpp"
#include "dagwright/search/search.hpp"

namespace dagwright {

struct Anneal {
  std::uint64_t proposals = 100'000;  // moves that are drawn, by one walk
  double acceptance = 0.3;            // of the moves that lose, in the beginning
  double temperature = 0.0;           // in the beginning; 0: the one that has this acceptance
  double last_temperature = 1.0;
  std::size_t reheats = 0;            // each from the best graph, to half the temperature before
  std::size_t restarts = 0;           // walks from random graphs after the first one
  std::uint64_t seed = 0;
};

// Climbs from `start`, anneals, and climbs again from the best graph seen and from the last one; the
// best of the three. The trace is that of the climb that won, without the annealing before it.
Found anneal(const Scorer& scorer, const Constraints& constraints, const Dag& start,
             const Anneal& spec, Run& run);

}  // namespace dagwright
