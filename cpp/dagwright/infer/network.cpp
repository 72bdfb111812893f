#include "dagwright/infer/network.hpp"

#include <algorithm>
#include <utility>

namespace dagwright {

Network::Network(std::vector<Arity> arities, std::vector<Factor> factors)
    : arities_(std::move(arities)), families_(std::move(factors)) {
  const std::size_t n = arities_.size();
  if (families_.size() != n) throw std::invalid_argument("one family a variable is needed");
  std::vector<std::vector<Variable>> children(n);
  std::vector<std::size_t> waiting(n);
  for (Variable v = 0; v < n; ++v) {
    const auto& scope = families_[v].scope;
    if (arities_[v] == 0) throw std::invalid_argument("a variable has at least one state");
    if (scope.empty() || scope.back() != v) throw std::invalid_argument("the child comes last");
    double cells = 1.0;
    for (std::size_t i = 0; i < scope.size(); ++i) {
      if (scope[i] >= n) throw std::invalid_argument("an unknown variable");
      if (std::find(scope.begin(), scope.begin() + i, scope[i]) != scope.begin() + i) {
        throw std::invalid_argument("a variable is twice in a family");
      }
      cells *= arities_[scope[i]];
    }
    if (cells != static_cast<double>(families_[v].values.size())) {
      throw std::invalid_argument("a table has the wrong size");
    }
    smallest_.push_back(1.0);
    for (const double value : families_[v].values) {
      if (value > 0 && value < smallest_[v]) smallest_[v] = value;
    }
    waiting[v] = scope.size() - 1;
    for (const Variable parent : parents(v)) children[parent].push_back(v);
    if (waiting[v] == 0) order_.push_back(v);
  }
  for (std::size_t i = 0; i < order_.size(); ++i) {
    for (const Variable child : children[order_[i]]) {
      if (--waiting[child] == 0) order_.push_back(child);
    }
  }
  if (order_.size() != n) throw std::invalid_argument("the network has a cycle");
}

}  // namespace dagwright
