// One member of a class of equivalent DAGs, as moves between classes change it.
#pragma once

#include <vector>

#include "dagwright/graph/order.hpp"
#include "dagwright/search/class_moves.hpp"

namespace dagwright {

struct FormerParents {
  Variable node;
  Nodes parents;
};

// Makes of a member of the class one of the class that a legal move leads to, and returns the families
// that this changed as they were. Where an edge is added or removed those are few: only edges that can be
// reached from y by undirected ones are turned.
std::vector<FormerParents> make_class_move(ParentLists& member, const EquivalenceClass& graph,
                                           const ClassMove& move);

}  // namespace dagwright
