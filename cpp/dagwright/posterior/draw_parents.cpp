#include "dagwright/posterior/draw_parents.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace dagwright {

std::size_t drawn_place(const std::vector<double>& cumulative, double number) {
  if (cumulative.empty() || !(cumulative.back() > 0)) {
    throw std::logic_error("nothing to draw from");
  }
  auto place = std::upper_bound(cumulative.begin(), cumulative.end(), number);
  if (place == cumulative.end()) {
    place = std::lower_bound(cumulative.begin(), cumulative.end(), cumulative.back());
  }
  return static_cast<std::size_t>(place - cumulative.begin());
}

std::vector<Set> draw_parents(const ChildWeights& child, Set before,
                              const std::function<double(Set)>& log_more,
                              std::span<const double> uniforms) {
  std::vector<Set> fitting;
  std::vector<double> cumulative;  // logs at first
  double largest = -std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < child.sets.size(); ++i) {
    if (!fits_before(child, child.sets[i], before)) continue;
    fitting.push_back(child.sets[i]);
    cumulative.push_back(child.logs[i] + log_more(child.sets[i]));
    largest = std::max(largest, cumulative.back());
  }
  double sum = 0;
  for (double& entry : cumulative) entry = sum += std::exp(entry - largest);
  std::vector<Set> drawn;
  for (const double uniform : uniforms) {
    drawn.push_back(fitting[drawn_place(cumulative, uniform * sum)]);
  }
  return drawn;
}

}  // namespace dagwright
