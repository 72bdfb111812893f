#include "dagwright/score/penalized.hpp"

#include <cmath>
#include <vector>

#include "dagwright/base/order_free_sum.hpp"

namespace dagwright {

namespace {

// c ln c of the counts that most cells have: whole numbers below 65536.
const std::vector<double>& x_log_x_table() {
  static const std::vector<double> table = [] {
    std::vector<double> values(65536, 0.0);
    for (std::size_t i = 1; i < values.size(); ++i) {
      values[i] = static_cast<double>(i) * std::log(static_cast<double>(i));
    }
    return values;
  }();
  return table;
}

}  // namespace

SetScore::Values entropy_sums(const FamilyCounts& counts) {
  const std::vector<double>& table = x_log_x_table();
  const auto x_log_x = [&](Count c) {
    if (c < static_cast<double>(table.size())) {
      const auto whole = static_cast<std::size_t>(c);
      if (static_cast<double>(whole) == c) return table[whole];
    }
    return c * std::log(c);
  };
  OrderFreeSum joint, parents;
  counts.for_each_cell([&](Count c, std::size_t, State) { joint.add(x_log_x(c)); });
  counts.for_each_config([&](Count c, std::size_t) { parents.add(x_log_x(c)); });
  return {joint.value(), parents.value()};
}

}  // namespace dagwright
