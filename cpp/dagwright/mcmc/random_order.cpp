#include "dagwright/mcmc/random_order.hpp"

#include <algorithm>
#include <cmath>

namespace dagwright {

namespace {

// Calls choose(ready, weights, sum) with the nodes that may come next, and the sum of their weights, until
// all have come; it returns the place of one among those that are ready.
template <class Choose>
void order_nodes(const Dag& dag, Choose&& choose) {
  const std::size_t n = dag.size();
  ParentLists children(n);
  std::vector<std::size_t> missing(n);
  std::vector<std::uint64_t> weights(n, 1);  // with all that must come after
  std::vector<Variable> ready;
  std::uint64_t sum = 0;
  for (Variable v = 0; v < n; ++v) {
    for (const Variable parent : dag.parents(v)) children[parent].push_back(v);
    dag.ancestors(v).for_each([&](Variable ancestor) { weights[ancestor]++; });
    missing[v] = dag.parents(v).size();
    if (missing[v] == 0) ready.push_back(v);
  }
  for (const Variable v : ready) sum += weights[v];
  for (std::size_t i = 0; i < n; ++i) {
    const auto place = choose(ready, weights, sum);
    const Variable next = ready[place];
    ready.erase(ready.begin() + static_cast<std::ptrdiff_t>(place));
    sum -= weights[next];
    for (const Variable child : children[next]) {
      if (--missing[child] > 0) continue;
      ready.push_back(child);
      sum += weights[child];
    }
  }
}

}  // namespace

std::vector<Variable> draw_order(const Dag& dag, Rng& rng) {
  std::vector<Variable> order;
  order_nodes(dag, [&](const auto& ready, const auto& weights, std::uint64_t sum) {
    std::uint64_t left = rng.below(sum);
    std::size_t place = 0;
    while (left >= weights[ready[place]]) left -= weights[ready[place++]];
    order.push_back(ready[place]);
    return place;
  });
  return order;
}

double log_probability(const std::vector<Variable>& order, const Dag& dag) {
  double log = 0;
  auto next = order.begin();
  order_nodes(dag, [&](const auto& ready, const auto& weights, std::uint64_t sum) {
    log += std::log(static_cast<double>(weights[*next]) / static_cast<double>(sum));
    return static_cast<std::size_t>(std::find(ready.begin(), ready.end(), *next++) - ready.begin());
  });
  return log;
}

}  // namespace dagwright
