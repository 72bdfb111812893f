// A Bayesian network as inference sees it: one full table for each family.
#pragma once

#include <cstddef>
#include <span>
#include <stdexcept>
#include <vector>

#include "dagwright/base/types.hpp"

namespace dagwright {

// The evidence has probability zero, so nothing follows from it.
struct ImpossibleEvidence : std::runtime_error {
  ImpossibleEvidence() : std::runtime_error("the evidence has probability zero") {}
};

// A table over some variables; the last one of its scope runs fastest.
struct Factor {
  std::vector<Variable> scope;
  std::vector<double> values;
};

// factors[v] is the family of variable v: its scope is the parents, in any order, and then v.
class Network {
 public:
  // Throws std::invalid_argument if a scope or a number of values does not fit.
  Network(std::vector<Arity> arities, std::vector<Factor> factors);

  std::size_t n_variables() const { return arities_.size(); }
  const std::vector<Arity>& arities() const { return arities_; }
  Arity arity(Variable v) const { return arities_[v]; }
  const Factor& family(Variable v) const { return families_[v]; }
  std::span<const Variable> parents(Variable v) const {
    return std::span(families_[v].scope).first(families_[v].scope.size() - 1);
  }
  // The smallest number above zero in a variable's table.
  double smallest(Variable v) const { return smallest_[v]; }
  // Parents before children.
  const std::vector<Variable>& topological_order() const { return order_; }

 private:
  std::vector<Arity> arities_;
  std::vector<Factor> families_;
  std::vector<double> smallest_;
  std::vector<Variable> order_;
};

}  // namespace dagwright
