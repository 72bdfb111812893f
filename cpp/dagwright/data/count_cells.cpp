#include "dagwright/data/count_cells.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>

#include "dagwright/data/counters.hpp"

namespace dagwright {

namespace {

// Rows are numbered in blocks that stay in the first-level cache.
constexpr std::size_t kBlock = 2048;

// Rows in turn go to so many tables, if these are small: a run of rows of one cell would wait for its one counter.
constexpr std::size_t kLanes = 4;

// Calls use(begin, numbers, size) for blocks of rows, with the number of each row's cell. Narrow numbers are made many
// at a time.
template <class Number, class Use>
void for_each_block(std::span<const CodedVariable> variables, std::size_t n_rows, Run& run, const Use& use) {
  Number cell[kBlock];
  for (std::size_t begin = 0; begin < n_rows; begin += kBlock) {
    if (begin > 0 && begin % kRowsPerLook == 0) run.check_inside();
    const std::size_t size = std::min(kBlock, n_rows - begin);
    variables.front().codes.visit([&](const auto* codes) { std::copy_n(codes + begin, size, cell); });
    for (const auto& [codes_of_rows, n_states] : variables.subspan(1)) {
      const auto factor = static_cast<Number>(n_states);
      codes_of_rows.visit([&](const auto* codes) {
        for (std::size_t i = 0; i < size; ++i) cell[i] = static_cast<Number>(cell[i] * factor + codes[begin + i]);
      });
    }
    use(begin, cell, size);
  }
}

template <class Number>
void count_numbers(std::span<const CodedVariable> variables, std::size_t n_rows, std::span<const double> weights,
                   std::vector<Count>& cells, Run& run) {
  const std::size_t n_cells = cells.size();
  if (!weights.empty()) {
    for_each_block<Number>(variables, n_rows, run, [&](std::size_t begin, const Number* cell, std::size_t size) {
      for (std::size_t i = 0; i < size; ++i) cells[cell[i]] += weights[begin + i];
    });
  } else if (n_cells <= kMostCellsOfLanes && n_rows <= std::numeric_limits<std::uint32_t>::max()) {
    std::vector<std::uint32_t> lanes(kLanes * n_cells, 0);
    for_each_block<Number>(variables, n_rows, run, [&](std::size_t, const Number* cell, std::size_t size) {
      std::size_t i = 0;
      for (; i + kLanes <= size; i += kLanes)
        for (std::size_t k = 0; k < kLanes; ++k) ++lanes[k * n_cells + cell[i + k]];
      for (; i < size; ++i) ++lanes[cell[i]];
    });
    for (std::size_t k = 0; k < kLanes; ++k)
      for (std::size_t c = 0; c < n_cells; ++c) cells[c] += lanes[k * n_cells + c];
  } else {
    for_each_block<Number>(variables, n_rows, run, [&](std::size_t, const Number* cell, std::size_t size) {
      for (std::size_t i = 0; i < size; ++i) cells[cell[i]] += 1.0;
    });
  }
}

}  // namespace

void count_cells(std::span<const CodedVariable> variables, std::size_t n_rows, std::span<const double> weights,
                 std::vector<Count>& cells, Run& run) {
  const std::size_t last = cells.size() - 1;
  if (last <= std::numeric_limits<std::uint16_t>::max()) {
    count_numbers<std::uint16_t>(variables, n_rows, weights, cells, run);
  } else if (last <= std::numeric_limits<std::uint32_t>::max()) {
    count_numbers<std::uint32_t>(variables, n_rows, weights, cells, run);
  } else {
    count_numbers<std::uint64_t>(variables, n_rows, weights, cells, run);
  }
}

}  // namespace dagwright
