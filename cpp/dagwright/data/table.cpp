#include "dagwright/data/table.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "dagwright/data/histogram.hpp"
#include "dagwright/data/weight_unit.hpp"

namespace dagwright {

namespace {

void check(const std::vector<double>& weights, std::size_t n_rows) {
  if (weights.empty()) return;
  if (weights.size() != n_rows) throw std::invalid_argument("one weight a row is needed");
  for (const double w : weights) {
    if (!std::isfinite(w) || w < 0) throw std::invalid_argument("weights are finite and >= 0");
  }
}

}  // namespace

Table::Table(std::vector<Codes> codes, std::vector<Arity> arities, std::size_t n_rows,
             std::vector<double> weights, std::shared_ptr<const void> owner)
    : codes_(std::move(codes)),
      arities_(std::move(arities)),
      n_rows_(n_rows),
      owner_(std::move(owner)) {
  set_weights(std::move(weights));
  if (codes_.size() != arities_.size()) throw std::invalid_argument("one arity a variable is needed");
  for (std::size_t v = 0; v < codes_.size(); ++v) {
    if (arities_[v] == 0 || arities_[v] > kMaxArity) throw std::invalid_argument("arity out of range");
    const State largest = codes_[v].visit([&](const auto* c) -> State {
      return n_rows_ == 0 ? 0 : *std::max_element(c, c + n_rows_);
    });
    if (largest >= arities_[v]) throw std::invalid_argument("a code is not below its arity");
    histograms_.push_back(std::make_shared<Histogram>());
  }
}

void Table::set_weights(std::vector<double> weights) {
  check(weights, n_rows_);
  weights_ = std::make_shared<const std::vector<double>>(exactly_summable(std::move(weights)));
  total_ = weights_->empty() ? static_cast<Count>(n_rows_)
                             : std::accumulate(weights_->begin(), weights_->end(), 0.0);
}

const std::vector<std::uint64_t>& Table::rows_by_state(Variable v) const {
  Histogram& own = *histograms_[v];
  std::call_once(own.once, [&] {
    codes_[v].visit([&](const auto* c) { own.rows = histogram(c, n_rows_, arities_[v]); });
  });
  return own.rows;
}

std::vector<Count> Table::state_totals(Variable v) const {
  std::vector<Count> totals(arities_[v], 0.0);
  if (weights_->empty()) {
    const auto& rows = rows_by_state(v);
    std::copy(rows.begin(), rows.end(), totals.begin());
    return totals;
  }
  codes_[v].visit([&](const auto* codes) {
    for (std::size_t row = 0; row < n_rows_; ++row) totals[codes[row]] += (*weights_)[row];
  });
  return totals;
}

Table Table::reordered(const std::vector<Variable>& order) const {
  Table copy = *this;
  copy.codes_.clear();
  copy.arities_.clear();
  copy.histograms_.clear();
  for (const Variable v : order) {
    copy.codes_.push_back(codes_.at(v));
    copy.histograms_.push_back(histograms_.at(v));
    copy.arities_.push_back(arities_.at(v));
  }
  return copy;
}

Table Table::reweighted(std::vector<double> weights) const {
  Table copy = *this;
  copy.set_weights(std::move(weights));
  return copy;
}

}  // namespace dagwright
