// Several chains of Gibbs sampling over a product of factors: one variable after the other is drawn
// given all others. The numbers of the factors may change between calls while the chains go on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <variant>
#include <vector>

#include "dagwright/base/rng.hpp"
#include "dagwright/base/run.hpp"
#include "dagwright/markov/factor_scopes.hpp"
#include "dagwright/markov/gibbs_pairs.hpp"
#include "dagwright/markov/gibbs_tables.hpp"

namespace dagwright {

class GibbsChains {
 public:
  // Chains start where every state is as probable as the others; all numbers of the factors are 0. What
  // a chain does is a function of the seed, of its number and of the calls before.
  GibbsChains(FactorScopes scopes, std::size_t n_chains, std::uint64_t seed);

  // One number a cell, all finite: throws std::invalid_argument else.
  void set_log_values(std::span<const double> log_values);

  // Each chain makes `n_rows` times `thin` sweeps, and counts the cells where it is after every `thin`
  // of them: by chain and cell, or by cell alone, all chains together. If the run ends first, Stopped is
  // thrown and the chains are where they were.
  std::vector<std::uint32_t> count(std::size_t n_rows, std::size_t thin, bool by_chain, Run& run);

  // The same, and returns the rows: by variable, chain and row.
  std::vector<std::vector<std::uint16_t>> rows(std::size_t n_rows, std::size_t thin, Run& run);

 private:
  // see(chain, row, walker, states) after every `thin` sweeps, finish(chain, walker) at the end.
  template <class See, class Finish>
  void walk(std::size_t n_rows, std::size_t thin, const See& see, const Finish& finish, Run& run);
  std::vector<std::uint32_t> count_by_chain(std::size_t n_rows, std::size_t thin, Run& run);
  std::vector<std::uint32_t> count_together(std::size_t n_rows, std::size_t thin, Run& run);

  std::unique_ptr<const FactorScopes> scopes_;  // stays where it is when this is moved
  std::variant<GibbsPairs, GibbsTables> model_;
  std::vector<std::vector<std::uint16_t>> states_;
  std::vector<Rng> rngs_;
};

}  // namespace dagwright
