// One chain of Gibbs sampling over factors of any kind: tables are looked up.
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
  // Both, and the states, outlive this.
  GibbsTables(const FactorScopes& scopes, std::span<const double> log_values)
      : scopes_(scopes), values_(log_values) {}

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
    std::vector<double> logs_;
  };

 private:
  const FactorScopes& scopes_;
  std::span<const double> values_;
};

}  // namespace dagwright
