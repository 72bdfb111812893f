// A directed acyclic graph that changes one edge at a time, as searches need it: the ancestors
// of every node are kept up to date, so that asking whether a move makes a cycle is cheap.
#pragma once

#include <cstddef>
#include <vector>

#include "dagwright/base/node_set.hpp"
#include "dagwright/graph/edge.hpp"
#include "dagwright/graph/order.hpp"

namespace dagwright {

class Dag {
 public:
  explicit Dag(std::size_t n);
  // Throws std::invalid_argument when there is a cycle, a duplicate or a number out of range.
  explicit Dag(ParentLists parents);

  std::size_t size() const { return parents_.size(); }
  std::size_t n_edges() const { return n_edges_; }
  bool has_edge(Variable from, Variable to) const { return parent_sets_[to].test(from); }
  bool adjacent(Variable a, Variable b) const { return has_edge(a, b) || has_edge(b, a); }

  const std::vector<Variable>& parents(Variable v) const { return parents_[v]; }  // sorted
  const ParentLists& parent_lists() const { return parents_; }
  const NodeSet& parent_set(Variable v) const { return parent_sets_[v]; }
  const NodeSet& ancestors(Variable v) const { return ancestors_[v]; }  // without v itself
  std::vector<Edge> edges() const;                                      // sorted

  // No self loop, not there yet (in either direction), no cycle. O(1).
  bool can_add(Variable from, Variable to) const {
    return from != to && !has_edge(from, to) && !ancestors_[from].test(to);
  }
  // The edge is there, and no other path leads from `from` to `to`. O(number of parents of to).
  bool can_reverse(Variable from, Variable to) const;
  // `parents` holds neither v nor a descendant of v.
  bool can_set_parents(Variable v, const std::vector<Variable>& parents) const;

  // Each throws std::invalid_argument, and changes nothing, when the move is not legal.
  void add(Variable from, Variable to);
  void remove(Variable from, Variable to);
  void reverse(Variable from, Variable to);
  void set_parents(Variable v, std::vector<Variable> parents);  // in any order, distinct

  std::vector<Variable> topological_order() const { return dagwright::topological_order(parents_); }

  bool operator==(const Dag& other) const { return parents_ == other.parents_; }

 private:
  void insert_parent(Variable from, Variable to);
  void erase_parent(Variable from, Variable to);
  void recompute_ancestors(Variable v);
  // Recomputes v and its descendants (as the ancestor sets know them before the change), parents
  // before children.
  void recompute_from(Variable v);
  void inherit_ancestors(Variable from, Variable to);

  std::size_t n_edges_ = 0;
  ParentLists parents_;
  std::vector<NodeSet> parent_sets_;
  std::vector<NodeSet> ancestors_;
};

}  // namespace dagwright
