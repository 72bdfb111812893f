// Graphs drawn exactly from a posterior. The i-th is a function of seed and i.
#pragma once

#include <cstdint>
#include <vector>

#include "dagwright/posterior/exact_posterior.hpp"

namespace dagwright {

// The parents of node v in the i-th graph are at i * n + v.
std::vector<Set> sample_graphs(const ExactPosterior& posterior, std::size_t n_graphs,
                               std::uint64_t seed, Run& run);

}  // namespace dagwright
