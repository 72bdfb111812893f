// Gibbs sampling over pairs of variables of two states, as in an Ising model: what each variable feels of
// the others is kept, and changes only when one of them does.
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

  // The scopes outlive this.
  explicit GibbsPairs(const FactorScopes& scopes);
  void set_log_values(std::span<const double> log_values);  // finite

  // One chain; the states outlive it.
  class Walker {
   public:
    Walker(const GibbsPairs& model, std::vector<std::uint16_t>& states);
    void sweep(Rng& rng);
    // Rows are put beside each other as bits; `finish` counts those that are left.
    void count(std::span<std::uint32_t> counts);
    void finish(std::span<std::uint32_t> counts);

   private:
    void flipped(Variable v);  // all others feel it

    const GibbsPairs& model_;
    std::vector<std::uint16_t>& states_;
    std::vector<double> fields_;       // log odds of state 1 given all others
    std::vector<std::uint64_t> rows_;  // by variable: the last rows, a bit each
    std::size_t n_rows_ = 0;
  };

 private:
  const FactorScopes& scopes_;
  std::vector<Variable> free_;  // of two states
  // In states 0 and 1, up to a constant: fields of the variables, couplings of pairs. The neighbours of v
  // are at first_[v] .. first_[v + 1]; a factor of two variables is at two places.
  std::vector<double> fields_;
  std::vector<std::size_t> first_;
  std::vector<Variable> neighbours_;
  std::vector<double> couplings_;
  std::vector<std::size_t> places_;  // of the factors of two variables, one after the other
  // Where most pairs are neighbours, all couplings of v, from v * n on: faster than going from one
  // neighbour to the next. Else empty.
  std::vector<double> rows_;
};

}  // namespace dagwright
