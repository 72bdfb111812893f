// An edge, and a whole graph as the sorted parents of each node.
#pragma once

#include <compare>
#include <vector>

#include "dagwright/base/types.hpp"

namespace dagwright {

struct Edge {
  Variable from = 0;
  Variable to = 0;
  auto operator<=>(const Edge&) const = default;
};

using ParentLists = std::vector<std::vector<Variable>>;

}  // namespace dagwright
