#include "dagwright/markov/count_cells.hpp"

#include <bit>

namespace dagwright {

void count_cells(const FactorScopes& scopes, const std::vector<std::vector<std::uint16_t>>& codes,
                 std::size_t n_rows, std::span<std::uint32_t> counts) {
  std::vector<std::size_t> cell(n_rows);
  for (std::size_t f = 0; f < scopes.n_factors(); ++f) {
    cell.assign(n_rows, 0);
    for (const Variable v : scopes.scope(f)) {
      for (std::size_t i = 0; i < n_rows; ++i) cell[i] = cell[i] * scopes.arity(v) + codes[v][i];
    }
    for (const std::size_t at : cell) ++counts[scopes.first_cell(f) + at];
  }
}

void count_pair_cells(const FactorScopes& scopes, std::span<const std::uint64_t> words,
                      std::size_t n_words, std::size_t n_rows, std::span<std::uint32_t> counts) {
  const auto rows_of = [&](Variable v) { return words.data() + v * n_words; };
  std::vector<std::uint32_t> ones(scopes.n_variables(), 0);
  for (Variable v = 0; v < ones.size(); ++v) {
    for (std::size_t w = 0; w < n_words; ++w) {
      ones[v] += static_cast<std::uint32_t>(std::popcount(rows_of(v)[w]));
    }
  }
  const auto all = static_cast<std::uint32_t>(n_rows);
  for (std::size_t f = 0; f < scopes.n_factors(); ++f) {
    const auto scope = scopes.scope(f);
    std::uint32_t* at = counts.data() + scopes.first_cell(f);
    if (scope.empty()) {
      at[0] += all;
    } else if (scope.size() == 1) {
      at[0] += all - ones[scope[0]];
      at[1] += ones[scope[0]];
    } else {
      const std::uint64_t *a = rows_of(scope[0]), *b = rows_of(scope[1]);
      std::uint32_t both = 0;
      for (std::size_t w = 0; w < n_words; ++w) {
        both += static_cast<std::uint32_t>(std::popcount(a[w] & b[w]));
      }
      const std::uint32_t first = ones[scope[0]], second = ones[scope[1]];
      at[0] += all + both - first - second;
      at[1] += second - both;
      at[2] += first - both;
      at[3] += both;
    }
  }
}

}  // namespace dagwright
