#include "dagwright/graph/dag.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace dagwright {

Dag::Dag(std::size_t n) : parents_(n), parent_sets_(n, NodeSet(n)), ancestors_(n, NodeSet(n)) {}

Dag::Dag(ParentLists parents) : Dag(parents.size()) {
  for (auto& list : parents) {
    std::sort(list.begin(), list.end());
    if (std::adjacent_find(list.begin(), list.end()) != list.end())
      throw std::invalid_argument("the same parent twice");
  }
  const std::vector<Variable> order = dagwright::topological_order(parents);
  parents_ = std::move(parents);
  for (const Variable v : order) {
    for (const Variable parent : parents_[v]) parent_sets_[v].set(parent);
    recompute_ancestors(v);
    n_edges_ += parents_[v].size();
  }
}

std::vector<Edge> Dag::edges() const {
  std::vector<Edge> edges;
  edges.reserve(n_edges_);
  for (Variable child = 0; child < size(); ++child)
    for (const Variable parent : parents_[child]) edges.push_back({parent, child});
  std::sort(edges.begin(), edges.end());
  return edges;
}

bool Dag::can_reverse(Variable from, Variable to) const {
  if (!has_edge(from, to)) return false;
  // Another path from `from` to `to` enters `to` by another parent.
  return std::none_of(parents_[to].begin(), parents_[to].end(),
                      [&](Variable parent) { return ancestors_[parent].test(from); });
}

bool Dag::can_set_parents(Variable v, const std::vector<Variable>& parents) const {
  return std::none_of(parents.begin(), parents.end(), [&](Variable parent) {
    return parent == v || ancestors_[parent].test(v);
  });
}

void Dag::add(Variable from, Variable to) {
  if (!can_add(from, to)) throw std::invalid_argument("the edge is there or makes a cycle");
  insert_parent(from, to);
  inherit_ancestors(from, to);
}

void Dag::remove(Variable from, Variable to) {
  if (!has_edge(from, to)) throw std::invalid_argument("there is no such edge");
  erase_parent(from, to);
  recompute_from(to);
}

void Dag::reverse(Variable from, Variable to) {
  if (!can_reverse(from, to))
    throw std::invalid_argument("there is no such edge or its reversal makes a cycle");
  remove(from, to);
  add(to, from);
}

void Dag::set_parents(Variable v, std::vector<Variable> parents) {
  std::sort(parents.begin(), parents.end());
  if (std::adjacent_find(parents.begin(), parents.end()) != parents.end())
    throw std::invalid_argument("the same parent twice");
  if (!can_set_parents(v, parents)) throw std::invalid_argument("these parents make a cycle");
  n_edges_ += parents.size();
  n_edges_ -= parents_[v].size();
  parents_[v] = std::move(parents);
  parent_sets_[v].clear();
  for (const Variable parent : parents_[v]) parent_sets_[v].set(parent);
  recompute_from(v);
}

void Dag::insert_parent(Variable from, Variable to) {
  auto& list = parents_[to];
  list.insert(std::lower_bound(list.begin(), list.end(), from), from);
  parent_sets_[to].set(from);
  ++n_edges_;
}

void Dag::erase_parent(Variable from, Variable to) {
  auto& list = parents_[to];
  list.erase(std::lower_bound(list.begin(), list.end(), from));
  parent_sets_[to].reset(from);
  --n_edges_;
}

void Dag::recompute_ancestors(Variable v) {
  ancestors_[v].clear();
  for (const Variable parent : parents_[v]) {
    ancestors_[v] |= ancestors_[parent];
    ancestors_[v].set(parent);
  }
}

void Dag::recompute_from(Variable v) {
  // A node has more ancestors than any of its ancestors, so their (old) number gives an order
  // with parents before children without a topological sort of the whole graph.
  std::vector<std::pair<std::size_t, Variable>> stale;
  for (Variable node = 0; node < size(); ++node)
    if (ancestors_[node].test(v)) stale.emplace_back(ancestors_[node].count(), node);
  std::sort(stale.begin(), stale.end());
  recompute_ancestors(v);
  for (const auto& [n_ancestors, node] : stale) recompute_ancestors(node);
}

void Dag::inherit_ancestors(Variable from, Variable to) {
  for (Variable node = 0; node < size(); ++node) {
    if (node != to && !ancestors_[node].test(to)) continue;
    ancestors_[node] |= ancestors_[from];
    ancestors_[node].set(from);
  }
}

}  // namespace dagwright
