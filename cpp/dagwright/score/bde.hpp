// BDe: alpha_ijk = ess * P0(child = k, parents = j) for a prior joint distribution P0.
#pragma once

#include <vector>

#include "dagwright/score/dirichlet.hpp"

namespace dagwright {

class BDe final : public SetScore {
 public:
  // `joint` has one probability for each cell of the table over all variables, the last variable
  // fastest; all are positive.
  BDe(double ess, std::vector<double> joint, std::vector<Arity> arities);
  bool score_equivalent() const override { return true; }
  Values set_values(const FamilyCounts& counts) const override;
  // A log probability of rows.
  double upper_bound(const FamilyCounts&) const override { return 0.0; }

 private:
  // P0 of the given variables, the last one fastest.
  std::vector<double> marginal(const std::vector<Variable>& variables) const;

  double ess_;
  std::vector<double> joint_;
  std::vector<Arity> arities_;
};

}  // namespace dagwright
