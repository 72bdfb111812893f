#include "dagwright/score/penalized.hpp"

#include "dagwright/base/order_free_sum.hpp"
#include "dagwright/score/x_log_x.hpp"

namespace dagwright {

SetScore::Values entropy_sums(const FamilyCounts& counts) {
  const XLogX x_log_x;
  OrderFreeSum joint, parents;
  counts.for_each_cell([&](Count c, std::size_t, State) { joint.add(x_log_x(c)); });
  counts.for_each_config([&](Count c, std::size_t) { parents.add(x_log_x(c)); });
  return {joint.value(), parents.value()};
}

}  // namespace dagwright
