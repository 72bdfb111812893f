#include "dagwright/score/penalized.hpp"

#include "dagwright/base/order_free_sum.hpp"
#include "dagwright/score/x_log_x.hpp"

namespace dagwright {

SetScore::Values entropy_sums(const FamilyCounts& counts) {
  const XLogX x_log_x;
  OrderFreeSum joint, parents;
  if (counts.is_dense() && x_log_x.knows(counts.total())) {
    // No question asked of each cell: an empty one adds 0. Counts that are not whole show in the end.
    bool whole = true;
    const auto look_up = [&](Count c) {
      const auto number = static_cast<std::int32_t>(c);
      whole &= static_cast<Count>(number) == c;
      return x_log_x.of_whole(static_cast<std::size_t>(number));
    };
    for (const Count c : counts.dense_cells()) joint.add(look_up(c));
    for (const Count c : counts.dense_config_totals()) parents.add(look_up(c));
    if (whole) return {joint.value(), parents.value()};
    joint = parents = {};
  }
  counts.for_each_cell([&](Count c, std::size_t, State) { joint.add(x_log_x(c)); });
  counts.for_each_config([&](Count c, std::size_t) { parents.add(x_log_x(c)); });
  return {joint.value(), parents.value()};
}

}  // namespace dagwright
