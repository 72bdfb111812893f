// A pass over all sets of a few things, each after all that it contains, shared out over threads.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <vector>

#include "dagwright/base/run.hpp"

namespace dagwright {

// Does fn(set) for every set of n bits. Sets with the same high bits are one block; blocks with equally
// many high bits do not need each other. Throws Stopped when the run ends first.
template <class Fn>
void over_all_sets(std::size_t n, Run& run, Fn&& fn) {
  const std::size_t high_bits = std::min<std::size_t>(n, 6), low_bits = n - high_bits;
  const std::size_t n_low = std::size_t{1} << low_bits, n_high = std::size_t{1} << high_bits;
  for (std::size_t size = 0; size <= high_bits; ++size) {
    std::vector<std::size_t> blocks;
    for (std::size_t high = 0; high < n_high; ++high) {
      if (static_cast<std::size_t>(std::popcount(high)) == size) blocks.push_back(high);
    }
    run.parallel_for(blocks.size(), [&](std::size_t b) {
      const std::size_t begin = blocks[b] * n_low;
      for (std::size_t set = begin; set < begin + n_low; ++set) {
        if (set % 4096 == 0) run.check_inside();
        fn(set);
      }
    });
  }
}

}  // namespace dagwright
