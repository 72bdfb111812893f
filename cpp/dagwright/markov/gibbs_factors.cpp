#include "dagwright/markov/gibbs_factors.hpp"

#include <cmath>
#include <mutex>
#include <stdexcept>
#include <utility>

#include "dagwright/markov/gibbs_pairs.hpp"
#include "dagwright/markov/gibbs_tables.hpp"

namespace dagwright {

GibbsChains::GibbsChains(FactorScopes scopes, std::size_t n_chains, std::uint64_t seed)
    : scopes_(std::move(scopes)), pairs_(GibbsPairs::fits(scopes_)), values_(scopes_.n_cells(), 0.0) {
  for (std::size_t chain = 0; chain < n_chains; ++chain) {
    Rng rng(seed, chain);
    auto& states = states_.emplace_back();
    for (const Arity arity : scopes_.arities()) {
      states.push_back(static_cast<std::uint16_t>(rng.below(arity)));
    }
    rngs_.push_back(rng);
  }
}

void GibbsChains::set_log_values(std::vector<double> log_values) {
  if (log_values.size() != scopes_.n_cells()) throw std::invalid_argument("one number a cell is needed");
  for (const double value : log_values) {
    if (!std::isfinite(value)) throw std::invalid_argument("the numbers of the factors must be finite");
  }
  values_ = std::move(log_values);
}

template <class Model, class See, class Finish>
void GibbsChains::walk(std::size_t n_rows, std::size_t thin, const See& see, const Finish& finish,
                       Run& run) {
  const Model model(scopes_, values_);
  auto states = states_;
  auto rngs = rngs_;
  run.parallel_for(states.size(), [&](std::size_t chain) {
    typename Model::Walker walker(model, states[chain]);
    Rng rng = rngs[chain];  // here and not there: neighbours in memory belong to other threads
    for (std::size_t row = 0; row < n_rows; ++row) {
      for (std::size_t sweep = 0; sweep < thin; ++sweep) {
        run.check_inside();
        walker.sweep(rng);
      }
      see(chain, row, walker, states[chain]);
    }
    finish(chain, walker);
    rngs[chain] = rng;
  });
  states_ = std::move(states);
  rngs_ = std::move(rngs);
}

template <class See, class Finish>
void GibbsChains::walk_any(std::size_t n_rows, std::size_t thin, const See& see, const Finish& finish,
                           Run& run) {
  if (pairs_) {
    walk<GibbsPairs>(n_rows, thin, see, finish, run);
  } else {
    walk<GibbsTables>(n_rows, thin, see, finish, run);
  }
}

std::vector<std::uint32_t> GibbsChains::count(std::size_t n_rows, std::size_t thin, bool by_chain,
                                              Run& run) {
  const std::size_t n_cells = scopes_.n_cells(), n_chains = states_.size();
  std::vector<std::uint32_t> out(by_chain ? n_chains * n_cells : n_cells, 0);
  std::vector<std::vector<std::uint32_t>> own(n_chains);  // of those chains that are at work
  std::mutex adding;
  const auto see = [&](std::size_t chain, std::size_t row, auto& walker, const auto&) {
    if (row == 0) own[chain].assign(n_cells, 0);
    walker.count(own[chain]);
  };
  const auto finish = [&](std::size_t chain, auto& walker) {
    if (n_rows == 0) return;
    walker.finish(own[chain]);
    const std::lock_guard lock(adding);  // sums of whole numbers: the order changes nothing
    std::uint32_t* to = out.data() + (by_chain ? chain * n_cells : 0);
    for (std::size_t cell = 0; cell < n_cells; ++cell) to[cell] += own[chain][cell];
    own[chain] = {};
  };
  walk_any(n_rows, thin, see, finish, run);
  return out;
}

std::vector<std::vector<std::uint16_t>> GibbsChains::rows(std::size_t n_rows, std::size_t thin,
                                                          Run& run) {
  std::vector<std::vector<std::uint16_t>> out(
      scopes_.n_variables(), std::vector<std::uint16_t>(states_.size() * n_rows));
  const auto see = [&](std::size_t chain, std::size_t row, auto&, const auto& states) {
    for (std::size_t v = 0; v < out.size(); ++v) out[v][chain * n_rows + row] = states[v];
  };
  walk_any(n_rows, thin, see, [](std::size_t, auto&) {}, run);
  return out;
}

}  // namespace dagwright
