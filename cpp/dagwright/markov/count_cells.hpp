// How many rows are in each cell of each factor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dagwright/markov/factor_scopes.hpp"

namespace dagwright {

// Adds to `counts`, one number a cell. `codes` are by variable, each of as many rows.
void count_cells(const FactorScopes& scopes, const std::vector<std::vector<std::uint16_t>>& codes,
                 std::size_t n_rows, std::span<std::uint32_t> counts);

// The same where no factor has more than two variables, and those it has have two states. Rows are
// bits: `n_words` words a variable, variable after variable; bits beyond the rows are 0.
void count_pair_cells(const FactorScopes& scopes, std::span<const std::uint64_t> words,
                      std::size_t n_words, std::size_t n_rows, std::span<std::uint32_t> counts);

}  // namespace dagwright
