// What each edge gains alone: the gains of a graph without edges are those of pairs, counted together.
#pragma once

#include <algorithm>
#include <cstddef>

#include "dagwright/base/run.hpp"
#include "dagwright/score/scorer.hpp"

namespace dagwright {

// Calls use(parent, child, gain) for all pairs of different variables, in a fixed order. They come in
// tiles, so that a table of all pairs that is filled with them stays in the cache.
template <class Use>
void empty_graph_gains(const Scorer& scorer, Run& run, Use&& use) {
  constexpr std::size_t kMostPairs = 4'000'000;  // at a time: 32 MB
  constexpr Variable kTile = 32;
  const auto n = static_cast<Variable>(scorer.n_variables());
  const auto n_rows = std::max(kTile, static_cast<Variable>(kMostPairs / std::max(n, Variable{1})));
  for (Variable begin = 0; begin < n; begin += n_rows) {
    const Variable end = std::min(n - begin, n_rows) + begin;
    const PairGains pairs = scorer.pair_gains(begin, end, run, true);
    const auto& forward = pairs.forward;
    const auto& backward = pairs.backward.empty() ? pairs.forward : pairs.backward;
    for (Variable tile = begin; tile < end; tile += kTile) {
      for (Variable w = tile; w < n; ++w) {
        for (Variable v = tile; v < std::min({w, end, tile + kTile}); ++v) {
          const std::size_t at = std::size_t{v - begin} * n + w;
          use(v, w, forward[at]);
          use(w, v, backward[at]);
        }
      }
    }
  }
}

}  // namespace dagwright
