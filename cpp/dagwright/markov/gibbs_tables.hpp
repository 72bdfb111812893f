// Gibbs sampling over factors of any kind: tables are looked up.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dagwright/base/rng.hpp"
#include "dagwright/markov/factor_scopes.hpp"

namespace dagwright {

class GibbsTables {
 public:
  // The scopes outlive this.
  explicit GibbsTables(const FactorScopes& scopes)
      : scopes_(scopes), values_(scopes.n_cells(), 0.0) {}
  void set_log_values(std::span<const double> log_values) {
    values_.assign(log_values.begin(), log_values.end());
  }

  // One chain; the states outlive it.
  class Walker {
   public:
    Walker(const GibbsTables& model, std::vector<std::uint16_t>& states);
    void sweep(Rng& rng);
    // Adds one to the cell of each factor where the states are.
    void count(std::span<std::uint32_t> counts);
    void finish(std::span<std::uint32_t>) {}

   private:
    const GibbsTables& model_;
    std::vector<std::uint16_t>& states_;
    std::vector<std::size_t> cell_;  // of each factor, in the array of all
    std::vector<double> weights_;
  };

 private:
  const FactorScopes& scopes_;
  std::vector<double> values_;
};

}  // namespace dagwright
