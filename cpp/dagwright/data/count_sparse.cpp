#include <algorithm>
#include <limits>
#include <numeric>

#include "dagwright/data/counters.hpp"

namespace dagwright {

namespace {

constexpr std::uint64_t kLargestKey = std::numeric_limits<std::uint64_t>::max();

// Replaces keys by their ranks (order kept) and returns how many distinct ones there are.
std::uint64_t rank(std::vector<std::uint64_t>& keys) {
  std::vector<std::uint64_t> distinct = keys;
  std::sort(distinct.begin(), distinct.end());
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  for (auto& key : keys) {
    const auto place = std::lower_bound(distinct.begin(), distinct.end(), key);
    key = static_cast<std::uint64_t>(place - distinct.begin());
  }
  return distinct.size();
}

}  // namespace

FamilyCounts count_sparse(const Table& table, const FamilyShape& shape) {
  // One key a row, in the order of the cells. Where the product of arities would overflow, the keys
  // so far are replaced by their ranks, which are fewer than the rows: any number of parents fits.
  std::vector<std::uint64_t> keys(table.n_rows(), 0);
  std::uint64_t bound = 1;
  const auto extend = [&](Variable v) {
    const std::uint64_t arity = table.arity(v);
    if (bound > kLargestKey / arity) bound = std::max<std::uint64_t>(rank(keys), 1);
    table.codes(v).visit([&](const auto* codes) {
      for (std::size_t row = 0; row < keys.size(); ++row) keys[row] = keys[row] * arity + codes[row];
    });
    bound *= arity;
  };
  for (const Variable parent : shape.family.parents) extend(parent);
  extend(shape.family.child);

  std::vector<std::size_t> rows(table.n_rows());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  std::sort(rows.begin(), rows.end(), [&](std::size_t a, std::size_t b) {
    return keys[a] != keys[b] ? keys[a] < keys[b] : a < b;
  });

  const std::uint64_t r = shape.child_arity;
  std::vector<std::uint16_t> config_states, cell_states;
  std::vector<std::size_t> config_begin;
  std::vector<Count> cells;
  std::uint64_t config = kLargestKey;
  for (std::size_t i = 0; i < rows.size();) {
    const std::uint64_t key = keys[rows[i]];
    const std::size_t first = rows[i];
    Count count = 0;
    for (; i < rows.size() && keys[rows[i]] == key; ++i) count += table.weight(rows[i]);
    if (count <= 0) continue;  // rows of weight 0 are not observed
    if (key / r != config) {
      config = key / r;
      config_begin.push_back(cells.size());
      for (const Variable parent : shape.family.parents) {
        config_states.push_back(static_cast<std::uint16_t>(table.codes(parent)[first]));
      }
    }
    cell_states.push_back(static_cast<std::uint16_t>(key % r));
    cells.push_back(count);
  }
  config_begin.push_back(cells.size());
  return FamilyCounts::sparse(shape, std::move(config_states), std::move(config_begin),
                              std::move(cell_states), std::move(cells));
}

}  // namespace dagwright
