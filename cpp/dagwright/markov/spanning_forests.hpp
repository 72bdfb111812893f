// Sets of factors without a loop, and how often each factor is in one: what tree-reweighted belief
// propagation weighs factors by.
#pragma once

#include <cstddef>
#include <vector>

#include "dagwright/markov/factor_scopes.hpp"

namespace dagwright {

// A set of factors has no loop if going from factors to their variables and on never leads back. Forests
// are made one after the other, each as large as it can be, of those factors first that were in the fewest;
// at least `n_forests`, and until every factor was in one. Returns each factor's share of the forests;
// factors of one variable or none are in all of them, and if there is no loop all factors are.
std::vector<double> shares_of_forests(const FactorScopes& scopes, std::size_t n_forests);

}  // namespace dagwright
