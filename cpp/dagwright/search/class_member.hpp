// One member of a class of equivalent DAGs, as moves between classes change it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dagwright/graph/order.hpp"
#include "dagwright/search/class_moves.hpp"

namespace dagwright {

struct FormerParents {
  Variable node = 0;
  Nodes parents;
};

// What one change takes memory for the next uses again.
class MemberChanges {
 public:
  // Makes of a member of the class one of the class that a legal move leads to. Where an edge is added or removed
  // few families change: only edges that can be reached from y by undirected ones are turned.
  void make_move(ParentLists& member, const EquivalenceClass& graph, const ClassMove& move);
  // Makes of a member another one.
  void become(ParentLists& member, ParentLists after);
  // What the last change changed, as it was.
  std::span<const FormerParents> former() const { return std::span(former_).first(n_changed_); }
  void undo(ParentLists& member);

 private:
  void turn_component(ParentLists& member, const EquivalenceClass& graph);
  void change(ParentLists& member, Variable v, Nodes& parents);

  std::vector<FormerParents> former_;  // the first so many are of the last change
  std::size_t n_changed_ = 0;
  Nodes first_;
  Nodes order_;
  Nodes parents_;
  std::vector<std::uint32_t> visited_as_;  // 1 for the first; 0: not yet; between changes all are 0
  std::vector<std::uint32_t> n_before_;    // neighbours that were visited
  std::vector<Nodes> waiting_;  // by n_before; a node may be in several, of which the last counts
};

}  // namespace dagwright
