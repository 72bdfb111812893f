// In which order to eliminate variables: the problem is hard, so several greedy rules are tried.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dagwright/base/run.hpp"
#include "dagwright/base/types.hpp"

namespace dagwright {

// An undirected graph over nodes 0 .. n-1, each with its number of states.
struct InteractionGraph {
  std::vector<Arity> arities;
  std::vector<std::vector<std::uint32_t>> neighbors;  // sorted, both ways
};

struct Elimination {
  std::vector<std::uint32_t> order;
  // For each node of the order, its neighbours when it goes, those that go later.
  std::vector<std::vector<std::uint32_t>> later;
  double cells = 0;  // of all tables {node} + later, summed
};

// Nodes of a lower stage go before those of a higher one. The more the best order so far costs, the
// more orders are tried; which ones depends on nothing but the graph.
// Throws Stopped when the run ends.
Elimination best_elimination(const InteractionGraph& graph, std::span<const std::uint8_t> stages,
                             Run& run);

}  // namespace dagwright
