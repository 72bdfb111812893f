#include "dagwright/search/perturb.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "dagwright/base/rng.hpp"
#include "dagwright/base/ties.hpp"
#include "dagwright/search/hill_climb.hpp"
#include "dagwright/search/restarts.hpp"
#include "dagwright/search/start.hpp"

namespace dagwright {

namespace {

// Drawn factors are multiples of 1/16 and not huge, so that whole weights stay where counting is fast.
constexpr double kSteps = 16;
constexpr double kMostFactor = 256;

// The weights, each times a random factor: an exponential variable to the power of `strength`, scaled
// so that the total stays. At strength 1 this is the Bayesian bootstrap; towards 0 the factors are 1.
std::vector<double> drawn(std::vector<double> weights, double strength, Rng& rng) {
  std::vector<double> factors;
  factors.reserve(weights.size());
  double before = 0;
  double after = 0;
  for (const double weight : weights) {
    factors.push_back(std::pow(-std::log1p(-rng.uniform()), strength));
    before += weight;
    after += weight * factors.back();
  }
  if (!(after > 0) || !std::isfinite(after)) return weights;
  for (std::size_t row = 0; row < weights.size(); ++row) {
    const double factor = std::min(factors[row] * (before / after), kMostFactor);
    weights[row] *= std::nearbyint(kSteps * factor) / kSteps;
  }
  return weights;
}

}  // namespace

Found perturb(const Scorer& scorer, const Constraints& constraints, const Dag& start,
              const Perturb& spec, Run& run) {
  Found plain = hill_climb(scorer, constraints, start, {}, run);
  if (run.stopping()) return plain;
  const std::vector<double> weights = scorer.weights();
  Found best = best_of_restarts(run, 0, spec.restarts + 1, [&](std::size_t restart, Run& inner) {
    Rng rng(spec.seed, restart);
    Dag dag = restart % 2 == 0 ? start : random_start(constraints, rng);
    for (std::size_t round = 0; round < spec.rounds && !inner.stopping(); ++round) {
      const double left = 1.0 - static_cast<double>(round) / static_cast<double>(spec.rounds);
      const Scorer perturbed = scorer.reweighted(drawn(weights, spec.strength * left, rng));
      dag = hill_climb(perturbed, constraints, std::move(dag), {.tells_score = false}, inner).dag;
    }
    return hill_climb(scorer, constraints, std::move(dag), {}, inner);
  });
  return best.score > plain.score + tie_tolerance(plain.score) ? best : plain;
}

}  // namespace dagwright
