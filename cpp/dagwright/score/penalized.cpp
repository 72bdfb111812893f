#include "dagwright/score/penalized.hpp"

#include <cmath>

namespace dagwright {

SetScore::Values entropy_sums(const FamilyCounts& counts) {
  SetScore::Values sums{0.0, 0.0};
  counts.for_each_cell([&](Count c, std::size_t, State) { sums.joint += c * std::log(c); });
  counts.for_each_config([&](Count c, std::size_t) { sums.parents += c * std::log(c); });
  return sums;
}

}  // namespace dagwright
