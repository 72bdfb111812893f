// Orders of a graph at random, nearly all as likely: again and again one of the nodes whose parents have
// all come, by the number of those that must come after it. For trees that is exactly uniform.
#pragma once

#include <vector>

#include "dagwright/base/rng.hpp"
#include "dagwright/graph/dag.hpp"

namespace dagwright {

std::vector<Variable> draw_order(const Dag& dag, Rng& rng);

// The log of the probability that it draws this order, which fits the graph.
double log_probability(const std::vector<Variable>& order, const Dag& dag);

}  // namespace dagwright
