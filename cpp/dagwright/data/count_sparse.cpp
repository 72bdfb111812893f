#include "dagwright/data/counters.hpp"
#include "dagwright/data/row_keys.hpp"

namespace dagwright {

FamilyCounts count_sparse(const Table& table, const FamilyShape& shape, Run& run) {
  RowKeys rows(table, shape, run);
  rows.sort();
  // Calls fn(first, end) with the rows of each cell that is observed: not if all weigh 0.
  const auto for_each_cell = [&](auto&& fn) {
    for (std::size_t first = 0; first < rows.size();) {
      std::size_t end = first;
      Count count = 0;
      for (; end < rows.size() && rows.same_cell(first, end); ++end) {
        if (end > 0 && end % kRowsPerLook == 0) run.check_inside();
        count += rows.weight(end);
      }
      if (count > 0) fn(first, count);
      first = end;
    }
  };

  // Counted first: vectors that grow would take up to three times the memory for a moment.
  std::size_t n_configs = 0, n_cells = 0, config = 0;
  const auto begins_config = [&](std::size_t first) {
    const bool begins = n_cells == 0 || !rows.same_config(config, first);
    config = first;
    return begins;
  };
  for_each_cell([&](std::size_t first, Count) {
    n_configs += begins_config(first);
    ++n_cells;
  });
  std::vector<std::uint16_t> config_states, cell_states;
  std::vector<std::size_t> config_begin;
  std::vector<Count> cells;
  config_states.reserve(n_configs * shape.family.parents.size());
  config_begin.reserve(n_configs + 1);
  cell_states.reserve(n_cells);
  cells.reserve(n_cells);
  n_cells = 0;
  for_each_cell([&](std::size_t first, Count count) {
    if (begins_config(first)) {
      config_begin.push_back(n_cells);
      rows.append_config(first, config_states);
    }
    ++n_cells;
    cell_states.push_back(static_cast<std::uint16_t>(rows.child_state(first)));
    cells.push_back(count);
  });
  config_begin.push_back(n_cells);
  return FamilyCounts::sparse(shape, std::move(config_states), std::move(config_begin),
                              std::move(cell_states), std::move(cells));
}

}  // namespace dagwright
