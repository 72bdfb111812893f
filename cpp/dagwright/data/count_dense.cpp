#include <algorithm>
#include <array>

#include "dagwright/data/counters.hpp"

namespace dagwright {

namespace {
// Rows are numbered in blocks that stay in the first-level cache.
constexpr std::size_t kBlock = 2048;
}  // namespace

FamilyCounts count_dense(const Table& table, const FamilyShape& shape, Run& run) {
  std::vector<Count> cells(static_cast<std::size_t>(shape.n_cells()), 0.0);
  std::array<std::size_t, kBlock> cell;
  for (std::size_t begin = 0; begin < table.n_rows(); begin += kBlock) {
    if (begin > 0 && begin % kRowsPerLook == 0) run.check_inside();
    const std::size_t size = std::min(kBlock, table.n_rows() - begin);
    std::fill_n(cell.begin(), size, std::size_t{0});
    const auto number = [&](Variable v) {
      const std::size_t arity = table.arity(v);
      table.codes(v).visit([&](const auto* codes) {
        for (std::size_t i = 0; i < size; ++i) cell[i] = cell[i] * arity + codes[begin + i];
      });
    };
    for (const Variable parent : shape.family.parents) number(parent);
    number(shape.family.child);
    if (table.weights().empty()) {
      for (std::size_t i = 0; i < size; ++i) cells[cell[i]] += 1.0;
    } else {
      for (std::size_t i = 0; i < size; ++i) cells[cell[i]] += table.weights()[begin + i];
    }
  }
  return FamilyCounts::dense(shape, std::move(cells));
}

}  // namespace dagwright
