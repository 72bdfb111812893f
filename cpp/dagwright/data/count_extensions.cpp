#include "dagwright/data/count_extensions.hpp"

#include <algorithm>

#include "dagwright/data/count_bitmap.hpp"
#include "dagwright/data/count_cells.hpp"
#include "dagwright/data/count_extensions_histogram.hpp"

namespace dagwright {

namespace {

// Codes of cells are at most 16 bits wide.
constexpr double kMostCells = 65535;

// With more cells than this, one histogram is always faster than all bitmaps.
constexpr std::size_t kMostTallied = 4096;

// Numbers in one tally: 32 MB. More candidates go in several turns.
constexpr std::size_t kMostNumbers = 4'000'000;

// With few rows so many candidates are counted at a time: their numbers stay in the fastest cache, and the
// clock is asked in between.
constexpr std::size_t kCandidatesAtOnce = 64;

// The clock is not asked for every candidate.
constexpr std::size_t kCandidatesPerPoll = 16;

// Work below this is not worth waking another thread. Counted in words of bitmaps; all else that a
// candidate takes is as much as so many words more.
constexpr double kWordsWorthAThread = 100'000;
constexpr double kWordsOfACandidate = 400;

std::size_t n_blocks(const Bitmaps& bitmaps) {
  return (bitmaps.n_words() + kBlockWords - 1) / kBlockWords;
}

// Whether these candidates are counted faster by bitmaps of the cells that a block of rows was split into than by one
// histogram each. Estimates in nanoseconds, as those of the cost model. It is asked once a family, of the candidates of
// the first call: those of later ones are mostly like them.
bool bitmaps_are_faster(const RowSplitter& split, const Bitmaps& bitmaps, std::size_t n_words, std::size_t n_cells,
                        std::span<const Arity> arities) {
  const double of_a_state = static_cast<double>(split.cells().size()) *
                                (3.0 + static_cast<double>(n_words) * bitmaps.kernels().word_cost) +
                            static_cast<double>(split.rare_rows().size()) +
                            8.0 * static_cast<double>(split.rare_cells().size());
  const double n_rows = 64.0 * static_cast<double>(n_words);
  const double of_a_cell = static_cast<double>(n_words) / static_cast<double>(bitmaps.n_words());
  double bitmap = 0, histogram = 0;
  for (const Arity arity : arities) {
    bitmap += static_cast<double>(bitmaps.planes().size()) * (arity - 1.0) * of_a_state;
    const double cells = static_cast<double>(n_cells) * arity;
    histogram += n_rows * (cells <= kMostCellsOfLanes ? 0.45 : 0.75) + cells * of_a_cell;
  }
  return bitmap <= histogram;
}

// How many threads the work is worth.
std::size_t threads_for(const Bitmaps& bitmaps, double n_cells, std::size_t n_candidates,
                        unsigned threads) {
  const double words = static_cast<double>(bitmaps.n_words()) * n_cells + kWordsOfACandidate;
  const double worth = words * static_cast<double>(n_candidates) / kWordsWorthAThread;
  return worth < threads ? static_cast<std::size_t>(1.0 + worth) : threads;
}

}  // namespace

bool can_count_extensions(const Bitmaps& bitmaps, const FamilyShape& base) {
  return base.n_cells() <= kMostCells && can_count_bitmap(bitmaps, base.family);
}

bool shares_out_rows(const Bitmaps& bitmaps, std::size_t threads) {
  return n_blocks(bitmaps) >= 2 * threads;
}

std::size_t parts_worth_a_thread(const Bitmaps& bitmaps, double n_cells, std::size_t n_candidates,
                                 unsigned threads) {
  const std::size_t wanted = threads_for(bitmaps, n_cells, n_candidates, threads);
  return shares_out_rows(bitmaps, wanted) ? 1 : std::min(wanted, n_candidates);
}

void ExtensionCounter::begin(const FamilyShape& base) {
  base_ = base;
  n_cells_ = static_cast<std::size_t>(base.n_cells());
  variables_ = base.family.parents;
  variables_.push_back(base.family.child);
  arities_ = base.parent_arities;
  arities_.push_back(base.child_arity);
  split_ = false;
  takes_bitmaps_ = n_cells_ <= kMostTallied;
}

void ExtensionCounter::count(std::span<const Variable> candidates, Run& run,
                             const UseExtension& use) {
  if (takes_bitmaps_ && !split_) split_first(candidates);
  if (!takes_bitmaps_) return count_extensions_histogram(table_, base_, candidates, run, use);
  const bool few = n_blocks(bitmaps_) == 1 && bitmaps_.planes().size() == 1;
  few ? count_few_rows(candidates, run, use) : count_many_rows(candidates, run, use);
}

void ExtensionCounter::split_first(std::span<const Variable> candidates) {
  first_.begin(variables_, arities_);
  const std::size_t n_words = std::min(kBlockWords, bitmaps_.n_words());
  first_.split(bitmaps_.planes().front().rows.data(), 0, n_words);
  split_ = true;
  std::vector<Arity> arities;
  for (const Variable x : candidates) arities.push_back(table_.arity(x));
  takes_bitmaps_ = bitmaps_are_faster(first_, bitmaps_, n_words, n_cells_, arities);
  // The largest cell of the first block is likely the largest of all.
  skipped_ = n_cells_;
  if (bitmaps_.counts_all_rows() && !first_.counts().empty()) {
    const auto largest = std::max_element(first_.counts().begin(), first_.counts().end());
    skipped_ = first_.cells()[static_cast<std::size_t>(largest - first_.counts().begin())];
  }
}

void ExtensionCounter::count_few_rows(std::span<const Variable> candidates, Run& run,
                                      const UseExtension& use) {
  for (std::size_t begin = 0; begin < candidates.size(); begin += kCandidatesAtOnce) {
    run.check_inside();
    const auto some = candidates.subspan(begin, std::min(kCandidatesAtOnce, candidates.size() - begin));
    tally_.begin(some, n_cells_);
    tally_.add(first_, 0, bitmaps_.n_words(), bitmaps_.planes().front().weight, skipped_);
    for (std::size_t c = 0; c < some.size(); ++c) {
      counts_.put(some[c], table_.arity(some[c]), tally_.completed(c, skipped_));
      use(begin + c, counts_);
    }
  }
}

void ExtensionCounter::count_many_rows(std::span<const Variable> candidates, Run& run,
                                       const UseExtension& use) {
  std::size_t n_numbers = 0;
  for (const Variable x : candidates) n_numbers += n_cells_ * table_.arity(x);
  if (n_numbers > kMostNumbers && candidates.size() > 1) {
    const std::size_t half = candidates.size() / 2;
    count_many_rows(candidates.first(half), run, use);
    return count_many_rows(
        candidates.subspan(half), run,
        [&](std::size_t i, const ExtensionCounts& counts) { use(half + i, counts); });
  }
  const std::size_t n_words = bitmaps_.n_words();
  const std::size_t wanted = threads_for(bitmaps_, base_.n_cells(), candidates.size(), run.threads());
  const std::size_t n_tasks = shares_out_rows(bitmaps_, wanted) ? wanted : 1;
  std::vector<ExtensionTally> others(n_tasks - 1, ExtensionTally(table_, bitmaps_));
  run.parallel_for(n_tasks, [&](std::size_t t) {
    ExtensionTally& tally = t == 0 ? tally_ : others[t - 1];
    tally.begin(candidates, n_cells_);
    RowSplitter splitter(bitmaps_);
    splitter.begin(variables_, arities_);
    const std::size_t end = n_blocks(bitmaps_) * (t + 1) / n_tasks;
    for (std::size_t block = n_blocks(bitmaps_) * t / n_tasks; block < end; ++block) {
      if (run.stopping_inside()) return;
      const std::size_t begin = block * kBlockWords;
      const std::size_t size = std::min(kBlockWords, n_words - begin);
      for (const auto& plane : bitmaps_.planes()) {
        const bool known = block == 0 && &plane == &bitmaps_.planes().front();
        if (!known) splitter.split(plane.rows.data(), begin, size);
        tally.add(known ? first_ : splitter, begin, size, plane.weight, skipped_);
      }
    }
  });
  for (const ExtensionTally& other : others) tally_.add(other);
  run.parallel_for(n_tasks, [&](std::size_t t) {
    ExtensionCounts counts(base_);
    const std::size_t end = candidates.size() * (t + 1) / n_tasks;
    for (std::size_t c = candidates.size() * t / n_tasks; c < end; ++c) {
      if (c % kCandidatesPerPoll == 0 && run.stopping_inside()) return;
      const Variable x = candidates[c];
      counts.put(x, table_.arity(x), tally_.completed(c, skipped_));
      use(c, counts);
    }
  });
}

}  // namespace dagwright
