// Which edges of a DAG all graphs equivalent to it have: Chickering's labelling (UAI 1995), kept up to date
// as the DAG changes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dagwright/base/types.hpp"
#include "dagwright/graph/dag.hpp"

namespace dagwright {

class EdgeLabels {
 public:
  explicit EdgeLabels(std::size_t n_nodes);

  // Labels the edges of another DAG, which takes a time linear in their number, and little where not much
  // is other than before. Returns the nodes into which edges, or their labels, are not the same.
  const std::vector<Variable>& become(const ParentLists& dag);

  const ParentLists& parents() const { return parents_; }  // of the DAG
  std::span<const Variable> children(Variable v) const {
    return std::span(children_).subspan(first_child_[v], first_child_[v + 1] - first_child_[v]);
  }
  const std::vector<Variable>& order() const { return order_; }  // parents before children
  // Whether the edge from the i-th parent of a node is compelled: all equivalent graphs have it.
  bool compelled(Variable v, std::size_t i) const { return labels_[v][i] != 0; }
  bool compelled_from(Variable parent, Variable child) const;

 private:
  using Labels = std::vector<std::uint8_t>;

  void find_order(const ParentLists& dag);
  void label_into(Variable y);

  ParentLists parents_;
  std::vector<Labels> labels_;  // by node and place among its parents
  std::vector<Variable> order_;
  std::vector<std::size_t> position_;     // in the order
  std::vector<std::size_t> first_child_;  // by node, in children_
  std::vector<Variable> children_;
  std::vector<Variable> changed_;
  // Kept for their memory.
  Labels new_labels_;
  std::vector<std::uint8_t> has_changed_;
  std::vector<std::size_t> waiting_for_;  // parents that have no place in the order yet
  std::vector<Variable> parent_of_;       // the node whose parents were marked last
  std::vector<Variable> compelled_for_;   // the same for its compelled parents that x has too
};

}  // namespace dagwright
