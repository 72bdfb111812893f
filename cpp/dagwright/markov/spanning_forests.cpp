#include "dagwright/markov/spanning_forests.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>

namespace dagwright {

namespace {

class Components {
 public:
  explicit Components(std::size_t n) : above_(n) { std::iota(above_.begin(), above_.end(), 0u); }

  Variable of(Variable v) {
    while (above_[v] != v) v = above_[v] = above_[above_[v]];
    return v;
  }
  void join(Variable a, Variable b) { above_[of(a)] = of(b); }

 private:
  std::vector<Variable> above_;
};

}  // namespace

std::vector<double> shares_of_forests(const FactorScopes& scopes, std::size_t n_forests) {
  std::vector<std::size_t> order;
  for (std::size_t f = 0; f < scopes.n_factors(); ++f) {
    if (scopes.scope(f).size() > 1) order.push_back(f);
  }
  std::vector<std::size_t> times(scopes.n_factors(), 0);
  std::size_t made = 0;
  std::vector<Variable> roots;
  const auto never_used = [&] { return !order.empty() && times[order[0]] == 0; };
  while (made < n_forests || never_used()) {
    Components components(scopes.n_variables());
    for (const std::size_t f : order) {
      roots.clear();
      for (const Variable v : scopes.scope(f)) roots.push_back(components.of(v));
      std::sort(roots.begin(), roots.end());
      if (std::adjacent_find(roots.begin(), roots.end()) != roots.end()) continue;
      for (const Variable root : roots) components.join(root, roots[0]);
      ++times[f];
    }
    ++made;
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return times[a] < times[b]; });
  }
  std::vector<double> out(scopes.n_factors(), 1.0);
  for (const std::size_t f : order) {
    out[f] = static_cast<double>(times[f]) / static_cast<double>(made);
  }
  return out;
}

}  // namespace dagwright
