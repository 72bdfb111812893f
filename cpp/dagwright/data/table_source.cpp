#include <algorithm>

#include "dagwright/data/cost_model.hpp"
#include "dagwright/data/count_bitmap.hpp"
#include "dagwright/data/count_extensions.hpp"
#include "dagwright/data/count_pairs.hpp"
#include "dagwright/data/count_source.hpp"
#include "dagwright/data/counters.hpp"

namespace dagwright {

namespace {
// The clock is not asked for every family that takes a microsecond.
constexpr std::size_t kFamiliesPerPoll = 8;

// The places of families, those with fewer parents first: what is alike takes the same branches.
std::vector<std::size_t> by_size(std::span<const Family> families) {
  std::vector<std::size_t> ends;  // of the places of each size
  for (const Family& family : families) {
    const std::size_t size = family.parents.size();
    if (ends.size() <= size) ends.resize(size + 1);
    ++ends[size];
  }
  for (std::size_t size = 1; size < ends.size(); ++size) ends[size] += ends[size - 1];
  std::vector<std::size_t> places(families.size());
  for (std::size_t i = families.size(); i-- > 0;) places[--ends[families[i].parents.size()]] = i;
  return places;
}
}  // namespace

TableSource::TableSource(std::shared_ptr<const Table> table)
    : CountSource(table->arities()), table_(std::move(table)), bitmaps_(*table_, best_kernels()) {}

void TableSource::count(std::span<const Family> families, Run& run, const Use& use) const {
  std::vector<Counter> counters;
  std::vector<const Family*> with_pairs;
  counters.reserve(families.size());
  FamilyShape family_shape;
  for (const Family& family : families) {
    shape(family, family_shape);
    const std::size_t n_planes = can_count_bitmap(bitmaps_, family) ? bitmaps_.planes().size() : 0;
    counters.push_back(cheapest_counter(family_shape, table_->n_rows(), n_planes));
    if (counters.back() == Counter::bitmap && bitmaps_.counts_all_rows()) {
      with_pairs.push_back(&family);
    }
  }
  const BatchPairs pairs(bitmaps_, with_pairs, run);
  // A few families at a time, so that memory is used again, but enough pieces for all threads.
  const std::size_t n = families.size();
  const std::vector<std::size_t> places = by_size(families);
  const std::size_t piece = std::clamp<std::size_t>(n / (4 * run.threads()), 1, 64);
  run.parallel_for((n + piece - 1) / piece, [&](std::size_t p) {
    BitmapCounter counter(bitmaps_, pairs, run);
    FamilyShape family;
    FamilyCounts counts;
    for (std::size_t k = p * piece; k < std::min(n, (p + 1) * piece); ++k) {
      const std::size_t i = places[k];
      if ((k % kFamiliesPerPoll == 0 || counters[i] != Counter::bitmap) && run.stopping_inside()) {
        return;
      }
      shape(families[i], family);
      switch (counters[i]) {
        case Counter::bitmap:
          counter.count(family, counts);
          break;
        case Counter::dense:
          counts = count_dense(*table_, family, run);
          break;
        case Counter::sparse:
          counts = count_sparse(*table_, family, run);
          break;
      }
      counts.stop_with(run);
      use(i, counts);
    }
  });
}

void TableSource::count_extensions(const Family& base, std::span<const Variable> candidates,
                                   Run& run, const UseExtension& use) const {
  if (const auto n_parts = parts_worth_a_thread(base, candidates.size(), run); n_parts > 1) {
    return run.parallel_for(n_parts, [&](std::size_t part) {
      const std::size_t begin = candidates.size() * part / n_parts;
      const std::size_t end = candidates.size() * (part + 1) / n_parts;
      Run inner = run.inner();
      count_extensions(base, candidates.subspan(begin, end - begin), inner,
                       [&](std::size_t i, const ExtensionCounts& counts) { use(begin + i, counts); });
    });
  }
  FamilyShape base_shape;
  shape(base, base_shape);
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
        [&](std::size_t i, const ExtensionCounts& counts) { use(with_places[i], counts); });
  }
  CountSource::count_extensions(
      base, without, run,
      [&](std::size_t i, const ExtensionCounts& counts) { use(without_places[i], counts); });
}

std::size_t TableSource::parts_worth_a_thread(const Family& base, std::size_t n_candidates,
                                              const Run& run) const {
  if (run.threads() == 1 || n_candidates < 2) return 1;
  return dagwright::parts_worth_a_thread(bitmaps_, shape(base).n_cells(), n_candidates,
                                         run.threads());
}

void TableSource::count_pairs(Variable begin, Variable end, Run& run, const UsePair& use) const {
  dagwright::count_pairs(bitmaps_, arities(), begin, end, run, use);
  bool all = bitmaps_.has_planes();
  for (Variable v = begin; v < n_variables(); ++v) all = all && bitmaps_.has(v);
  if (all) return;
  const auto left = [&](Variable v, Variable w) { return !can_count_pair(bitmaps_, v, w); };
  count_pairs_as_families(begin, end, left, run, use);
}

std::shared_ptr<const CountSource> TableSource::reweighted(std::vector<double> weights) const {
  return std::make_shared<TableSource>(
      std::make_shared<const Table>(table_->reweighted(std::move(weights))));
}

}  // namespace dagwright
