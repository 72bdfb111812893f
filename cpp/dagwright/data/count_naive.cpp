#include <map>

#include "dagwright/data/counters.hpp"

namespace dagwright {

FamilyCounts count_naive(const Table& table, const FamilyShape& shape) {
  std::map<std::vector<std::uint16_t>, std::map<std::uint16_t, Count>> configs;
  for (std::size_t row = 0; row < table.n_rows(); ++row) {
    if (table.weight(row) <= 0) continue;
    std::vector<std::uint16_t> states;
    for (const Variable parent : shape.family.parents) {
      states.push_back(static_cast<std::uint16_t>(table.codes(parent)[row]));
    }
    const auto state = static_cast<std::uint16_t>(table.codes(shape.family.child)[row]);
    configs[states][state] += table.weight(row);
  }
  std::vector<std::uint16_t> config_states, cell_states;
  std::vector<std::size_t> config_begin;
  std::vector<Count> cells;
  for (const auto& [states, by_state] : configs) {
    config_states.insert(config_states.end(), states.begin(), states.end());
    config_begin.push_back(cells.size());
    for (const auto& [state, count] : by_state) {
      cell_states.push_back(state);
      cells.push_back(count);
    }
  }
  config_begin.push_back(cells.size());
  return FamilyCounts::sparse(shape, std::move(config_states), std::move(config_begin),
                              std::move(cell_states), std::move(cells));
}

}  // namespace dagwright
