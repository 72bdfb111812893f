// The exact posterior over graphs: what the sums over DAGs or over orders say of families and edges, and
// what sampling needs.
#pragma once

#include <vector>

#include "dagwright/base/run.hpp"
#include "dagwright/base/wide.hpp"
#include "dagwright/posterior/family_weights.hpp"

namespace dagwright {

enum class Over { dags, orders };

struct ExactPosterior {
  Over over = Over::dags;
  FamilyWeights weights;
  double log_total = 0;  // of the weights of all graphs
  std::vector<std::vector<double>> family_probabilities;  // as in `weights`
  std::vector<double> edge_probabilities;                 // at parent * n + child
  std::vector<Wide> totals;        // over the DAGs of every set; or
  std::vector<double> log_totals;  // over the orders of every set
};

// Throws Stopped when the run ends before.
ExactPosterior exact_posterior(FamilyWeights weights, Over over, Run& run);

// The log of the sum of the weights of all graphs alone, which takes less time.
double log_total(const FamilyWeights& weights, Over over, Run& run);

// What both take at most, beside the families: their sets, weights and probabilities.
double exact_posterior_bytes(std::size_t n, Over over);
inline constexpr double kBytesOfAFamily = sizeof(Set) + 2 * sizeof(double);

}  // namespace dagwright
