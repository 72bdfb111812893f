#include "dagwright/markov/spins.hpp"

#include <cmath>
#include <stdexcept>
#include <utility>

#include "dagwright/base/order_free_sum.hpp"

namespace dagwright {

Spins::Spins(std::size_t n_variables, std::vector<SpinWord> bits, std::vector<double> weights)
    : n_variables_(n_variables),
      n_words_((weights.size() + 63) / 64),
      bits_(std::move(bits)),
      weights_(std::move(weights)) {
  if (bits_.size() != n_variables_ * n_words_) throw std::invalid_argument("one bit a row is needed");
  OrderFreeSum total;
  for (const double weight : weights_) total.add(weight);
  if (!(total.value() > 0) || !std::isfinite(total.value())) {
    throw std::invalid_argument("the weights must add up to a finite number above 0");
  }
  for (double& weight : weights_) weight /= total.value();
  weights_.resize(64 * n_words_, 0.0);
}

}  // namespace dagwright
