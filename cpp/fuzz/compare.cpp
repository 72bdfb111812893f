#include "fuzz/compare.hpp"

#include <algorithm>
#include <functional>
#include <memory>

#include "dagwright/base/rng.hpp"
#include "dagwright/base/run.hpp"
#include "dagwright/data/bitmaps.hpp"
#include "dagwright/data/count_bitmap.hpp"
#include "dagwright/data/count_extensions.hpp"
#include "dagwright/data/count_extensions_histogram.hpp"
#include "dagwright/data/count_source.hpp"
#include "dagwright/data/counters.hpp"
#include "dagwright/data/kernels.hpp"
#include "dagwright/data/weight_unit.hpp"

namespace dagwright::fuzz {

namespace {

constexpr double kMostDenseCells = 1e6;

bool same(const FamilyCounts& a, const FamilyCounts& b) {
  const ObservedCells x = a.observed(), y = b.observed();
  return a.shape().family == b.shape().family && a.total() == b.total() &&
         x.config_states == y.config_states && x.config_totals == y.config_totals &&
         x.cell_configs == y.cell_configs && x.cell_states == y.cell_states &&
         x.cell_counts == y.cell_counts;
}

FamilyShape shape_of(const Table& table, Family family) {
  FamilyShape shape;
  shape.child_arity = table.arity(family.child);
  for (const Variable parent : family.parents) shape.parent_arities.push_back(table.arity(parent));
  shape.family = std::move(family);
  return shape;
}

Family extended(Family family, Variable candidate) {
  auto& parents = family.parents;
  parents.insert(std::lower_bound(parents.begin(), parents.end(), candidate), candidate);
  return family;
}

class Comparison {
 public:
  Comparison(const Case& given, Tally& tally)
      : case_(given),
        tally_(tally),
        run_(given.threads),
        table_(std::make_shared<const Table>(given.table(0, given.n_rows(), given.weights))),
        shape_(shape_of(*table_, given.family)),
        expected_(count_naive(*table_, shape_)) {
    for (const Variable x : given.candidates) {
      extensions_.push_back(count_naive(*table_, shape_of(*table_, extended(given.family, x))));
    }
  }

  std::optional<std::string> go() {
    counters();
    for (const Kernels* kernels : available_kernels()) with_kernels(*kernels);
    source("table source", TableSource(table_));
    chunks();
    return std::move(difference_);
  }

 private:
  void check(const std::string& what, bool right) {
    ++tally_[what];
    if (!right && !difference_) difference_ = what;
  }

  void counters() {
    if (shape_.n_cells() <= kMostDenseCells) {
      check("dense", same(count_dense(*table_, shape_, run_), expected_));
    }
    check("sparse", same(count_sparse(*table_, shape_, run_), expected_));
    FamilyShape alone = shape_of(*table_, {case_.family.child, {}});
    const std::vector<Count> totals = table_->state_totals(case_.family.child);
    check("state totals", same(FamilyCounts::dense(alone, totals), count_naive(*table_, alone)));
  }

  void with_kernels(const Kernels& kernels) {
    const std::string name = std::string(" ") + kernels.name;
    const Bitmaps bitmaps(*table_, kernels);
    FamilyCounts counts;
    if (can_count_bitmap(bitmaps, shape_.family) && shape_.n_cells() <= 65536) {
      const Family* const family = &shape_.family;
      const BatchPairs pairs(bitmaps, std::span(&family, 1), run_);
      BitmapCounter(bitmaps, pairs, run_).count(shape_, counts);
      check("bitmap" + name, same(counts, expected_));
    }
    if (!can_count_extensions(bitmaps, shape_)) return;
    std::vector<Variable> candidates;
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < case_.candidates.size(); ++i) {
      const Variable x = case_.candidates[i];
      if (!bitmaps.has(x) || shape_.n_cells() * table_->arity(x) > kMostDenseCells) continue;
      candidates.push_back(x);
      places.push_back(i);
    }
    if (candidates.empty()) return;
    std::vector<FamilyCounts> found(candidates.size());
    const auto keep = [&](std::size_t i, const ExtensionCounts& c) { found[i] = c.family(); };
    const auto check_all = [&](const std::string& what) {
      for (std::size_t i = 0; i < found.size(); ++i) {
        check(what, same(found[i], extensions_[places[i]]));
        found[i] = FamilyCounts();
      }
    };
    ExtensionCounter counter(*table_, bitmaps);
    counter.begin(shape_);
    counter.count(candidates, run_, keep);
    check_all("one against all" + name);
    count_extensions_histogram(*table_, shape_, candidates, run_, keep);
    check_all("histogram");
  }

