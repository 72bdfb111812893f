#include "dagwright/data/cost_model.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "dagwright/data/count_cells.hpp"

namespace dagwright {

namespace {

// 32 MB of cells, of which a thread may hold a few at a time.
constexpr double kMostDenseCells = 4e6;
// To look at more empty cells than this takes longer than to sort the rows.
constexpr double kMostCellsARow = 32;
constexpr double kMostBitmapCells = 65536;
constexpr double kImpossible = std::numeric_limits<double>::infinity();

double bitmap_cost(const FamilyShape& shape, double n_rows, double n_planes, double word_cost) {
  // One conjunction a cell; those of single states are known, and what is in none that has rows is not
  // looked at.
  double known = shape.child_arity;
  for (const Arity arity : shape.parent_arities) known += arity - 1.0;
  const double n_ands = std::clamp(shape.n_cells() - known, 0.0, 2.5 * n_rows);
  return n_planes * (n_ands * (6.0 + n_rows / 64 * word_cost) + 2.0 * shape.n_cells());
}

// Small tables are counted in several at once; large ones leave the caches, and their cells are numbered with more bits.
double dense_cost(const FamilyShape& shape, double n_rows) {
  const double n_variables = 1.0 + static_cast<double>(shape.parent_arities.size());
  const double n_cells = shape.n_cells();
  const bool small = n_cells <= kMostCellsOfLanes;
  const double a_row = 0.35 + 0.035 * n_variables + (small ? 0.0 : n_cells <= 65536 ? 0.3 : 1.0);
  return 100.0 + n_rows * a_row + n_cells * (small ? 1.9 : 1.15);
}

double sparse_cost(const FamilyShape& shape, double n_rows) {
  const double n_variables = 1.0 + static_cast<double>(shape.parent_arities.size());
  return n_rows * (0.5 * n_variables + 5.0 * std::log2(n_rows + 1.0));
}

}  // namespace

bool prefers_dense(double n_cells, double n_rows) {
  return n_cells <= std::clamp(kMostCellsARow * n_rows, 1024.0, kMostDenseCells);
}

Counter cheapest_counter(const FamilyShape& shape, std::size_t n_rows, std::size_t n_planes,
                         double word_cost) {
  const auto rows = static_cast<double>(n_rows);
  const double bitmap = n_planes > 0 && shape.n_cells() <= kMostBitmapCells
                            ? bitmap_cost(shape, rows, static_cast<double>(n_planes), word_cost)
                            : kImpossible;
  if (bitmap <= 100.0 + 0.4 * rows) return Counter::bitmap;  // the others hardly take less
  const double sparse = sparse_cost(shape, rows);
  const double dense =
      prefers_dense(shape.n_cells(), rows) ? dense_cost(shape, rows) : kImpossible;
  if (bitmap <= std::min(dense, sparse)) return Counter::bitmap;
  return dense <= sparse ? Counter::dense : Counter::sparse;
}

}  // namespace dagwright
