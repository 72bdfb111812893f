#include "dagwright/score/penalized.hpp"

#include <cmath>

#include "dagwright/base/order_free_sum.hpp"

namespace dagwright {

SetScore::Values entropy_sums(const FamilyCounts& counts) {
  OrderFreeSum joint, parents;
  counts.for_each_cell([&](Count c, std::size_t, State) { joint.add(c * std::log(c)); });
  counts.for_each_config([&](Count c, std::size_t) { parents.add(c * std::log(c)); });
  return {joint.value(), parents.value()};
}

}  // namespace dagwright
