// Cycles and topological orders of plain edge and parent lists, in linear memory.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "dagwright/graph/edge.hpp"

namespace dagwright {

// The nodes of one cycle in the order of its edges (the first is not repeated at the end), or
// none. Deterministic: depends on the set of edges only, not on their order.
std::optional<std::vector<Variable>> find_cycle(std::size_t n, std::span<const Edge> edges);

// Parents before children; among the nodes that could come next, the smallest number first.
// Throws std::invalid_argument when there is a cycle.
std::vector<Variable> topological_order(const ParentLists& parents);

}  // namespace dagwright
