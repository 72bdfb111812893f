// What each edge gains alone: the gains of a graph without edges are those of pairs, counted together.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "dagwright/base/run.hpp"
#include "dagwright/score/scorer.hpp"

namespace dagwright {

// Calls use(begin, end, gains) with the gains of the pairs v < w with begin <= v < end, as Scorer::pair_gains has
// them, until all pairs were there; and with those of the other direction.
template <class Use>
void empty_graph_gains(const Scorer& scorer, Run& run, Use&& use) {
  constexpr std::size_t kMostPairs = 4'000'000;  // at a time: 32 MB
  constexpr std::size_t kLeastRows = 32;
  const std::size_t n = scorer.n_variables();
  const std::size_t n_rows = std::max(kLeastRows, kMostPairs / std::max<std::size_t>(n, 1));
  for (std::size_t begin = 0; begin < n; begin += n_rows) {
    const auto first = static_cast<Variable>(begin);
    const auto end = static_cast<Variable>(std::min(n, begin + n_rows));
    const PairGains pairs = scorer.pair_gains(first, end, run, true);
    use(first, end, pairs.forward, pairs.backward.empty() ? pairs.forward : pairs.backward);
  }
}

}  // namespace dagwright
