#include "dagwright/score/dirichlet.hpp"

#include <math.h>

#include <cmath>

namespace dagwright {

namespace {
// std::lgamma writes a global sign; threads need the version that does not.
double log_gamma(double x) {
  int sign = 0;
  return ::lgamma_r(x, &sign);
}
}  // namespace

double log_gamma_ratio(double alpha, Count count) {
  return count == 0 ? 0.0 : log_gamma(alpha + count) - log_gamma(alpha);
}

double symmetric_upper_bound(const FamilyCounts& counts) {
  double n_observed = 0;
  counts.for_each_config([&](Count, std::size_t) { n_observed += 1; });
  return -n_observed * std::log(static_cast<double>(counts.shape().child_arity));
}

double SymmetricDirichlet::local(const FamilyCounts& counts) const {
  double sum = 0;
  const double config_alpha = alpha_ * counts.shape().child_arity;
  counts.for_each_cell([&](Count c, std::size_t, State) { sum += log_gamma_ratio(alpha_, c); });
  counts.for_each_config([&](Count c, std::size_t) { sum -= log_gamma_ratio(config_alpha, c); });
  return sum;
}

}  // namespace dagwright
