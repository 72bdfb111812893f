#include "dagwright/search/class_member.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace dagwright {

namespace {

// Turns the undirected edges that can be reached from the last of some nodes by undirected edges, so that
// these nodes, a clique, come first and in this order. Such a component is chordal and its edges point
// from what maximum cardinality search (Tarjan & Yannakakis 1984) visits earlier: that begins with any
// clique, and makes neither cycles nor v-structures.
std::vector<FormerParents> turn_component(ParentLists& member, const EquivalenceClass& graph,
                                          const Nodes& first) {
  std::vector<std::uint32_t> visited_as(graph.size(), 0);  // 1 for the first; 0: not yet
  std::vector<std::uint32_t> n_before(graph.size(), 0);    // neighbours that were visited
  std::vector<Nodes> waiting(1);  // by n_before; a node may be in several, of which the last counts
  Nodes order;
  std::size_t most = 0;
  const auto visit = [&](Variable v) {
    order.push_back(v);
    visited_as[v] = static_cast<std::uint32_t>(order.size());
    for (const Variable w : graph.neighbours(v)) {
      if (visited_as[w] != 0) continue;
      const std::size_t n = ++n_before[w];
      if (waiting.size() <= n) waiting.resize(n + 1);
      waiting[n].push_back(w);
      most = std::max(most, n);
    }
  };
  for (const Variable v : first) visit(v);
  while (most > 0) {
    if (waiting[most].empty()) {
      --most;
      continue;
    }
    const Variable v = waiting[most].back();
    waiting[most].pop_back();
    if (visited_as[v] == 0 && n_before[v] == most) visit(v);
  }

  std::vector<FormerParents> changed;
  for (const Variable v : order) {
    Nodes parents = graph.parents(v);
    for (const Variable w : graph.neighbours(v))
      if (visited_as[w] < visited_as[v]) parents.push_back(w);
    std::sort(parents.begin(), parents.end());
    if (parents == member[v]) continue;
    changed.push_back({v, std::exchange(member[v], std::move(parents))});
  }
  return changed;
}

}  // namespace

std::vector<FormerParents> make_class_move(ParentLists& member, const EquivalenceClass& graph,
                                           const ClassMove& move) {
  const auto& [op, x, y, into] = move;
  if (op == Operator::reverse) {  // rare, and what points at x is no clique with what points at y
    ParentLists after = consistent_extension(moved(graph, move)).value();
    std::vector<FormerParents> changed;
    for (Variable v = 0; v < after.size(); ++v)
      if (after[v] != member[v]) changed.push_back({v, std::exchange(member[v], std::move(after[v]))});
    return changed;
  }
  Nodes first = into;
  const Nodes& near = graph.neighbours(y);
  if (std::binary_search(near.begin(), near.end(), x)) first.push_back(x);  // the edge to be removed
  first.push_back(y);
  std::vector<FormerParents> changed = turn_component(member, graph, first);

  Nodes& parents = member[y];
  if (std::none_of(changed.begin(), changed.end(), [&](const auto& was) { return was.node == y; }))
    changed.push_back({y, parents});
  const auto place = std::lower_bound(parents.begin(), parents.end(), x);
  if (op == Operator::add) {
    parents.insert(place, x);
  } else {
    parents.erase(place);
  }
  return changed;
}

}  // namespace dagwright
