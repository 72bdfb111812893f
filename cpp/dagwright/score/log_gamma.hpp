// ln Gamma, fast and safe to call from any thread (std::lgamma writes a global).
#pragma once

#include <cmath>

#include "dagwright/base/types.hpp"

namespace dagwright {

// ln Gamma(x) - ((x - 1/2) ln x - x + ln(2 pi) / 2) for x >= 10.
inline double stirling_series(double x) {
  const double inverse = 1.0 / x;
  const double square = inverse * inverse;
  return inverse *
         (1.0 / 12 -
          square *
              (1.0 / 360 -
               square * (1.0 / 1260 -
                         square * (1.0 / 1680 - square * (1.0 / 1188 - square * 691.0 / 360360)))));
}

// For x > 0, right to about 1e-14: Stirling's series from 10 on, the recurrence below.
inline double log_gamma(double x) {
  double product = 1.0;  // x (x + 1) ... as far as 10
  for (; x < 10.0; x += 1.0) product *= x;
  const double half_log_two_pi = 0.91893853320467274178;
  const double value = (x - 0.5) * std::log(x) - x + half_log_two_pi + stirling_series(x);
  return product == 1.0 ? value : value - std::log(product);
}

// ln Gamma(alpha + count) - ln Gamma(alpha) for many counts and one alpha; exactly 0 for a count of 0.
class LogGammaRatio {
 public:
  explicit LogGammaRatio(double alpha)
      : alpha_(alpha), log_gamma_(alpha < 10.0 ? log_gamma(alpha) : 0.0) {}

  double operator()(Count count) const {
    if (alpha_ >= 10.0) {  // the difference of the two series: nothing cancels, however large alpha
      const double sum = alpha_ + count;
      return (alpha_ - 0.5) * std::log1p(count / alpha_) + count * (std::log(sum) - 1.0) +
             (stirling_series(sum) - stirling_series(alpha_));
    }
    if (count < 10.0 && count == std::floor(count)) {  // most cells: one logarithm of a product
      double product = 1.0;
      for (int i = 0; i < static_cast<int>(count); ++i) product *= alpha_ + i;
      return std::log(product);
    }
    return log_gamma(alpha_ + count) - log_gamma_;
  }

 private:
  double alpha_;
  double log_gamma_;
};

}  // namespace dagwright
