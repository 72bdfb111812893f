#include "dagwright/markov/gibbs_pairs.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace dagwright {

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

GibbsPairs::GibbsPairs(const FactorScopes& scopes, std::span<const double> log_values)
    : scopes_(scopes), fields_(scopes.n_variables(), 0.0), neighbours_(scopes.n_variables()) {
  for (Variable v = 0; v < scopes.n_variables(); ++v) {
    if (scopes.arity(v) == 2) free_.push_back(v);
  }
  for (std::size_t f = 0; f < scopes.n_factors(); ++f) {
    const auto scope = scopes.scope(f);
    const double* at = log_values.data() + scopes.first_cell(f);
    if (scope.size() == 1) fields_[scope[0]] += at[1] - at[0];
    if (scope.size() == 2) {
      fields_[scope[0]] += at[2] - at[0];
      fields_[scope[1]] += at[1] - at[0];
      const double coupling = (at[3] - at[2]) - (at[1] - at[0]);
      if (coupling == 0) continue;
      neighbours_[scope[0]].push_back({scope[1], coupling});
      neighbours_[scope[1]].push_back({scope[0], coupling});
    }
  }
}

GibbsPairs::Walker::Walker(const GibbsPairs& model, std::vector<std::uint16_t>& states)
    : model_(model), states_(states), fields_(model.fields_), rows_(states.size(), 0) {
  for (Variable v = 0; v < states.size(); ++v) {
    if (states[v] == 0) continue;
    for (const Neighbour& other : model.neighbours_[v]) fields_[other.variable] += other.coupling;
  }
}

void GibbsPairs::Walker::sweep(Rng& rng) {
  for (const Variable v : model_.free_) {
    const std::uint16_t next = rng.uniform() * (1 + std::exp(fields_[v])) >= 1;
    if (next == states_[v]) continue;
    states_[v] = next;
    const double sign = next == 1 ? 1.0 : -1.0;
    for (const Neighbour& other : model_.neighbours_[v]) {
      fields_[other.variable] += sign * other.coupling;
    }
  }
}

void GibbsPairs::Walker::count(std::span<std::uint32_t> counts) {
  for (Variable v = 0; v < states_.size(); ++v) {
    rows_[v] |= static_cast<std::uint64_t>(states_[v]) << n_rows_;
  }
  if (++n_rows_ == 64) finish(counts);
}

void GibbsPairs::Walker::finish(std::span<std::uint32_t> counts) {
  if (n_rows_ == 0) return;
  std::vector<std::uint32_t> ones(rows_.size());
  for (std::size_t v = 0; v < rows_.size(); ++v) {
    ones[v] = static_cast<std::uint32_t>(std::popcount(rows_[v]));
  }
  for (std::size_t f = 0; f < model_.scopes_.n_factors(); ++f) {
    const auto scope = model_.scopes_.scope(f);
    std::uint32_t* at = counts.data() + model_.scopes_.first_cell(f);
    if (scope.empty()) {
      at[0] += n_rows_;
    } else if (scope.size() == 1) {
      at[0] += n_rows_ - ones[scope[0]];
      at[1] += ones[scope[0]];
    } else {
      const auto both =
          static_cast<std::uint32_t>(std::popcount(rows_[scope[0]] & rows_[scope[1]]));
      const std::uint32_t first = ones[scope[0]], second = ones[scope[1]];
      at[0] += n_rows_ + both - first - second;
      at[1] += second - both;
      at[2] += first - both;
      at[3] += both;
    }
  }
  std::fill(rows_.begin(), rows_.end(), 0);
  n_rows_ = 0;
}

}  // namespace dagwright
