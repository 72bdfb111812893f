#include "dagwright/score/penalized.hpp"

#include "dagwright/base/order_free_sum.hpp"
#include "dagwright/score/x_log_x.hpp"

namespace dagwright {

SetScore::Values entropy_sums(const FamilyCounts& counts) {
  const XLogX x_log_x;
  if (x_log_x.knows(counts.total())) {
    // Both sums depend neither on the order of the cells nor on how they are stored. Of each cell no
    // question is asked: an empty one adds 0, and counts that are not whole show in the end.
    bool whole = true;
    const auto look_up = [&](Count c) {
      const auto number = static_cast<std::int32_t>(c);
      whole &= static_cast<Count>(number) == c;
      return x_log_x.in_units(static_cast<std::size_t>(number));
    };
    std::int64_t joint = 0, parents = 0;
    if (counts.is_dense()) {
      for (const Count c : counts.dense_cells()) joint += look_up(c);
      for (const Count c : counts.dense_config_totals()) parents += look_up(c);
    } else {
      counts.for_each_cell([&](Count c, std::size_t, State) { joint += look_up(c); });
      counts.for_each_config([&](Count c, std::size_t) { parents += look_up(c); });
    }
    if (whole) return {XLogX::of_units(joint), XLogX::of_units(parents)};
  }
  OrderFreeSum joint, parents;
  counts.for_each_cell([&](Count c, std::size_t, State) { joint.add(x_log_x(c)); });
  counts.for_each_config([&](Count c, std::size_t) { parents.add(x_log_x(c)); });
  return {joint.value(), parents.value()};
}

}  // namespace dagwright
