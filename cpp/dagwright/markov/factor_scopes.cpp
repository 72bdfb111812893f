#include "dagwright/markov/factor_scopes.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace dagwright {

namespace {

constexpr double kMostCells = 1e12;  // no memory has so many; beyond it sizes might wrap

}  // namespace

FactorScopes::FactorScopes(std::vector<Arity> arities, std::vector<std::vector<Variable>> scopes)
    : arities_(std::move(arities)), scopes_(std::move(scopes)), first_{0}, uses_(arities_.size()) {
  for (const Arity arity : arities_) {
    if (arity == 0 || arity > kMaxArity) throw std::invalid_argument("a variable has 1 to 65,536 states");
  }
  for (std::size_t f = 0; f < scopes_.size(); ++f) {
    const auto& scope = scopes_[f];
    double cells = 1;
    for (std::size_t i = 0; i < scope.size(); ++i) {
      if (scope[i] >= arities_.size()) throw std::invalid_argument("an unknown variable");
      if (std::find(scope.begin(), scope.begin() + i, scope[i]) != scope.begin() + i) {
        throw std::invalid_argument("a variable is twice in a scope");
      }
      cells *= arities_[scope[i]];
    }
    if (static_cast<double>(first_.back()) + cells > kMostCells) {
      throw std::invalid_argument("the factors have too many cells");
    }
    std::size_t step = 1;
    for (std::size_t i = scope.size(); i-- > 0;) {
      uses_[scope[i]].push_back({f, step});
      step *= arities_[scope[i]];
    }
    first_.push_back(first_.back() + step);
  }
}

}  // namespace dagwright
