// Data perturbation (Elidan, Ninio, Friedman & Schuurmans 2002): climbs on rows with random weights,
// whose local optima are elsewhere, while the weights go back to what they were.
#pragma once

#include <cstddef>
#include <cstdint>

#include "dagwright/base/run.hpp"
#include "dagwright/graph/constraints.hpp"
#include "dagwright/score/scorer.hpp"
#include "dagwright/search/search.hpp"

namespace dagwright {

struct Perturb {
  std::size_t rounds = 10;
  double strength = 1.0;  // in the first round; falls by the same amount from round to round
  // Walks with other weights after the first one, every second from a random graph: weights alone do
  // not turn edges whose direction is a tie.
  std::size_t restarts = 0;
  std::uint64_t seed = 0;
};

// The best graph on the true weights of the walks and of the plain climb from `start`. The trace is
// that of the climb on the true weights that won.
Found perturb(const Scorer& scorer, const Constraints& constraints, const Dag& start,
              const Perturb& spec, Run& run);

}  // namespace dagwright
