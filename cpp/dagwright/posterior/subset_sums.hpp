// Sums over all subsets, or supersets, of every set at once: one addition for a set and a member.
#pragma once

#include <algorithm>
#include <vector>

#include "dagwright/base/run.hpp"
#include "dagwright/base/wide.hpp"
#include "dagwright/posterior/family_weights.hpp"

namespace dagwright {

enum class SumOver { subsets, supersets };

// Members of `fixed` are neither added nor left out.
template <class Number>
void sum_over_sets(std::vector<Number>& table, Set fixed, SumOver over, Run& run) {
  // Pairs of places that differ in one bit; the threads share them in blocks, each pair is in one.
  const std::size_t n_pairs = table.size() / 2, block = std::size_t{1} << 14;
  for (std::size_t bit = 1; bit < table.size(); bit <<= 1) {
    if ((fixed & bit) != 0) continue;
    run.parallel_for((n_pairs + block - 1) / block, [&](std::size_t b) {
      const std::size_t end = std::min(n_pairs, (b + 1) * block);
      for (std::size_t pair = b * block; pair < end; ++pair) {
        const std::size_t low = pair & (bit - 1), without = (pair ^ low) << 1 | low;
        Number &smaller = table[without], &larger = table[without | bit];
        if (over == SumOver::subsets) {
          larger = larger + smaller;
        } else {
          smaller = smaller + larger;
        }
      }
    });
  }
}

// For each set of nodes before the child: the weights of all parent sets that fit. The logs' shift
// stays out.
inline std::vector<Wide> sums_of_weights(const ChildWeights& child, std::size_t n, Run& run) {
  std::vector<Wide> table(std::size_t{1} << (n - 1));
  for (std::size_t i = 0; i < child.sets.size(); ++i) {
    table[child.sets[i]] = Wide::exp(child.logs[i]);
  }
  sum_over_sets(table, child.adjacent, SumOver::subsets, run);
  return table;
}

}  // namespace dagwright
