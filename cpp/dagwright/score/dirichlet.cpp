#include "dagwright/score/dirichlet.hpp"

#include <algorithm>
#include <cmath>

#include "dagwright/score/log_gamma.hpp"

namespace dagwright {

double symmetric_upper_bound(const FamilyCounts& counts) {
  double n_rows = 0;
  counts.for_each_cell([&](Count c, std::size_t, State) { n_rows += std::min(1.0, c); });
  return -n_rows * std::log(static_cast<double>(counts.shape().child_arity));
}

double SymmetricDirichlet::local(const FamilyCounts& counts) const {
  double sum = 0;
  const LogGammaRatio of_cell(alpha_);
  const LogGammaRatio of_config(alpha_ * counts.shape().child_arity);
  counts.for_each_cell([&](Count c, std::size_t, State) { sum += of_cell(c); });
  counts.for_each_config([&](Count c, std::size_t) { sum -= of_config(c); });
  return sum;
}

}  // namespace dagwright
