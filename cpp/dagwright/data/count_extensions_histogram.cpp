#include "dagwright/data/count_extensions_histogram.hpp"

#include <algorithm>

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

// Rows in turn go to four histograms, so that runs of equal rows do not wait for one counter.
constexpr std::size_t kLanes = 4;

void count_rows(const std::vector<std::uint16_t>& numbers, const std::uint8_t* codes,
                std::size_t arity, std::size_t n_cells, std::vector<std::uint32_t>& lanes,
                std::vector<double>& counts) {
  const std::size_t size = n_cells * arity;
  lanes.assign(kLanes * size, 0);
  std::uint32_t* a = lanes.data();
  std::uint32_t* b = a + size;
  std::uint32_t* c = b + size;
  std::uint32_t* d = c + size;
  std::size_t row = 0;
  for (; row + kLanes <= numbers.size(); row += kLanes) {
    ++a[numbers[row] * arity + codes[row]];
    ++b[numbers[row + 1] * arity + codes[row + 1]];
    ++c[numbers[row + 2] * arity + codes[row + 2]];
    ++d[numbers[row + 3] * arity + codes[row + 3]];
  }
  for (; row < numbers.size(); ++row) ++a[numbers[row] * arity + codes[row]];
  counts.resize(size);
  for (std::size_t i = 0; i < size; ++i) {
    counts[i] = static_cast<double>(std::uint64_t{a[i]} + b[i] + c[i] + d[i]);
  }
}

}  // namespace

void count_extensions_histogram(const Table& table, const FamilyShape& base,
                                std::span<const Variable> candidates, Run& run,
                                const UseExtension& use) {
  const std::vector<std::uint16_t> numbers = number_cells(table, base, run);
  const auto n_cells = static_cast<std::size_t>(base.n_cells());
  const std::size_t n_tasks = std::min<std::size_t>(run.threads(), candidates.size());
  run.parallel_for(n_tasks, [&](std::size_t t) {
    std::vector<std::uint32_t> lanes;
    std::vector<double> counts;
    ExtensionCounts extension(base);
    for (std::size_t i = t; i < candidates.size() && !run.stopping_inside(); i += n_tasks) {
      const Variable x = candidates[i];
      const std::uint8_t* codes = table.codes(x).narrow;
      if (table.weights().empty()) {
        count_rows(numbers, codes, table.arity(x), n_cells, lanes, counts);
      } else {
        counts.assign(n_cells * table.arity(x), 0.0);
        for (std::size_t row = 0; row < numbers.size(); ++row) {
          counts[numbers[row] * table.arity(x) + codes[row]] += table.weights()[row];
        }
      }
      extension.put(x, table.arity(x), counts.data());
      use(i, extension);
    }
  });
}

}  // namespace dagwright
