// Which variables each factor of a product has, and where its cells are in one flat array of numbers.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "dagwright/base/types.hpp"

namespace dagwright {

// p(x) is proportional to exp of a sum of one number a factor: that of the cell where x is in its scope.
// The numbers of all factors stand in one array, `n_cells` long, factor after factor; within a factor
// the last variable of its scope runs fastest.
class FactorScopes {
 public:
  // Throws std::invalid_argument if a scope names an unknown variable or one twice, or if there are too
  // many cells to number.
  FactorScopes(std::vector<Arity> arities, std::vector<std::vector<Variable>> scopes);

  std::size_t n_variables() const { return arities_.size(); }
  const std::vector<Arity>& arities() const { return arities_; }
  Arity arity(Variable v) const { return arities_[v]; }
  std::size_t n_factors() const { return scopes_.size(); }
  std::span<const Variable> scope(std::size_t f) const { return scopes_[f]; }
  std::size_t first_cell(std::size_t f) const { return first_[f]; }
  std::size_t n_cells(std::size_t f) const { return first_[f + 1] - first_[f]; }
  std::size_t n_cells() const { return first_.back(); }

  // The factors that have a variable, and how far one state more leads in the cells of each.
  struct Use {
    std::size_t factor, step;
  };
  std::span<const Use> uses(Variable v) const { return uses_[v]; }

 private:
  std::vector<Arity> arities_;
  std::vector<std::vector<Variable>> scopes_;
  std::vector<std::size_t> first_;
  std::vector<std::vector<Use>> uses_;
};

}  // namespace dagwright
