// Rows drawn from a network: parents first, each state from its row of the family's table.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dagwright/base/run.hpp"
#include "dagwright/infer/propagation.hpp"

namespace dagwright {

struct Rows {
  std::vector<std::vector<std::uint16_t>> codes;  // one list a variable that is kept
  std::vector<double> log_weights;                // one a row, empty without evidence
};

// Variables with evidence have its states; a row weighs as much as the evidence is probable given its
// parents there (likelihood weighting). Families of intervened variables do not hold: no weight.
// Row i is a function of seed and i / 4096, for any number of threads.
Rows sample_rows(const Network& network, std::size_t n_rows, std::uint64_t seed,
                 const Evidence& evidence, std::span<const Variable> intervened,
                 std::span<const Variable> keep, Run& run);

}  // namespace dagwright
