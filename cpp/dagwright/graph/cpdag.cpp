#include "dagwright/graph/cpdag.hpp"

#include <algorithm>
#include <numeric>
#include <functional>
#include <queue>
#include <span>
#include <stdexcept>
#include <utility>

#include "dagwright/graph/edge_labels.hpp"

namespace dagwright {

namespace {

// The graph that Dor & Tarsi's algorithm takes apart, one sink at a time.
class Pdag {
 public:
  explicit Pdag(const Cpdag& pdag)
      : neighbours_(pdag.n), undirected_(pdag.n), parents_(pdag.n), n_children_(pdag.n),
        removed_(pdag.n), first_undirected_(pdag.n), first_neighbour_(pdag.n) {
    for (const Edge& edge : pdag.directed) {
      connect(edge);
      parents_[edge.to].push_back(edge.from);
      ++n_children_[edge.from];
    }
    for (const Edge& edge : pdag.undirected) {
      connect(edge);
      undirected_[edge.from].push_back(edge.to);
      undirected_[edge.to].push_back(edge.from);
    }
    for (auto& list : neighbours_) {
      std::sort(list.begin(), list.end());
      if (std::adjacent_find(list.begin(), list.end()) != list.end())
        throw std::invalid_argument("two edges between the same nodes");
    }
  }

  const std::vector<Variable>& neighbours(Variable v) const { return neighbours_[v]; }
  bool removed(Variable v) const { return removed_[v]; }
  bool has_children(Variable v) const { return n_children_[v] != 0; }

  // No edge leaves v, and pointing v's undirected edges at v makes no new v-structure.
  bool can_be_sink(Variable v) {
    if (has_children(v)) return false;
    const auto undirected = left(undirected_[v], first_undirected_[v]);
    const auto neighbours = left(neighbours_[v], first_neighbour_[v]);
    for (const Variable a : undirected) {
      if (removed_[a]) continue;
      for (const Variable b : neighbours)
        if (a != b && !removed_[b] && !adjacent(a, b)) return false;
    }
    return true;
  }

  // The parents that v has in the extension if it goes now.
  std::vector<Variable> parents_of_sink(Variable v) const {
    std::vector<Variable> parents = parents_[v];
    for (const Variable other : undirected_[v])
      if (!removed_[other]) parents.push_back(other);
    std::sort(parents.begin(), parents.end());
    return parents;
  }

  void take_sink(Variable v) {
    for (const Variable parent : parents_[v]) --n_children_[parent];
    removed_[v] = true;
  }

 private:
  void connect(const Edge& edge) {
    if (edge.from >= neighbours_.size() || edge.to >= neighbours_.size())
      throw std::invalid_argument("node number out of range");
    neighbours_[edge.from].push_back(edge.to);
    neighbours_[edge.to].push_back(edge.from);
  }

  // The list from its first node that is not removed; `first` keeps that place, since the centre of
  // a star of 100,000 nodes is looked at as often as it has neighbours.
  std::span<const Variable> left(const std::vector<Variable>& list, std::size_t& first) const {
    while (first < list.size() && removed_[list[first]]) ++first;
    return std::span(list).subspan(first);
  }

  bool adjacent(Variable a, Variable b) const {
    return std::binary_search(neighbours_[a].begin(), neighbours_[a].end(), b);
  }

  ParentLists neighbours_;
  ParentLists undirected_;
  ParentLists parents_;
  std::vector<std::size_t> n_children_;  // that are not removed
  std::vector<bool> removed_;
  std::vector<std::size_t> first_undirected_, first_neighbour_;  // see left()
};

// Peels off sinks that may have the parents they would get. A node that may go still may when others
// have gone, for it has fewer parents then; and of the nodes left, the last one in any wanted graph may
// always go. So the order does not matter, and being stuck proves that there is no such graph.
template <class MayHave>
std::optional<ParentLists> take_sinks(const Cpdag& pdag, const MayHave& may_have) {
  Pdag remaining(pdag);
  ParentLists parents(pdag.n);
  // A node that cannot be a sink now can become one only when a neighbour is taken away; one with children, when
  // that is the last of them.
  std::priority_queue<Variable, std::vector<Variable>, std::greater<>> candidates;
  const auto look_at = [&](Variable v) {
    if (!remaining.removed(v) && !remaining.has_children(v)) candidates.push(v);
  };
  for (Variable v = 0; v < pdag.n; ++v) look_at(v);
  std::size_t n_left = pdag.n;
  while (!candidates.empty()) {
    const Variable v = candidates.top();
    candidates.pop();
    if (remaining.removed(v) || !remaining.can_be_sink(v)) continue;
    parents[v] = remaining.parents_of_sink(v);
    if (!may_have(v, parents[v])) continue;
    remaining.take_sink(v);
    --n_left;
    for (const Variable neighbour : remaining.neighbours(v)) look_at(neighbour);
  }
  if (n_left != 0) return std::nullopt;
  return parents;
}

}  // namespace

Cpdag cpdag_of(const ParentLists& parents) {
  EdgeLabels labels(parents.size());
  std::vector<Variable> nodes(parents.size());
  std::iota(nodes.begin(), nodes.end(), Variable{0});
  labels.become(parents, nodes);
  Cpdag cpdag;
  cpdag.n = parents.size();
  for (Variable child = 0; child < cpdag.n; ++child) {
    for (std::size_t i = 0; i < parents[child].size(); ++i) {
      const Variable parent = parents[child][i];
      if (labels.compelled(child, i)) {
        cpdag.directed.push_back({parent, child});
      } else {
        cpdag.undirected.push_back({std::min(parent, child), std::max(parent, child)});
      }
    }
  }
  std::sort(cpdag.directed.begin(), cpdag.directed.end());
  std::sort(cpdag.undirected.begin(), cpdag.undirected.end());
  return cpdag;
}

std::optional<ParentLists> consistent_extension(const Cpdag& pdag) {
  return take_sinks(pdag, [](Variable, const std::vector<Variable>&) { return true; });
}

std::optional<ParentLists> consistent_extension(const Cpdag& pdag, const Constraints& constraints) {
  return take_sinks(pdag, [&](Variable v, const std::vector<Variable>& parents) {
    return constraints.fits(v, parents) &&
           std::all_of(parents.begin(), parents.end(), [&](Variable parent) {
             return constraints.allowed(parent, v) && !constraints.required(v, parent);
           });
  });
}

}  // namespace dagwright
