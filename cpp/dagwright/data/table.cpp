#include "dagwright/data/table.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <utility>

namespace dagwright {

namespace {

Count sum_of(const std::vector<double>& weights, std::size_t n_rows) {
  if (weights.empty()) return static_cast<Count>(n_rows);
  if (weights.size() != n_rows) throw std::invalid_argument("one weight a row is needed");
  for (const double w : weights) {
    if (!std::isfinite(w) || w < 0) throw std::invalid_argument("weights are finite and >= 0");
  }
  return std::accumulate(weights.begin(), weights.end(), 0.0);
}

}  // namespace

Table::Table(std::vector<Codes> codes, std::vector<Arity> arities, std::size_t n_rows,
             std::vector<double> weights, std::shared_ptr<const void> owner)
    : codes_(std::move(codes)),
      arities_(std::move(arities)),
      n_rows_(n_rows),
      weights_(std::move(weights)),
      owner_(std::move(owner)),
      total_(sum_of(weights_, n_rows_)) {
  if (codes_.size() != arities_.size()) throw std::invalid_argument("one arity a variable is needed");
  for (std::size_t v = 0; v < codes_.size(); ++v) {
    if (arities_[v] == 0 || arities_[v] > kMaxArity) throw std::invalid_argument("arity out of range");
    const State largest = codes_[v].visit([&](const auto* c) -> State {
      return n_rows_ == 0 ? 0 : *std::max_element(c, c + n_rows_);
    });
    if (largest >= arities_[v]) throw std::invalid_argument("a code is not below its arity");
  }
}

Table Table::reweighted(std::vector<double> weights) const {
  Table copy = *this;
  copy.total_ = sum_of(weights, n_rows_);
  copy.weights_ = std::move(weights);
  return copy;
}

}  // namespace dagwright
