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
    counters.push_back(cheapest_counter(family_shape, table_->n_rows(), n_planes,
                                        bitmaps_.kernels().word_cost));
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
          count_dense(*table_, family, counts, run);
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

namespace {

// Candidates with bitmaps and tables that can be filled together, and the others one by one.
class TableExtensions final : public Extensions {
 public:
  TableExtensions(const CountSource& source, const Table& table, const Bitmaps& bitmaps)
      : source_(source), table_(table), bitmaps_(bitmaps), counter_(table, bitmaps), one_by_one_(source) {}

  void begin(const Family& base) override {
    source_.shape(base, shape_);
    together_ = can_count_extensions(bitmaps_, shape_);
    if (together_) counter_.begin(shape_);
    one_by_one_.begin(base);
  }

  void count(std::span<const Variable> candidates, Run& run, const UseExtension& use) override {
    const auto can = [&](Variable x) {
      return together_ && bitmaps_.has(x) &&
             prefers_dense(shape_.n_cells() * table_.arity(x), source_.n_rows());
    };
    if (std::all_of(candidates.begin(), candidates.end(), can)) {
      if (!candidates.empty()) counter_.count(candidates, run, use);
      return;
    }
    for (const bool together : {true, false}) {
      std::vector<Variable> some;
      std::vector<std::size_t> places;
      for (std::size_t i = 0; i < candidates.size(); ++i) {
        if (can(candidates[i]) != together) continue;
        some.push_back(candidates[i]);
        places.push_back(i);
      }
      if (some.empty()) continue;
      const auto use_some = [&](std::size_t i, const ExtensionCounts& counts) { use(places[i], counts); };
      together ? counter_.count(some, run, use_some) : one_by_one_.count(some, run, use_some);
    }
  }

 private:
  const CountSource& source_;
  const Table& table_;
  const Bitmaps& bitmaps_;
  FamilyShape shape_;
  bool together_ = false;
  ExtensionCounter counter_;
  ExtensionsAsFamilies one_by_one_;
};

}  // namespace

std::unique_ptr<Extensions> TableSource::extensions() const {
  return std::make_unique<TableExtensions>(*this, *table_, bitmaps_);
}

std::size_t TableSource::parts_worth_a_thread(const Family& base, std::size_t n_candidates,
                                              unsigned threads) const {
  if (threads == 1 || n_candidates < 2) return 1;
  double n_cells = arities()[base.child];
  for (const Variable parent : base.parents) n_cells *= arities()[parent];
  return dagwright::parts_worth_a_thread(bitmaps_, n_cells, n_candidates, threads);
}

bool TableSource::counts_side_by_side(const Run& run) const {
  return bitmaps_.has_planes() && !shares_out_rows(bitmaps_, run.threads());
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
