// Gibbs sampling: one variable after the other is drawn given all others.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dagwright/base/run.hpp"
#include "dagwright/infer/sample_rows.hpp"

namespace dagwright {

// `chains` chains, each of `warmup` sweeps that are thrown away and `n_rows` that are kept, one row a
// sweep; chains come one after the other in the codes. A chain starts at a row of likelihood weighting,
// drawn by its weight;
// throws ImpossibleEvidence if none of thousands has a weight above zero.
Rows gibbs(const Network& network, std::size_t chains, std::size_t warmup, std::size_t n_rows,
           std::uint64_t seed, const Evidence& evidence, std::span<const Variable> intervened,
           std::span<const Variable> keep, Run& run);

}  // namespace dagwright
