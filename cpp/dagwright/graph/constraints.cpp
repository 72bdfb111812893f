#include "dagwright/graph/constraints.hpp"

#include <algorithm>
#include <functional>
#include <queue>
#include <stdexcept>
#include <utility>

namespace dagwright {

namespace {

void check_edges(std::size_t n, const std::vector<Edge>& edges) {
  for (const Edge& edge : edges)
    if (edge.from >= n || edge.to >= n || edge.from == edge.to)
      throw std::invalid_argument("a constraint on nodes that are out of range or equal");
}

void check_size(std::size_t n, std::size_t given, const char* message) {
  if (given != 0 && given != n) throw std::invalid_argument(message);
}

std::vector<NodeSet> parents_by_child(std::size_t n, const std::vector<Edge>& edges) {
  std::vector<NodeSet> sets;
  if (edges.empty()) return sets;
  sets.assign(n, NodeSet(n));
  for (const Edge& edge : edges) sets[edge.to].set(edge.from);
  return sets;
}

void sort_unique(std::vector<Edge>& edges) {
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
}

}  // namespace

Constraints::Constraints(std::size_t n) { spec_.n = n; }

Constraints::Constraints(ConstraintSpec spec) : spec_(std::move(spec)) {
  const std::size_t n = spec_.n;
  check_edges(n, spec_.required);
  check_edges(n, spec_.forbidden);
  check_edges(n, spec_.adjacent);
  check_size(n, spec_.tiers.size(), "as many tiers as nodes are needed");
  check_size(n, spec_.arities.size(), "as many arities as nodes are needed");
  if (std::any_of(spec_.arities.begin(), spec_.arities.end(), [](Arity r) { return r == 0; }))
    throw std::invalid_argument("an arity of 0");
  if (!(spec_.max_parameters >= 0)) throw std::invalid_argument("max_parameters below 0");
  if (spec_.max_parameters != kAnyNumberOfParameters && spec_.arities.size() != n)
    throw std::invalid_argument("max_parameters needs the arities");

  for (Edge& pair : spec_.adjacent)
    if (pair.from > pair.to) std::swap(pair.from, pair.to);
  sort_unique(spec_.required);
  sort_unique(spec_.adjacent);
  required_ = parents_by_child(n, spec_.required);
  forbidden_ = parents_by_child(n, spec_.forbidden);
  adjacent_ = parents_by_child(n, spec_.adjacent);
  for (const Edge& pair : spec_.adjacent) adjacent_[pair.from].set(pair.to);
  limits_edges_ = !spec_.required.empty() || !spec_.forbidden.empty() ||
                  !spec_.adjacent.empty() || !spec_.tiers.empty();
}

bool Constraints::parameters_fit(Variable child, std::span<const Variable> parents,
                                 double q) const {
  if (spec_.max_parameters == kAnyNumberOfParameters || spec_.arities[child] == 1) return true;
  // In double: a product too large for it is infinite and does not fit, it never wraps.
  double parameters = q * (static_cast<double>(spec_.arities[child]) - 1.0);
  for (const Variable parent : parents) parameters *= spec_.arities[parent];
  return parameters <= spec_.max_parameters;
}

bool Constraints::satisfied_by(const Dag& dag) const {
  if (dag.size() != size()) throw std::invalid_argument("a graph over other nodes");
  for (const Edge& edge : spec_.required)
    if (!dag.has_edge(edge.from, edge.to)) return false;
  for (const Edge& pair : spec_.adjacent)
    if (!dag.adjacent(pair.from, pair.to)) return false;
  for (Variable child = 0; child < size(); ++child) {
    const auto& parents = dag.parents(child);
    if (!fits(child, parents)) return false;
    if (!std::all_of(parents.begin(), parents.end(),
                     [&](Variable parent) { return allowed(parent, child); }))
      return false;
  }
  return true;
}

// Sinks are peeled off: a node goes when all connections it has left may point at it and fit. A
// node that may go still may when others have gone (it has fewer parents then), so the order does
// not matter; and if a good graph exists, its last node among those left may always go. Hence
// being stuck proves that there is none.
FeasibleDag Constraints::feasible_dag() const {
  ParentLists connections(size());
  for (const auto* edges : {&spec_.required, &spec_.adjacent}) {
    for (const Edge& edge : *edges) {
      connections[edge.from].push_back(edge.to);
      connections[edge.to].push_back(edge.from);
    }
  }
  for (auto& list : connections) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }

  std::vector<bool> gone(size());
  ParentLists parents(size());
  const auto take = [&](Variable v) {
    std::vector<Variable> left;
    for (const Variable other : connections[v]) {
      if (gone[other]) continue;
      if (required(v, other) || !allowed(other, v)) return false;
      left.push_back(other);
    }
    if (!fits(v, left)) return false;
    parents[v] = std::move(left);
    gone[v] = true;
    return true;
  };

  // A node that may not go now may go only after one of its connections has gone.
  std::priority_queue<Variable, std::vector<Variable>, std::greater<>> candidates;
  for (Variable v = 0; v < size(); ++v) candidates.push(v);
  while (!candidates.empty()) {
    const Variable v = candidates.top();
    candidates.pop();
    if (gone[v] || !take(v)) continue;
    for (const Variable other : connections[v])
      if (!gone[other]) candidates.push(other);
  }

  FeasibleDag result;
  for (Variable v = 0; v < size(); ++v)
    if (!gone[v]) result.stuck.push_back(v);
  if (result.stuck.empty()) result.dag.emplace(std::move(parents));
  return result;
}

}  // namespace dagwright
