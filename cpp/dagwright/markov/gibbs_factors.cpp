#include "dagwright/markov/gibbs_factors.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "dagwright/markov/count_cells.hpp"

namespace dagwright {

namespace {

constexpr std::size_t kRowsTogether = 4096;

std::variant<GibbsPairs, GibbsTables> model_of(const FactorScopes& scopes) {
  if (GibbsPairs::fits(scopes)) return GibbsPairs(scopes);
  return GibbsTables(scopes);
}

std::vector<std::uint64_t> as_bits(const std::vector<std::vector<std::uint16_t>>& codes,
                                   std::size_t n_rows) {
  const std::size_t n_words = (n_rows + 63) / 64;
  std::vector<std::uint64_t> words(codes.size() * n_words, 0);
  for (std::size_t v = 0; v < codes.size(); ++v) {
    for (std::size_t i = 0; i < n_rows; ++i) {
      words[v * n_words + i / 64] |= static_cast<std::uint64_t>(codes[v][i]) << (i % 64);
    }
  }
  return words;
}

}  // namespace

GibbsChains::GibbsChains(FactorScopes scopes, std::size_t n_chains, std::uint64_t seed)
    : scopes_(std::make_unique<const FactorScopes>(std::move(scopes))), model_(model_of(*scopes_)) {
  for (std::size_t chain = 0; chain < n_chains; ++chain) {
    Rng rng(seed, chain);
    auto& states = states_.emplace_back();
    for (const Arity arity : scopes_->arities()) {
      states.push_back(static_cast<std::uint16_t>(rng.below(arity)));
    }
    rngs_.push_back(rng);
  }
}

void GibbsChains::set_log_values(std::span<const double> log_values) {
  if (log_values.size() != scopes_->n_cells()) throw std::invalid_argument("one number a cell is needed");
  for (const double value : log_values) {
    if (!std::isfinite(value)) throw std::invalid_argument("the numbers of the factors must be finite");
  }
  std::visit([&](auto& model) { model.set_log_values(log_values); }, model_);
}

template <class See, class Finish>
void GibbsChains::walk(std::size_t n_rows, std::size_t thin, const See& see, const Finish& finish,
                       Run& run) {
  auto states = states_;
  auto rngs = rngs_;
  std::visit(
      [&](const auto& model) {
        using Walker = typename std::decay_t<decltype(model)>::Walker;
        run.parallel_for(states.size(), [&](std::size_t chain) {
          Walker walker(model, states[chain]);
          Rng rng = rngs[chain];  // a copy: its neighbours in memory belong to other threads
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
      },
      model_);
  states_ = std::move(states);
  rngs_ = std::move(rngs);
}

std::vector<std::uint32_t> GibbsChains::count(std::size_t n_rows, std::size_t thin, bool by_chain,
                                              Run& run) {
  return by_chain ? count_by_chain(n_rows, thin, run) : count_together(n_rows, thin, run);
}

std::vector<std::uint32_t> GibbsChains::count_by_chain(std::size_t n_rows, std::size_t thin, Run& run) {
  const std::size_t n_cells = scopes_->n_cells();
  std::vector<std::uint32_t> out(states_.size() * n_cells, 0);
  const auto own = [&](std::size_t chain) { return std::span(out).subspan(chain * n_cells, n_cells); };
  walk(
      n_rows, thin,
      [&](std::size_t chain, std::size_t, auto& walker, const auto&) { walker.count(own(chain)); },
      [&](std::size_t chain, auto& walker) { walker.finish(own(chain)); }, run);
  return out;
}

std::vector<std::uint32_t> GibbsChains::count_together(std::size_t n_rows, std::size_t thin, Run& run) {
  std::vector<std::uint32_t> out(scopes_->n_cells(), 0);
  const auto states = states_;
  const auto rngs = rngs_;
  try {
    const std::size_t piece = std::max<std::size_t>(1, kRowsTogether / std::max<std::size_t>(1, states_.size()));
    for (std::size_t done = 0; done < n_rows; done += piece) {
      const std::size_t now = std::min(piece, n_rows - done), all = now * states_.size();
      const auto codes = rows(now, thin, run);
      if (std::holds_alternative<GibbsPairs>(model_)) {
        count_pair_cells(*scopes_, as_bits(codes, all), (all + 63) / 64, all, out);
      } else {
        count_cells(*scopes_, codes, all, out);
      }
    }
  } catch (const Stopped&) {
    states_ = states;
    rngs_ = rngs;
    throw;
  }
  return out;
}

std::vector<std::vector<std::uint16_t>> GibbsChains::rows(std::size_t n_rows, std::size_t thin,
                                                          Run& run) {
  std::vector<std::vector<std::uint16_t>> out(
      scopes_->n_variables(), std::vector<std::uint16_t>(states_.size() * n_rows));
  const auto see = [&](std::size_t chain, std::size_t row, auto&, const auto& states) {
    for (std::size_t v = 0; v < out.size(); ++v) out[v][chain * n_rows + row] = states[v];
  };
  walk(n_rows, thin, see, [](std::size_t, auto&) {}, run);
  return out;
}

}  // namespace dagwright
