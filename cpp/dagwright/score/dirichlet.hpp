// The log marginal likelihood of a family under Dirichlet parameters.
#pragma once

#include "dagwright/score/score.hpp"

namespace dagwright {

// -ln r for every observed cell: the first row of a state has at most the probability 1/r under
// symmetric parameters, whatever came before, and others of it at most 1; less where the rows of a cell
// weigh less than one. More parents split cells, which never lowers their number.
double symmetric_upper_bound(const FamilyCounts& counts);

// Every alpha_ijk the same number. Not score-equivalent.
class SymmetricDirichlet : public Score {
 public:
  explicit SymmetricDirichlet(double alpha) : alpha_(alpha) {}
  double local(const FamilyCounts& counts) const override;
  double upper_bound(const FamilyCounts& counts) const override {
    return symmetric_upper_bound(counts);
  }

 private:
  double alpha_;
};

}  // namespace dagwright
