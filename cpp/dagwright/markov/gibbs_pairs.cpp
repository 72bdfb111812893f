#include "dagwright/markov/gibbs_pairs.hpp"

#include <algorithm>
#include <cmath>

#include "dagwright/markov/count_cells.hpp"

namespace dagwright {

namespace {

constexpr std::size_t kDense = 3;  // a neighbour costs as much as so many numbers in a row

}  // namespace

bool GibbsPairs::fits(const FactorScopes& scopes) {
  for (Variable v = 0; v < scopes.n_variables(); ++v) {
    const bool alone = scopes.arity(v) == 1 && scopes.uses(v).empty();
    if (scopes.arity(v) != 2 && !alone) return false;
  }
  for (std::size_t f = 0; f < scopes.n_factors(); ++f) {
    if (scopes.scope(f).size() > 2) return false;
  }
  return true;
}

GibbsPairs::GibbsPairs(const FactorScopes& scopes)
    : scopes_(scopes), fields_(scopes.n_variables(), 0.0), first_(scopes.n_variables() + 1, 0) {
  for (Variable v = 0; v < scopes.n_variables(); ++v) {
    if (scopes.arity(v) == 2) free_.push_back(v);
    first_[v + 1] = first_[v];
    for (const auto& use : scopes.uses(v)) first_[v + 1] += scopes.scope(use.factor).size() == 2;
  }
  neighbours_.resize(first_.back());
  couplings_.assign(first_.back(), 0.0);
  auto next = first_;
  for (std::size_t f = 0; f < scopes.n_factors(); ++f) {
    const auto scope = scopes.scope(f);
    if (scope.size() != 2) continue;
    for (const int side : {0, 1}) {
      places_.push_back(next[scope[side]]++);
      neighbours_[places_.back()] = scope[1 - side];
    }
  }
  const std::size_t n = scopes.n_variables();
  if (kDense * neighbours_.size() > n * n) rows_.assign(n * n, 0.0);
}

void GibbsPairs::set_log_values(std::span<const double> log_values) {
  std::fill(fields_.begin(), fields_.end(), 0.0);
  std::size_t place = 0;
  for (std::size_t f = 0; f < scopes_.n_factors(); ++f) {
    const auto scope = scopes_.scope(f);
    const double* at = log_values.data() + scopes_.first_cell(f);
    if (scope.size() == 1) fields_[scope[0]] += at[1] - at[0];
    if (scope.size() == 2) {
      fields_[scope[0]] += at[2] - at[0];
      fields_[scope[1]] += at[1] - at[0];
      const double coupling = (at[3] - at[2]) - (at[1] - at[0]);
      couplings_[places_[place++]] = coupling;
      couplings_[places_[place++]] = coupling;
    }
  }
  if (rows_.empty()) return;
  std::fill(rows_.begin(), rows_.end(), 0.0);
  const std::size_t n = fields_.size();
  for (std::size_t v = 0; v < n; ++v) {
    for (std::size_t k = first_[v]; k < first_[v + 1]; ++k) {
      rows_[v * n + neighbours_[k]] += couplings_[k];
    }
  }
}

GibbsPairs::Walker::Walker(const GibbsPairs& model, std::vector<std::uint16_t>& states)
    : model_(model), states_(states), fields_(model.fields_), rows_(states.size(), 0) {
  for (Variable v = 0; v < states.size(); ++v) {
    if (states[v] == 1) flipped(v);
  }
}

void GibbsPairs::Walker::flipped(Variable v) {
  const double sign = states_[v] == 1 ? 1.0 : -1.0;
  if (!model_.rows_.empty()) {
    const std::size_t n = fields_.size();
    const double* row = model_.rows_.data() + v * n;
    double* fields = fields_.data();
    for (std::size_t u = 0; u < n; ++u) fields[u] += sign * row[u];
    return;
  }
  for (std::size_t k = model_.first_[v]; k < model_.first_[v + 1]; ++k) {
    fields_[model_.neighbours_[k]] += sign * model_.couplings_[k];
  }
}

void GibbsPairs::Walker::sweep(Rng& rng) {
  for (const Variable v : model_.free_) {
    const std::uint16_t next = rng.uniform() * (1 + std::exp(fields_[v])) >= 1;
    if (next == states_[v]) continue;
    states_[v] = next;
    flipped(v);
  }
}

void GibbsPairs::Walker::count(std::span<std::uint32_t> counts) {
  for (std::size_t v = 0; v < states_.size(); ++v) {
    rows_[v] |= static_cast<std::uint64_t>(states_[v]) << n_rows_;
  }
  if (++n_rows_ == 64) finish(counts);
}

void GibbsPairs::Walker::finish(std::span<std::uint32_t> counts) {
  count_pair_cells(model_.scopes_, rows_, 1, n_rows_, counts);
  std::fill(rows_.begin(), rows_.end(), 0);
  n_rows_ = 0;
}

}  // namespace dagwright
