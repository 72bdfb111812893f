// For benchmarks: what a move of an order costs at least.
#pragma once

#include <cstdint>

#include "dagwright/mcmc/parent_table.hpp"

namespace dagwright {

// Seconds for so many swaps of any two nodes, each accepted or not: once by a bare loop over the same
// tables, and once by `OrderChain`, which also looks after parents that are no candidates.
struct OrderMoveTimes {
  double bare;
  double chain;
};

OrderMoveTimes time_order_moves(const ParentTable& table, std::uint64_t n_moves, std::uint64_t seed);

}  // namespace dagwright
