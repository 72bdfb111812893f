#include "dagwright/graph/order.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <queue>
#include <stdexcept>

namespace dagwright {

std::optional<std::vector<Variable>> find_cycle(std::size_t n, std::span<const Edge> edges) {
  std::vector<std::vector<Variable>> children(n);
  for (const Edge& edge : edges) {
    if (edge.from >= n || edge.to >= n) throw std::invalid_argument("node number out of range");
    children[edge.from].push_back(edge.to);
  }
  for (auto& list : children) std::sort(list.begin(), list.end());

  // Depth-first search with its own stack: a chain of 100,000 nodes must not overflow ours.
  enum class Mark : std::uint8_t { kNew, kOnPath, kDone };
  std::vector<Mark> marks(n, Mark::kNew);
  std::vector<Variable> path;
  std::vector<std::size_t> next_child;
  for (Variable root = 0; root < n; ++root) {
    if (marks[root] != Mark::kNew) continue;
    path.push_back(root);
    next_child.push_back(0);
    marks[root] = Mark::kOnPath;
    while (!path.empty()) {
      const Variable node = path.back();
      if (next_child.back() == children[node].size()) {
        marks[node] = Mark::kDone;
        path.pop_back();
        next_child.pop_back();
        continue;
      }
      const Variable child = children[node][next_child.back()++];
      if (marks[child] == Mark::kOnPath) {
        return std::vector<Variable>(std::find(path.begin(), path.end(), child), path.end());
      }
      if (marks[child] == Mark::kNew) {
        path.push_back(child);
        next_child.push_back(0);
        marks[child] = Mark::kOnPath;
      }
    }
  }
  return std::nullopt;
}

std::vector<Variable> topological_order(const ParentLists& parents) {
  const std::size_t n = parents.size();
  std::vector<std::vector<Variable>> children(n);
  std::vector<std::size_t> waiting_for(n);
  std::priority_queue<Variable, std::vector<Variable>, std::greater<>> ready;
  for (Variable v = 0; v < n; ++v) {
    waiting_for[v] = parents[v].size();
    if (parents[v].empty()) ready.push(v);
    for (const Variable parent : parents[v]) {
      if (parent >= n) throw std::invalid_argument("node number out of range");
      children[parent].push_back(v);
    }
  }
  std::vector<Variable> order;
  order.reserve(n);
  while (!ready.empty()) {
    const Variable v = ready.top();
    ready.pop();
    order.push_back(v);
    for (const Variable child : children[v])
      if (--waiting_for[child] == 0) ready.push(child);
  }
  if (order.size() != n) throw std::invalid_argument("the graph has a cycle");
  return order;
}

}  // namespace dagwright
