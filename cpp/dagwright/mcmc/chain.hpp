// A Markov chain over graphs, or over something that graphs are drawn given.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "dagwright/base/rng.hpp"
#include "dagwright/base/run.hpp"
#include "dagwright/graph/order.hpp"

namespace dagwright {

// A graph drawn from the posterior, and the log of its weight: score and log prior.
struct Draw {
  ParentLists parents;  // sorted
  double score = 0;
  double log_correction = 0;  // of its importance weight; NaN where that cannot be counted
};

struct MoveStats {
  const char* name;
  std::uint64_t proposed = 0;
  std::uint64_t accepted = 0;
};

// All that a chain does depends on its state and the random numbers alone, never on how it came there:
// so a chain that is made anew from its state goes on as if nothing had happened.
class Chain {
 public:
  virtual ~Chain() = default;

  // Leaves the distribution with density e^(beta * log_density()) as it is.
  virtual void steps(std::size_t n_steps, double beta, Rng& rng, Run& run) = 0;
  virtual double log_density() const = 0;
  virtual Draw draw(Rng& rng) const = 0;

  virtual std::vector<std::int32_t> state() const = 0;
  virtual std::vector<MoveStats> stats() const = 0;
};

// Metropolis and Hastings: draws the threshold first, so that a proposal can be dropped when it is known
// not to reach it.
inline double log_threshold(Rng& rng) {
  const double uniform = rng.uniform();
  return uniform > 0 ? std::log(uniform) : -std::numeric_limits<double>::infinity();
}

}  // namespace dagwright
