#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "dagwright/data/counters.hpp"

namespace dagwright {

namespace {

// Rows are numbered in blocks that stay in the first-level cache.
constexpr std::size_t kBlock = 2048;

// Rows in turn go to so many tables, if these are small: a run of rows of one cell would wait for its one counter.
constexpr std::size_t kLanes = 4;
constexpr std::size_t kMostCellsOfLanes = 2048;

// Calls use(begin, numbers, size) for blocks of rows, with the number of each row's cell. Narrow numbers are made many
// at a time.
template <class Number, class Use>
void for_each_block(const Table& table, const Family& family, Run& run, const Use& use) {
  Number cell[kBlock];
  for (std::size_t begin = 0; begin < table.n_rows(); begin += kBlock) {
    if (begin > 0 && begin % kRowsPerLook == 0) run.check_inside();
    const std::size_t size = std::min(kBlock, table.n_rows() - begin);
    const auto number_first = [&](Variable v) {
      table.codes(v).visit([&](const auto* codes) { std::copy_n(codes + begin, size, cell); });
    };
    const auto number_next = [&](Variable v) {
      const auto arity = static_cast<Number>(table.arity(v));
      table.codes(v).visit([&](const auto* codes) {
        for (std::size_t i = 0; i < size; ++i) cell[i] = static_cast<Number>(cell[i] * arity + codes[begin + i]);
      });
    };
    const auto& parents = family.parents;
    number_first(parents.empty() ? family.child : parents.front());
    for (std::size_t i = 1; i < parents.size(); ++i) number_next(parents[i]);
    if (!parents.empty()) number_next(family.child);
    use(begin, cell, size);
  }
}

template <class Number>
void count_rows(const Table& table, const Family& family, std::vector<Count>& cells, Run& run) {
  const std::size_t n_cells = cells.size();
  if (!table.weights().empty()) {
    for_each_block<Number>(table, family, run, [&](std::size_t begin, const Number* cell, std::size_t size) {
      for (std::size_t i = 0; i < size; ++i) cells[cell[i]] += table.weights()[begin + i];
    });
  } else if (n_cells <= kMostCellsOfLanes && table.n_rows() <= std::numeric_limits<std::uint32_t>::max()) {
    std::vector<std::uint32_t> lanes(kLanes * n_cells, 0);
    for_each_block<Number>(table, family, run, [&](std::size_t, const Number* cell, std::size_t size) {
      std::size_t i = 0;
      for (; i + kLanes <= size; i += kLanes)
        for (std::size_t k = 0; k < kLanes; ++k) ++lanes[k * n_cells + cell[i + k]];
      for (; i < size; ++i) ++lanes[cell[i]];
    });
    for (std::size_t c = 0; c < n_cells; ++c)
      cells[c] = static_cast<Count>(std::uint64_t{lanes[c]} + lanes[n_cells + c] + lanes[2 * n_cells + c] +
                                    lanes[3 * n_cells + c]);
  } else {
    for_each_block<Number>(table, family, run, [&](std::size_t, const Number* cell, std::size_t size) {
      for (std::size_t i = 0; i < size; ++i) cells[cell[i]] += 1.0;
    });
  }
}

}  // namespace

void count_dense(const Table& table, const FamilyShape& shape, FamilyCounts& counts, Run& run) {
  std::vector<Count>& cells = counts.begin_dense(shape);
  if (cells.size() <= std::size_t{std::numeric_limits<std::uint16_t>::max()} + 1) {
    count_rows<std::uint16_t>(table, shape.family, cells, run);
  } else if (cells.size() <= std::size_t{std::numeric_limits<std::uint32_t>::max()} + 1) {
    count_rows<std::uint32_t>(table, shape.family, cells, run);
  } else {
    count_rows<std::uint64_t>(table, shape.family, cells, run);
  }
  counts.end_dense();
}

}  // namespace dagwright
