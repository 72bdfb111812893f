#include "dagwright/data/family_counts.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "dagwright/base/run.hpp"

namespace dagwright {

FamilyCounts FamilyCounts::dense(FamilyShape shape, std::vector<Count> cells) {
  FamilyCounts counts;
  counts.shape_ = std::move(shape);
  counts.cells_ = std::move(cells);
  counts.sum_up();
  return counts;
}

std::vector<Count>& FamilyCounts::begin_dense(const FamilyShape& shape) {
  shape_ = shape;
  config_states_.clear();
  config_begin_.clear();
  cell_states_.clear();
  cells_.assign(static_cast<std::size_t>(shape_.n_cells()), 0.0);
  return cells_;
}

FamilyCounts FamilyCounts::sparse(FamilyShape shape, std::vector<std::uint16_t> config_states,
                                  std::vector<std::size_t> config_begin,
                                  std::vector<std::uint16_t> cell_states,
                                  std::vector<Count> cell_counts) {
  FamilyCounts counts;
  counts.shape_ = std::move(shape);
  counts.config_states_ = std::move(config_states);
  counts.config_begin_ = std::move(config_begin);
  counts.cell_states_ = std::move(cell_states);
  counts.cells_ = std::move(cell_counts);
  counts.sum_up();
  return counts;
}

void FamilyCounts::look() const {
  if (run_.pointer != nullptr) run_.pointer->check_inside();
}

void FamilyCounts::sum_up() {
  if (is_dense()) {
    const std::size_t r = shape_.child_arity;
    config_totals_.resize(cells_.size() / r);
    const Count* cell = cells_.data();
    for (Count& total : config_totals_) {
      total = 0;
      for (std::size_t k = 0; k < r; ++k) total += *cell++;
    }
  } else {
    config_totals_.assign(config_begin_.size() - 1, 0.0);
    for (std::size_t config = 0; config < config_totals_.size(); ++config) {
      for (std::size_t i = config_begin_[config]; i < config_begin_[config + 1]; ++i) {
        config_totals_[config] += cells_[i];
      }
    }
  }
  total_ = 0;
  for (const Count total : config_totals_) total_ += total;
}

std::vector<State> FamilyCounts::config_states(std::size_t config) const {
  const auto& arities = shape_.parent_arities;
  std::vector<State> states(arities.size());
  if (is_dense()) {
    for (std::size_t i = arities.size(); i-- > 0; config /= arities[i]) {
      states[i] = static_cast<State>(config % arities[i]);
    }
  } else {
    const auto* from = config_states_.data() + config * arities.size();
    std::copy(from, from + arities.size(), states.begin());
  }
  return states;
}

ObservedCells FamilyCounts::observed() const {
  ObservedCells out;
  std::vector<std::uint32_t> place(config_totals_.size());
  for_each_config([&](Count total, std::size_t config) {
    place[config] = static_cast<std::uint32_t>(out.config_totals.size());
    out.config_totals.push_back(total);
    for (const State state : config_states(config)) out.config_states.push_back(state);
  });
  for_each_cell([&](Count count, std::size_t config, State state) {
    out.cell_configs.push_back(place[config]);
    out.cell_states.push_back(state);
    out.cell_counts.push_back(count);
  });
  return out;
}

void FamilyCounts::add(const FamilyCounts& other, Run& run) {
  if (is_dense() != other.is_dense() || shape_.family != other.shape_.family) {
    throw std::invalid_argument("only counts of one family in one storage add up");
  }
  if (is_dense()) {
    for (std::size_t i = 0; i < cells_.size(); ++i) cells_[i] += other.cells_[i];
    sum_up();
    return;
  }
  // Merge two sorted lists of cells, the sort key being (configuration, state).
  const std::size_t width = shape_.parent_arities.size();
  std::vector<std::uint16_t> config_states, cell_states;
  std::vector<std::size_t> config_begin;
  std::vector<Count> cells;
  const auto merge_config = [&](const FamilyCounts* a, std::size_t i, const FamilyCounts* b,
                                std::size_t j) {
    const FamilyCounts& named = a ? *a : *b;
    const auto* states = named.config_states_.data() + (a ? i : j) * width;
    config_states.insert(config_states.end(), states, states + width);
    config_begin.push_back(cells.size());
    std::size_t x = a ? a->config_begin_[i] : 0;
    std::size_t y = b ? b->config_begin_[j] : 0;
    const std::size_t x_end = a ? a->config_begin_[i + 1] : 0;
    const std::size_t y_end = b ? b->config_begin_[j + 1] : 0;
    while (x < x_end || y < y_end) {
      const bool take_a = y == y_end || (x < x_end && a->cell_states_[x] <= b->cell_states_[y]);
      const bool take_b = x == x_end || (y < y_end && b->cell_states_[y] <= a->cell_states_[x]);
      cell_states.push_back(take_a ? a->cell_states_[x] : b->cell_states_[y]);
      cells.push_back((take_a ? a->cells_[x] : 0.0) + (take_b ? b->cells_[y] : 0.0));
      x += take_a;
      y += take_b;
    }
  };
  const std::size_t n = config_begin_.size() - 1;
  const std::size_t m = other.config_begin_.size() - 1;
  for (std::size_t i = 0, j = 0; i < n || j < m;) {
    if ((i + j) % 1024 == 1023) run.check_inside();
    int order = i == n ? 1 : j == m ? -1 : 0;
    if (order == 0) {
      const auto* a = config_states_.data() + i * width;
      const auto* b = other.config_states_.data() + j * width;
      const auto [pa, pb] = std::mismatch(a, a + width, b);
      order = pa == a + width ? 0 : *pa < *pb ? -1 : 1;
    }
    merge_config(order <= 0 ? this : nullptr, i, order >= 0 ? &other : nullptr, j);
    i += order <= 0;
    j += order >= 0;
  }
  config_begin.push_back(cells.size());
  *this = sparse(std::move(shape_), std::move(config_states), std::move(config_begin),
                 std::move(cell_states), std::move(cells));
}

}  // namespace dagwright
