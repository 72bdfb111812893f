// Several walks at once, of which the best is kept.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "dagwright/base/run.hpp"
#include "dagwright/search/search.hpp"

namespace dagwright {

struct Restarts {
  std::size_t n = 0;
  std::uint64_t seed = 0;
};

// One walk. It draws from Rng(seed, restart), returns the best it has when the run stops, and is safe
// to call from several threads.
using Walk = std::function<Found(std::size_t restart, Run& run)>;

// The best of walk(begin), ..., walk(end - 1), which are spread over the run's threads; begin < end.
// Scores within tie_tolerance of the best are ties, which go to the smallest number, so the answer is
// the same for any number of threads. A stopped run has the best of what was reached; something is
// always returned.
Found best_of_restarts(Run& run, std::size_t begin, std::size_t end, const Walk& walk);

}  // namespace dagwright
