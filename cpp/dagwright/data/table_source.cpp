#include <algorithm>

#include "dagwright/data/count_bitmap.hpp"
#include "dagwright/data/count_extensions.hpp"
#include "dagwright/data/count_source.hpp"
#include "dagwright/data/counters.hpp"

namespace dagwright {

TableSource::TableSource(std::shared_ptr<const Table> table)
    : CountSource(table->arities()), table_(std::move(table)), bitmaps_(*table_, best_kernels()) {}

void TableSource::count(std::span<const Family> families, Run& run, const Use& use) const {
  // A few families at a time, so that memory is used again, but enough pieces for all threads.
  const std::size_t n = families.size();
  const std::size_t piece = std::clamp<std::size_t>(n / (4 * run.threads()), 1, 64);
  run.parallel_for((n + piece - 1) / piece, [&](std::size_t p) {
    BitmapCounter counter(bitmaps_, run);
    FamilyCounts counts;
    for (std::size_t i = p * piece; i < std::min(n, (p + 1) * piece); ++i) {
      if (run.stopping_inside()) return;
      const FamilyShape family = shape(families[i]);
      if (!prefers_dense(family.n_cells(), n_rows())) {
        counts = count_sparse(*table_, family, run);
      } else if (prefers_bitmap(family) && can_count_bitmap(bitmaps_, family.family)) {
        counter.count(family, counts);
      } else {
        counts = count_dense(*table_, family, run);
      }
      counts.stop_with(run);
      use(i, counts);
    }
  });
}

void TableSource::count_extensions(const Family& base, std::span<const Variable> candidates,
                                   Run& run, const Use& use) const {
  const FamilyShape base_shape = shape(base);
  if (!can_count_extensions(bitmaps_, base_shape)) {
    return CountSource::count_extensions(base, candidates, run, use);
  }
  // The candidates with bitmaps and tables that can be filled together, the others one by one.
  std::vector<Variable> with, without;
  std::vector<std::size_t> with_places, without_places;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const double n_cells = base_shape.n_cells() * table_->arity(candidates[i]);
    const bool has = bitmaps_.has(candidates[i]) && prefers_dense(n_cells, n_rows());
    (has ? with : without).push_back(candidates[i]);
    (has ? with_places : without_places).push_back(i);
  }
  if (!with.empty()) {
    dagwright::count_extensions(
        *table_, bitmaps_, base_shape, with, run,
        [&](std::size_t i, const FamilyCounts& counts) { use(with_places[i], counts); });
  }
  CountSource::count_extensions(
      base, without, run,
      [&](std::size_t i, const FamilyCounts& counts) { use(without_places[i], counts); });
}

std::shared_ptr<const CountSource> TableSource::reweighted(std::vector<double> weights) const {
  return std::make_shared<TableSource>(
      std::make_shared<const Table>(table_->reweighted(std::move(weights))));
}

}  // namespace dagwright
