// BDe: alpha_ijk = ess * P0(child = k, parents = j) for a prior joint distribution P0.
#pragma once

#include <functional>
#include <vector>

#include "dagwright/score/dirichlet.hpp"

namespace dagwright {

class BDe final : public SetScore {
 public:
  // P0 of the given variables, the last one fastest; all cells are positive. Called on any thread.
  using Marginal = std::function<std::vector<double>(const std::vector<Variable>& variables)>;

  BDe(double ess, Marginal marginal) : ess_(ess), marginal_(std::move(marginal)) {}
  bool score_equivalent() const override { return true; }
  Values set_values(const FamilyCounts& counts) const override;
  // A log probability of rows.
  double upper_bound(const FamilyCounts&) const override { return 0.0; }

 private:
  double ess_;
  Marginal marginal_;
};

// Marginals of a table over all variables, the last one fastest.
BDe::Marginal marginals_of(std::vector<double> joint, std::vector<Arity> arities);

}  // namespace dagwright
