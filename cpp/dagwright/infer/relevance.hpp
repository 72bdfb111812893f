// Which families a question needs.
#pragma once

#include <vector>

#include "dagwright/infer/clique_tree.hpp"

namespace dagwright {

// The variables whose families matter, in rising order.
std::vector<Variable> relevant_families(const Network& network, const Question& question);

}  // namespace dagwright