  void source(const std::string& name, const CountSource& source) {
    check(name + ", total", source.total() == table_->total());
    std::vector<FamilyCounts> found(1 + case_.candidates.size());
    std::vector<Family> families{case_.family};
    for (const Variable x : case_.candidates) families.push_back(extended(case_.family, x));
    source.count(families, run_, [&](std::size_t i, const FamilyCounts& c) { found[i] = c; });
    check(name, same(found[0], expected_));
    for (std::size_t i = 0; i < extensions_.size(); ++i) {
      check(name, same(found[i + 1], extensions_[i]));
      found[i + 1] = FamilyCounts();
    }
    source.count_extensions(case_.family, case_.candidates, run_,
                            [&](std::size_t i, const ExtensionCounts& c) { found[i + 1] = c.family(); });
    for (std::size_t i = 0; i < extensions_.size(); ++i) {
      check(name + ", extensions", same(found[i + 1], extensions_[i]));
    }
  }

  void chunks() {
    // As the Python side does: the weights of all rows have one unit.
    const std::vector<double> weights = exactly_summable(case_.weights);
    const auto for_each_chunk = [&](bool weighted, const std::function<void(const Table&)>& visit) {
      for (std::size_t i = 0; i + 1 < case_.cuts.size(); ++i) {
        const std::size_t begin = case_.cuts[i], end = case_.cuts[i + 1];
        std::vector<double> own;
        if (weighted) own.assign(weights.begin() + begin, weights.begin() + end);
        visit(case_.table(begin, end, std::move(own)));
      }
    };
    using namespace std::placeholders;
    const ChunkedSource own(case_.arities, std::bind(for_each_chunk, !weights.empty(), _1));
    source("chunks", own);
    if (weights.empty()) return;
    const ChunkedSource without(case_.arities, std::bind(for_each_chunk, false, _1));
    source("chunks reweighted", *without.reweighted(case_.weights));
    const TableSource plain(std::make_shared<const Table>(case_.table(0, case_.n_rows(), {})));
    source("table reweighted", *plain.reweighted(case_.weights));
  }

  const Case& case_;
  Tally& tally_;
  Run run_;
  std::shared_ptr<const Table> table_;
  FamilyShape shape_;
  FamilyCounts expected_;
  std::vector<FamilyCounts> extensions_;
  std::optional<std::string> difference_;
};

// The kernels on words that no table would give them, in place where that is allowed.
std::optional<std::string> kernel_difference(const Case& given, Tally& tally) {
  const std::size_t n_words = (given.n_rows() % 300 / kWordsPerStep + 1) * kWordsPerStep;
  Rng rng(given.n_rows(), given.threads);
  const auto draw = [&] {
    AlignedWords words(n_words);
    for (std::size_t i = 0; i < n_words; ++i) {
      const Word draws[] = {rng.next(), rng.next() & rng.next() & rng.next(), 0, ~Word{0}};
      words.data()[i] = draws[rng.below(4)];
    }
    return words;
  };
  const auto copy = [&](const AlignedWords& from) {
    AlignedWords words(n_words);
    std::copy_n(from.data(), n_words, words.data());
    return words;
  };
  const AlignedWords a = draw(), b = draw();
  std::vector<AlignedWords> drawn;
  const auto draw_some = [&] {
    std::vector<const Word*> some;
    for (std::uint64_t i = rng.below(11); i > 0; --i) {
      some.push_back(drawn.emplace_back(draw()).data());
    }
    return some;
  };
  const std::vector<const Word*> cells = draw_some(), states = draw_some();
  std::vector<std::uint8_t> codes(64 * n_words - rng.below(64));
  for (auto& code : codes) code = static_cast<std::uint8_t>(rng.below(3));

  const auto outcome = [&](const Kernels& kernels) {
    std::vector<Word> out{kernels.and_count(a.data(), b.data(), n_words)};
    const auto keep = [&](const AlignedWords& words) {
      out.insert(out.end(), words.data(), words.data() + n_words);
    };
    AlignedWords x = copy(a), y(n_words);
    out.push_back(kernels.and_store(x.data(), b.data(), x.data(), n_words));
    keep(x);
    x = copy(a);
    out.push_back(kernels.split(x.data(), b.data(), y.data(), x.data(), n_words));
    keep(x);
    keep(y);
    std::vector<std::uint64_t> counts(cells.size() * states.size(), 5);
    kernels.and_count_many(cells.data(), cells.size(), states.data(), states.size(), n_words,
                           counts.data());
    out.insert(out.end(), counts.begin(), counts.end());
    counts.resize(states.size());
    kernels.and_count_within(a.data(), b.data(), states.data(), states.size(), n_words,
                             counts.data());
    out.insert(out.end(), counts.begin(), counts.end());
    std::fill_n(y.data(), n_words, Word{0});
    kernels.mark(codes.data(), codes.size(), 1, y.data());
    keep(y);
    return out;
  };
  const std::vector<const Kernels*> sets = available_kernels();
  const std::vector<Word> expected = outcome(*sets.front());
  for (const Kernels* kernels : sets) {
    const std::string name = std::string("kernels ") + kernels->name;
    ++tally[name];
    if (outcome(*kernels) != expected) return name;
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> find_difference(const Case& given, Tally& tally) {
  if (auto difference = kernel_difference(given, tally)) return difference;
  return Comparison(given, tally).go();
}

}  // namespace dagwright::fuzz
