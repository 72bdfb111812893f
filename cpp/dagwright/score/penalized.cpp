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
  OrderFreeSum joint, parents;
  if (counts.is_dense() && counts.total() < static_cast<double>(table.size())) {
    // No question asked of each cell: an empty one adds 0. Counts that are not whole show in the end.
    bool whole = true;
    const auto look_up = [&](Count c) {
      const auto number = static_cast<std::int32_t>(c);
      whole &= static_cast<Count>(number) == c;
      return table[static_cast<std::size_t>(number)];
    };
    for (const Count c : counts.dense_cells()) joint.add(look_up(c));
    for (const Count c : counts.dense_config_totals()) parents.add(look_up(c));
    if (whole) return {joint.value(), parents.value()};
    joint = parents = {};
  }
  const auto x_log_x = [&](Count c) {
    if (c < static_cast<double>(table.size())) {
      const auto whole = static_cast<std::size_t>(c);
      if (static_cast<double>(whole) == c) return table[whole];
    }
    return c * std::log(c);
  };
  counts.for_each_cell([&](Count c, std::size_t, State) { joint.add(x_log_x(c)); });
  counts.for_each_config([&](Count c, std::size_t) { parents.add(x_log_x(c)); });
  return {joint.value(), parents.value()};
}

}  // namespace dagwright
