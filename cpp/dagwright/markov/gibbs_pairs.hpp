// One chain of Gibbs sampling over pairs of variables of two states, as in an Ising model: what each
// variable feels of the others is kept, and changes only when one of them does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dagwright/base/rng.hpp"
#include "dagwright/markov/factor_scopes.hpp"

namespace dagwright {

class GibbsPairs {
 public:
  // Whether no factor has more than two variables, and all variables have two states; those that no
  // factor has may have one.
  static bool fits(const FactorScopes& scopes);

  // The scopes, and the states, outlive this. The numbers are finite.
  GibbsPairs(const FactorScopes& scopes, std::span<const double> log_values);

  class Walker {
   public:
    Walker(const GibbsPairs& model, std::vector<std::uint16_t>& states);
    void sweep(Rng& rng);
    // Rows are put beside each other as bits; `finish` counts those that are left.
    void count(std::span<std::uint32_t> counts);
    void finish(std::span<std::uint32_t> counts);

   private:
    const GibbsPairs& model_;
    std::vector<std::uint16_t>& states_;
    std::vector<double> fields_;       // log odds of state 1 given all others
    std::vector<std::uint64_t> rows_;  // by variable: the last rows, a bit each
    std::uint32_t n_rows_ = 0;
  };

 private:
  struct Neighbour {
    Variable variable;
    double coupling;
  };
  const FactorScopes& scopes_;
  std::vector<Variable> free_;  // of two states
  // In states 0 and 1, up to a constant: fields of the variables, couplings of pairs.
  std::vector<double> fields_;
  std::vector<std::vector<Neighbour>> neighbours_;
};

}  // namespace dagwright
