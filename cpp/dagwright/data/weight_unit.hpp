// Row weights that add up exactly.
#pragma once

#include <cmath>
#include <limits>
#include <vector>

#include "dagwright/base/order_free_sum.hpp"

namespace dagwright {

// Weights are rounded to multiples of a unit so small that all sums of them are exact: counts are then
// the same to the last bit for any order of rows, in one piece or in chunks, and as margins of larger
// tables. A weight changes by less than the last digit of the total; whole numbers do not change.
// The unit is that of all rows, so every weight is added before the first is rounded. Rounding some of
// the rows once more, to a unit of their own, changes nothing: theirs is a fraction of this one.
class WeightUnit {
 public:
  void add(double weight) {
    sum_.add(weight);
    whole_ = whole_ && weight == std::floor(weight);
  }

  // 0 when the weights add up exactly as they are.
  double value() const {
    constexpr int kDigits = std::numeric_limits<double>::digits;
    const double total = sum_.value();
    if (!(total > 0) || !std::isfinite(total)) return 0.0;
    if (whole_ && total < std::ldexp(1.0, kDigits)) return 0.0;
    // One binary digit is spared: the rounded weights may add up to a little more.
    return std::ldexp(1.0, std::ilogb(total) + 2 - kDigits);
  }

  std::vector<double> round(std::vector<double> weights) const {
    const double unit = value();
    if (unit == 0.0) return weights;
    for (double& weight : weights) weight = std::nearbyint(weight / unit) * unit;
    return weights;
  }

 private:
  OrderFreeSum sum_;
  bool whole_ = true;
};

inline std::vector<double> exactly_summable(std::vector<double> weights) {
  WeightUnit unit;
  for (const double weight : weights) unit.add(weight);
  return unit.round(std::move(weights));
}

}  // namespace dagwright
