// The sum over all graphs when a family's weight depends on its number of parents alone, as in most
// structure priors: sets of the same size are then all alike, and n^2 steps are enough.
#pragma once

#include <optional>

#include "dagwright/posterior/exact_posterior.hpp"

namespace dagwright {

// The log of the sum, without the weights' shift; none if the weights are not of that kind.
std::optional<double> log_total_by_size(const FamilyWeights& weights, Over over);

}  // namespace dagwright
