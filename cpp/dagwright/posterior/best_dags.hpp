// The k best DAGs, by dynamic programming over sets of nodes (Tian, He & Ram 2010): one of the k best
// over a set is one of the k best over the set without a sink, with parents for that sink.
#pragma once

#include <vector>

#include "dagwright/base/run.hpp"
#include "dagwright/posterior/family_weights.hpp"

namespace dagwright {

struct BestDags {
  std::vector<Set> parents;         // of node v in the i-th graph at i * n + v
  std::vector<double> log_weights;  // best first
};

// Fewer than k if there are no more.
BestDags best_dags(const FamilyWeights& weights, std::size_t k, Run& run);

double best_dags_bytes(std::size_t n, std::size_t k);

}  // namespace dagwright
