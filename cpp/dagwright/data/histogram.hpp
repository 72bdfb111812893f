// How many rows have each code.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace dagwright {

template <class Code>
std::vector<std::uint64_t> histogram(const Code* codes, std::size_t n_rows, std::size_t arity) {
  // Four of them: a run of equal codes would wait for its own counter.
  std::vector<std::uint64_t> parts(4 * arity, 0);
  std::size_t row = 0;
  for (; row + 4 <= n_rows; row += 4) {
    for (std::size_t k = 0; k < 4; ++k) ++parts[k * arity + codes[row + k]];
  }
  for (; row < n_rows; ++row) ++parts[codes[row]];
  for (std::size_t i = arity; i < parts.size(); ++i) parts[i % arity] += parts[i];
  parts.resize(arity);
  return parts;
}

}  // namespace dagwright
