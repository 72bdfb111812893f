#include "dagwright/data/count_extensions_histogram.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "dagwright/data/count_cells.hpp"

namespace dagwright {

namespace {

// The number of each row's cell, the child fastest.
std::vector<std::uint16_t> number_cells(const Table& table, const FamilyShape& base, Run& run) {
  std::vector<std::uint16_t> numbers(table.n_rows(), 0);
  const auto extend = [&](Variable v) {
    run.poll();
    if (run.stopping()) return;
    const auto arity = static_cast<std::uint16_t>(table.arity(v));
    const std::uint8_t* codes = table.codes(v).narrow;
    for (std::size_t row = 0; row < numbers.size(); ++row) {
      numbers[row] = static_cast<std::uint16_t>(numbers[row] * arity + codes[row]);
    }
  };
  for (const Variable parent : base.family.parents) extend(parent);
  extend(base.family.child);
  return numbers;
}

}  // namespace

void count_extensions_histogram(const Table& table, const FamilyShape& base,
                                std::span<const Variable> candidates, Run& run,
                                const UseExtension& use) {
  const std::vector<std::uint16_t> numbers = number_cells(table, base, run);
  const auto n_cells = static_cast<std::size_t>(base.n_cells());
  const std::size_t n_tasks = std::min<std::size_t>(run.threads(), candidates.size());
  run.parallel_for(n_tasks, [&](std::size_t t) {
    std::vector<double> counts;
    ExtensionCounts extension(base);
    for (std::size_t i = t; i < candidates.size() && !run.stopping_inside(); i += n_tasks) {
      const Variable x = candidates[i];
      const CodedVariable variables[] = {{{.wide = numbers.data()}, n_cells}, {table.codes(x), table.arity(x)}};
      counts.assign(n_cells * table.arity(x), 0.0);
      count_cells(variables, table.n_rows(), table.weights(), counts, run);
      extension.put(x, table.arity(x), counts.data());
      use(i, extension);
    }
  });
}

}  // namespace dagwright
