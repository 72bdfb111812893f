// The log marginal likelihood of a family under Dirichlet parameters.
#pragma once

#include "dagwright/score/score.hpp"

namespace dagwright {

// -ln r for every observed configuration: its first row has probability 1/r under symmetric
// parameters and the rest at most 1; less where its rows weigh less than one. More parents split
// configurations, which never lowers the sum.
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
