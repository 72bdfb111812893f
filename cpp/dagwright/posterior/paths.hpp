// The probability that a directed path leads from one node to another.
#pragma once

#include <vector>

#include "dagwright/posterior/exact_posterior.hpp"

namespace dagwright {

// At from * n + to; 0 from a node to itself. Over DAGs it takes n * 4^n steps, over orders n^2 * 3^n.
std::vector<double> path_probabilities(const ExactPosterior& posterior, Run& run);

}  // namespace dagwright
