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

  // Labels the edges of another DAG; `nodes` has those with other parents than before, and maybe more. That takes
  // little where not much is other, and at most a time linear in the number of edges. Returns the nodes into
  // which edges, or their labels, are not the same. After an exception it is good for nothing.
  const std::vector<Variable>& become(const ParentLists& dag, std::span<const Variable> nodes);

  const ParentLists& parents() const { return parents_; }  // of the DAG
  const std::vector<Variable>& children(Variable v) const { return children_[v]; }  // sorted
  // Whether the edge from the i-th parent of a node is compelled: all equivalent graphs have it.
  bool compelled(Variable v, std::size_t i) const { return labels_[v][i] != 0; }
  bool compelled_from(Variable parent, Variable child) const;

 private:
  using Labels = std::vector<std::uint8_t>;

  void set_parents(Variable v, const std::vector<Variable>& parents);
  bool comes_after_parents(Variable v) const;
  void find_order();
  void wait_for_label(Variable v);
  void label_into(Variable y);

  ParentLists parents_;
  std::vector<Labels> labels_;  // by node and place among its parents
  ParentLists children_;
  std::vector<Variable> order_;          // parents before children
  std::vector<std::uint32_t> position_;  // in the order
  std::vector<Variable> changed_;
  // Kept for their memory.
  Labels new_labels_;
  std::vector<Variable> other_parents_;    // nodes that have such
  std::vector<std::uint64_t> to_label_;    // a bit for each place in the order
  std::vector<std::size_t> waiting_for_;   // parents that have no place in the order yet
  std::uint64_t mark_ = 0;                 // the last one
  std::vector<std::uint64_t> marks_;       // of the nodes that were marked last as parents of some node
  std::vector<std::uint64_t> compelled_;   // the same for its compelled parents that x has too
};

}  // namespace dagwright
