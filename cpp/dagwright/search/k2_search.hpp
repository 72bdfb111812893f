// Cooper and Herskovits: given an order, each node takes parents greedily from those before it.
#pragma once

#include <cstdint>
#include <vector>

#include "dagwright/base/run.hpp"
#include "dagwright/graph/constraints.hpp"
#include "dagwright/score/scorer.hpp"
#include "dagwright/search/search.hpp"

namespace dagwright {

struct OrdersFound {
  Found best;
  std::vector<double> scores;  // that each order led to, those that were done
};

// `orders` are permutations of the nodes along which the constraints can be satisfied; the first of
// the best is taken. When the run stops, that of the orders done; if there is none, what was found
// along the first.
OrdersFound k2_search(const Scorer& scorer, const Constraints& constraints,
                      const std::vector<std::vector<Variable>>& orders, Run& run);

// So many orders drawn at random from `first` on, as far as the constraints leave them free: the i-th
// depends on the seed and i alone.
std::vector<std::vector<Variable>> random_orders(const Constraints& constraints, std::size_t count,
                                                 std::uint64_t seed, std::size_t first);

}  // namespace dagwright
