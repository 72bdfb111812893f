#include "dagwright/markov/gibbs_tables.hpp"

#include <algorithm>
#include <cmath>

namespace dagwright {

GibbsTables::Walker::Walker(const GibbsTables& model, std::vector<std::uint16_t>& states)
    : model_(model), states_(states), cell_(model.scopes_.n_factors()) {
  for (std::size_t f = 0; f < cell_.size(); ++f) cell_[f] = model.scopes_.first_cell(f);
  for (Variable v = 0; v < states.size(); ++v) {
    for (const auto& use : model.scopes_.uses(v)) cell_[use.factor] += use.step * states[v];
  }
}

void GibbsTables::Walker::sweep(Rng& rng) {
  const FactorScopes& scopes = model_.scopes_;
  for (Variable v = 0; v < states_.size(); ++v) {
    const Arity r = scopes.arity(v);
    const std::size_t old = states_[v];
    weights_.assign(r, 0.0);
    for (const auto& use : scopes.uses(v)) {
      const double* row = model_.values_.data() + cell_[use.factor] - use.step * old;
      for (Arity s = 0; s < r; ++s) weights_[s] += row[s * use.step];
    }
    const double largest = *std::max_element(weights_.begin(), weights_.end());
    double total = 0;
    for (double& weight : weights_) total += weight = std::exp(weight - largest);
    double left = rng.uniform() * total;
    std::size_t next = 0;
    for (std::size_t s = 0; s < r; ++s) {
      if (weights_[s] > 0) next = s;  // rounding must not lead to a state that cannot be
      left -= weights_[s];
      if (left < 0) break;
    }
    if (next == old) continue;
    for (const auto& use : scopes.uses(v)) {
      cell_[use.factor] += use.step * next;
      cell_[use.factor] -= use.step * old;
    }
    states_[v] = static_cast<std::uint16_t>(next);
  }
}

void GibbsTables::Walker::count(std::span<std::uint32_t> counts) {
  for (const std::size_t cell : cell_) ++counts[cell];
}

}  // namespace dagwright
