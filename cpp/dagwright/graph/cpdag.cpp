#include "dagwright/graph/cpdag.hpp"

#include <algorithm>
#include <functional>
#include <queue>
#include <span>
#include <stdexcept>
#include <utility>

namespace dagwright {

namespace {

// Parents before children, in no particular order otherwise.
std::vector<Variable> some_order(const ParentLists& parents) {
  const std::size_t n = parents.size();
  std::vector<std::size_t> waiting_for(n), end_of_children(n + 1, 0);
  for (Variable v = 0; v < n; ++v) {
    waiting_for[v] = parents[v].size();
    for (const Variable parent : parents[v]) {
      if (parent >= n) throw std::invalid_argument("node number out of range");
      ++end_of_children[parent];
    }
  }
  for (std::size_t v = 1; v <= n; ++v) end_of_children[v] += end_of_children[v - 1];
  std::vector<Variable> children(end_of_children[n]);
  std::vector<std::size_t> first_child = end_of_children;
  for (Variable v = 0; v < n; ++v)
    for (const Variable parent : parents[v]) children[--first_child[parent]] = v;
  std::vector<Variable> order;
  order.reserve(n);
  for (Variable v = 0; v < n; ++v)
    if (parents[v].empty()) order.push_back(v);
  for (std::size_t i = 0; i < order.size(); ++i)
    for (std::size_t k = first_child[order[i]]; k < end_of_children[order[i]]; ++k)
      if (--waiting_for[children[k]] == 0) order.push_back(children[k]);
  if (order.size() != n) throw std::invalid_argument("the graph has a cycle");
  return order;
}

// Labels the edges into one node, given the labels of the edges into all earlier nodes.
//
// Chickering's Label-Edges takes the unlabelled edge x -> y with the latest x. Whatever it finds,
// it then labels all edges into y that are still unlabelled, so one x for each y is enough.
class Labeller {
 public:
  explicit Labeller(const ParentLists& parents)
      : parents_(parents),
        position_(parents.size()),
        first_edge_(parents.size()),
        parent_of_(parents.size(), kNobody),
        compelled_for_(parents.size(), kNobody),
        order_(some_order(parents)) {
    for (std::size_t i = 0; i < order_.size(); ++i) position_[order_[i]] = i;
    std::size_t n_edges = 0;
    for (Variable v = 0; v < parents.size(); ++v) {
      first_edge_[v] = n_edges;
      n_edges += parents[v].size();
    }
    compelled_.resize(n_edges);
    for (const Variable y : order_)
      if (!parents_[y].empty()) label_into(y);
  }

  EdgeLabels take() { return {std::move(order_), std::move(compelled_)}; }

 private:
  static constexpr Variable kNobody = static_cast<Variable>(-1);

  void label_into(Variable y) {
    const auto& parents = parents_[y];
    const Variable x = *std::max_element(parents.begin(), parents.end(), [&](Variable a, Variable b) {
      return position_[a] < position_[b];
    });
    for (const Variable parent : parents) parent_of_[parent] = y;

    for (std::size_t i = 0; i < parents_[x].size(); ++i) {
      if (!compelled_[first_edge_[x] + i]) continue;
      const Variable w = parents_[x][i];
      if (parent_of_[w] != y) {  // w -> x is compelled and w, y not adjacent: all are compelled
        compel_all(y);
        return;
      }
      compelled_for_[w] = y;  // w -> y closes w -> x -> y
    }
    for (const Variable parent : parents_[x]) parent_of_[parent] = x;
    const bool in_v_structure = std::any_of(parents.begin(), parents.end(), [&](Variable z) {
      return z != x && parent_of_[z] != x;
    });
    if (in_v_structure) {
      compel_all(y);
      return;
    }
    for (std::size_t i = 0; i < parents.size(); ++i)
      compelled_[first_edge_[y] + i] = compelled_for_[parents[i]] == y;
  }

  void compel_all(Variable y) {
    for (std::size_t i = 0; i < parents_[y].size(); ++i) compelled_[first_edge_[y] + i] = true;
  }

  const ParentLists& parents_;
  std::vector<std::size_t> position_;
  std::vector<std::size_t> first_edge_;  // of the edges into a node
  std::vector<bool> compelled_;          // by edge
  std::vector<Variable> parent_of_;      // the node whose parents were marked last
  std::vector<Variable> compelled_for_;  // the same for its compelled parents that x has too
  std::vector<Variable> order_;
};

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

  // No edge leaves v, and pointing v's undirected edges at v makes no new v-structure.
  bool can_be_sink(Variable v) {
    if (n_children_[v] != 0) return false;
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
  // A node that cannot be a sink now can become one only when a neighbour is taken away.
  std::priority_queue<Variable, std::vector<Variable>, std::greater<>> candidates;
  for (Variable v = 0; v < pdag.n; ++v) candidates.push(v);
  std::size_t n_left = pdag.n;
  while (!candidates.empty()) {
    const Variable v = candidates.top();
    candidates.pop();
    if (remaining.removed(v) || !remaining.can_be_sink(v)) continue;
    parents[v] = remaining.parents_of_sink(v);
    if (!may_have(v, parents[v])) continue;
    remaining.take_sink(v);
    --n_left;
    for (const Variable neighbour : remaining.neighbours(v)) candidates.push(neighbour);
  }
  if (n_left != 0) return std::nullopt;
  return parents;
}

}  // namespace

EdgeLabels label_edges(const ParentLists& parents) { return Labeller(parents).take(); }

Cpdag cpdag_of(const ParentLists& parents) {
  const std::vector<bool> compelled = label_edges(parents).compelled;
  Cpdag cpdag;
  cpdag.n = parents.size();
  std::size_t edge = 0;
  for (Variable child = 0; child < cpdag.n; ++child) {
    for (const Variable parent : parents[child]) {
      if (compelled[edge++]) {
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
