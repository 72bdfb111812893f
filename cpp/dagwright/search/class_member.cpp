#include "dagwright/search/class_member.hpp"

#include <algorithm>
#include <utility>

namespace dagwright {

// `parents` are not needed any more.
void MemberChanges::change(ParentLists& member, Variable v, Nodes& parents) {
  if (former_.size() == n_changed_) former_.emplace_back();
  FormerParents& former = former_[n_changed_++];
  former.node = v;
  std::swap(former.parents, member[v]);
  std::swap(member[v], parents);
}

void MemberChanges::undo(ParentLists& member) {
  for (; n_changed_ > 0; --n_changed_) {
    auto& [node, parents] = former_[n_changed_ - 1];
    std::swap(member[node], parents);
  }
}

void MemberChanges::become(ParentLists& member, ParentLists after) {
  n_changed_ = 0;
  for (Variable v = 0; v < after.size(); ++v)
    if (after[v] != member[v]) change(member, v, after[v]);
}

// Turns the undirected edges that can be reached from the last of `first_` by undirected edges, so that
// these nodes, a clique, come first and in this order. Such a component is chordal and its edges point
// from what maximum cardinality search (Tarjan & Yannakakis 1984) visits earlier: that begins with any
// clique, and makes neither cycles nor v-structures.
void MemberChanges::turn_component(ParentLists& member, const EquivalenceClass& graph) {
  visited_as_.resize(graph.size(), 0);
  n_before_.resize(graph.size(), 0);
  order_.clear();
  std::size_t most = 0;
  const auto visit = [&](Variable v) {
    order_.push_back(v);
    visited_as_[v] = static_cast<std::uint32_t>(order_.size());
    for (const Variable w : graph.neighbours(v)) {
      if (visited_as_[w] != 0) continue;
      const std::size_t n = ++n_before_[w];
      if (waiting_.size() <= n) waiting_.resize(n + 1);
      waiting_[n].push_back(w);
      most = std::max(most, n);
    }
  };
  for (const Variable v : first_) visit(v);
  while (most > 0) {
    if (waiting_[most].empty()) {
      --most;
      continue;
    }
    const Variable v = waiting_[most].back();
    waiting_[most].pop_back();
    if (visited_as_[v] == 0 && n_before_[v] == most) visit(v);
  }

  for (const Variable v : order_) {
    parents_ = graph.parents(v);
    for (const Variable w : graph.neighbours(v))
      if (visited_as_[w] < visited_as_[v]) parents_.push_back(w);
    std::sort(parents_.begin(), parents_.end());
    if (parents_ != member[v]) change(member, v, parents_);
  }
  for (const Variable v : order_) visited_as_[v] = n_before_[v] = 0;
}

void MemberChanges::make_move(ParentLists& member, const EquivalenceClass& graph, const ClassMove& move) {
  const auto& [op, x, y, into] = move;
  // Reversals are rare, and what points at x is no clique with what points at y.
  if (op == Operator::reverse) return become(member, consistent_extension(moved(graph, move)).value());
  n_changed_ = 0;
  first_ = into;
  const Nodes& near = graph.neighbours(y);
  if (std::binary_search(near.begin(), near.end(), x)) first_.push_back(x);  // the edge to be removed
  first_.push_back(y);
  turn_component(member, graph);

  if (std::none_of(former().begin(), former().end(), [&](const auto& was) { return was.node == y; })) {
    parents_ = member[y];
    change(member, y, parents_);
  }
  Nodes& parents = member[y];
  const auto place = std::lower_bound(parents.begin(), parents.end(), x);
  if (op == Operator::add) {
    parents.insert(place, x);
  } else {
    parents.erase(place);
  }
}

}  // namespace dagwright
