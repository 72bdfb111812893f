#include "dagwright/data/table.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "dagwright/base/order_free_sum.hpp"
#include "dagwright/data/histogram.hpp"

namespace dagwright {

namespace {

void check(const std::vector<double>& weights, std::size_t n_rows) {
  if (weights.empty()) return;
  if (weights.size() != n_rows) throw std::invalid_argument("one weight a row is needed");
  for (const double w : weights) {
    if (!std::isfinite(w) || w < 0) throw std::invalid_argument("weights are finite and >= 0");
  }
}

// Rounds weights to multiples of a unit so small that all sums of them are exact: counts are then the
// same to the last bit for any order of rows, and as margins of larger tables. A weight changes by less
// than the last digit of the total; whole numbers do not change.
std::vector<double> exactly_summable(std::vector<double> weights) {
  OrderFreeSum sum;
  for (const double weight : weights) sum.add(weight);
  const double total = sum.value();
  if (!(total > 0) || !std::isfinite(total)) return weights;
  if (std::all_of(weights.begin(), weights.end(), [](double w) { return w == std::floor(w); })) {
    return weights;
  }
  // One binary digit is spared: the rounded weights may add up to a little more.
  const int digits = std::numeric_limits<double>::digits - 1;
  const double unit = std::ldexp(1.0, std::ilogb(total) + 1 - digits);
  if (unit == 0.0) return weights;
  for (double& weight : weights) weight = std::nearbyint(weight / unit) * unit;
  return weights;
}

Count sum_of(const std::vector<double>& weights, std::size_t n_rows) {
  return weights.empty() ? static_cast<Count>(n_rows)
                         : std::accumulate(weights.begin(), weights.end(), 0.0);
}

}  // namespace

Table::Table(std::vector<Codes> codes, std::vector<Arity> arities, std::size_t n_rows,
             std::vector<double> weights, std::shared_ptr<const void> owner)
    : codes_(std::move(codes)),
      arities_(std::move(arities)),
      n_rows_(n_rows),
      owner_(std::move(owner)) {
  check(weights, n_rows_);
  weights_ = exactly_summable(std::move(weights));
  total_ = sum_of(weights_, n_rows_);
  if (codes_.size() != arities_.size()) throw std::invalid_argument("one arity a variable is needed");
  for (std::size_t v = 0; v < codes_.size(); ++v) {
    if (arities_[v] == 0 || arities_[v] > kMaxArity) throw std::invalid_argument("arity out of range");
    const State largest = codes_[v].visit([&](const auto* c) -> State {
      return n_rows_ == 0 ? 0 : *std::max_element(c, c + n_rows_);
    });
    if (largest >= arities_[v]) throw std::invalid_argument("a code is not below its arity");
  }
}

std::vector<Count> Table::state_totals(Variable v) const {
  std::vector<Count> totals(arities_[v], 0.0);
  codes_[v].visit([&](const auto* codes) {
    if (weights_.empty()) {
      const auto rows = histogram(codes, n_rows_, arities_[v]);
      std::copy(rows.begin(), rows.end(), totals.begin());
    } else {
      for (std::size_t row = 0; row < n_rows_; ++row) totals[codes[row]] += weights_[row];
    }
  });
  return totals;
}

Table Table::reordered(const std::vector<Variable>& order) const {
  Table copy = *this;
  copy.codes_.clear();
  copy.arities_.clear();
  for (const Variable v : order) {
    copy.codes_.push_back(codes_.at(v));
    copy.arities_.push_back(arities_.at(v));
  }
  return copy;
}

Table Table::reweighted(std::vector<double> weights) const {
  Table copy = *this;
  check(weights, n_rows_);
  copy.weights_ = exactly_summable(std::move(weights));
  copy.total_ = sum_of(copy.weights_, n_rows_);
  return copy;
}

}  // namespace dagwright
