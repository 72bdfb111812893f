// The neighbours of all spins, each by itself and all of them side by side.
#pragma once

#include <cstddef>
#include <vector>

#include "dagwright/base/run.hpp"
#include "dagwright/markov/neighbourhood.hpp"

namespace dagwright {

using Candidates = std::vector<std::vector<Variable>>;  // one list a target, rising, without it

// For each target one neighbourhood a penalty, in this order, each from where the last one ended: falling
// penalties are fastest. A target that a stopped run did not come to has none.
std::vector<std::vector<Neighbourhood>> neighbourhoods(const Spins& spins,
                                                       const Candidates& candidates,
                                                       const std::vector<double>& penalties,
                                                       const NeighbourhoodSettings& settings,
                                                       Run& run);

struct ExtendedBic {
  double n_rows = 0;  // the sum of row weights
  double gamma = 0;
  double n_possible = 0;  // neighbours that a target may have, candidates or not
  std::size_t n_penalties = 0;  // from the smallest without a neighbour down to `smallest` times that
  double smallest = 0;
  std::size_t patience = 0;  // so many supports in a row that are worse than the best end the path
};

// One step of a path: what is looked at is the log-likelihood of the target given this support, fitted
// without a penalty, less (log n_rows / 2 + gamma * log n_possible) a neighbour.
struct PathStep {
  double penalty = 0;
  std::size_t n_neighbours = 0;
  double criterion = 0;  // higher is better
};

struct ChosenNeighbourhood {
  Neighbourhood best;
  std::vector<PathStep> path;  // empty where a stopped run did not come to
};

std::vector<ChosenNeighbourhood> choose_neighbourhoods(const Spins& spins,
                                                       const Candidates& candidates,
                                                       const ExtendedBic& criterion,
                                                       const NeighbourhoodSettings& settings,
                                                       Run& run);

// Of every target, at its own couplings: one list of variables and one of couplings each. Nothing when the
// run is stopped.
std::vector<NeighbourhoodGradient> neighbourhood_gradients(
    const Spins& spins, const std::vector<double>& fields, const Candidates& variables,
    const std::vector<std::vector<double>>& couplings, NeighbourhoodLoss loss, Run& run);

}  // namespace dagwright
