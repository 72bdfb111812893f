#include "dagwright/data/count_extensions.hpp"

#include <algorithm>

#include "dagwright/data/count_bitmap.hpp"
#include "dagwright/data/count_extensions_histogram.hpp"
#include "dagwright/data/row_splitter.hpp"

namespace dagwright {

namespace {

// Codes of cells are at most 16 bits wide.
constexpr double kMostCells = 65535;

// With more cells than this, or more that have many rows, one histogram is faster than all bitmaps.
constexpr std::size_t kMostTallied = 4096;
constexpr std::size_t kMostBitmaps = 96;

// Numbers in one tally: 32 MB. More candidates go in several turns.
constexpr std::size_t kMostNumbers = 4'000'000;

// Work below this is not worth waking another thread. Counted in words of bitmaps; all else that a
// candidate takes is as much as so many words more.
constexpr double kWordsWorthAThread = 100'000;
constexpr double kWordsOfACandidate = 400;

std::size_t n_blocks(const Bitmaps& bitmaps) {
  return (bitmaps.n_words() + kBlockWords - 1) / kBlockWords;
}

bool has_blocks_for(const Bitmaps& bitmaps, std::size_t threads) {
  return n_blocks(bitmaps) >= 2 * threads;
}

// How many threads the work is worth.
std::size_t threads_for(const Bitmaps& bitmaps, double n_cells, std::size_t n_candidates,
                        unsigned threads) {
  const double words = static_cast<double>(bitmaps.n_words()) * n_cells + kWordsOfACandidate;
  const double worth = words * static_cast<double>(n_candidates) / kWordsWorthAThread;
  return worth < threads ? static_cast<std::size_t>(1.0 + worth) : threads;
}

// States of candidates that are counted together: what was found of them stays in the fastest cache.
constexpr std::size_t kStatesAtOnce = 64;

// The clock is not asked for every candidate.
constexpr std::size_t kCandidatesPerPoll = 16;

// The counts that one thread has gathered: for every candidate one number for each cell of the family
// and state of the candidate, and the number of rows in each cell.
class Tally {
 public:
  Tally(const Table& table, const Bitmaps& bitmaps, std::span<const Variable> candidates,
        std::size_t n_cells)
      : table_(table), bitmaps_(bitmaps), candidates_(candidates), cell_totals_(n_cells, 0.0) {
    std::size_t size = 0;
    for (const Variable x : candidates) {
      begins_.push_back(size);
      size += n_cells * table.arity(x);
    }
    counts_.assign(size, 0.0);
  }

  // Adds one block. `skipped` is a cell that need not be counted: it follows from the others.
  void add(const RowSplitter& cells, std::size_t begin, std::size_t size, double weight,
           std::size_t skipped) {
    big_.clear();
    rows_.clear();
    for (std::size_t i = 0; i < cells.cells().size(); ++i) {
      cell_totals_[cells.cells()[i]] += weight * static_cast<double>(cells.counts()[i]);
      if (cells.cells()[i] == skipped) continue;
      big_.push_back(cells.cells()[i]);
      rows_.push_back(cells.rows()[i]);
    }
    for (const auto& rare : cells.rare_cells()) {
      cell_totals_[rare.cell] += weight * (rare.end - rare.begin);
    }
    for (std::size_t c = 0; c < candidates_.size();) c = add_some(cells, c, begin, size, weight);
  }

  void add(const Tally& other) {
    for (std::size_t i = 0; i < counts_.size(); ++i) counts_[i] += other.counts_[i];
    for (std::size_t i = 0; i < cell_totals_.size(); ++i) cell_totals_[i] += other.cell_totals_[i];
  }

  // The counts of candidate c at cell * r + state, with what was left out put in.
  const double* completed(std::size_t c, std::size_t skipped) {
    const Variable x = candidates_[c];
    const std::size_t r = table_.arity(x);
    const State left_out = bitmaps_.left_out(x);
    double* counts = counts_.data() + begins_[c];
    const auto derive_left_out = [&](std::size_t cell) {
      double rest = cell_totals_[cell];
      for (State s = 0; s < r; ++s) rest -= s == left_out ? 0.0 : counts[cell * r + s];
      counts[cell * r + left_out] = rest;
    };
    for (std::size_t cell = 0; cell < cell_totals_.size(); ++cell) {
      if (cell != skipped) derive_left_out(cell);
    }
    if (skipped < cell_totals_.size()) {
      for (State s = 0; s < r; ++s) {
        double rest = static_cast<double>(bitmaps_.rows_by_state(x)[s]);
        for (std::size_t cell = 0; cell < cell_totals_.size(); ++cell) {
          if (cell != skipped) rest -= counts[cell * r + s];
        }
        counts[skipped * r + s] = rest;
      }
    }
    return counts;
  }

 private:
  // Adds one block for the candidates from c on, as many as have kStatesAtOnce states; returns the next.
  std::size_t add_some(const RowSplitter& cells, std::size_t c, std::size_t begin,
                       std::size_t size, double weight) {
    states_.clear();
    std::size_t end = c;
    for (; end < candidates_.size() && states_.size() < kStatesAtOnce; ++end) {
      const Variable x = candidates_[end];
      for (State s = 0; s < table_.arity(x); ++s)
        if (s != bitmaps_.left_out(x)) states_.push_back(bitmaps_.state(x, s) + begin);
    }
    found_.assign(big_.size() * states_.size(), 0);
    bitmaps_.kernels().and_count_many(rows_.data(), rows_.size(), states_.data(), states_.size(),
                                      size, found_.data());
    std::size_t place = 0;
    for (; c < end; ++c) {
      const Variable x = candidates_[c];
      const std::size_t r = table_.arity(x);
      double* counts = counts_.data() + begins_[c];
      for (State s = 0; s < r; ++s) {
        if (s == bitmaps_.left_out(x)) continue;
        for (std::size_t i = 0; i < big_.size(); ++i) {
          counts[big_[i] * r + s] += weight * static_cast<double>(found_[i * states_.size() + place]);
        }
        add_rare(cells, states_[place++], weight, r, counts + s);
      }
    }
    return end;
  }

  // The cells whose few rows are listed; counts[cell * r] is that of the state.
  void add_rare(const RowSplitter& cells, const Word* state, double weight, std::size_t r,
                double* counts) const {
    const std::uint32_t* rows = cells.rare_rows().data();
    for (const auto& rare : cells.rare_cells()) {
      std::uint64_t n = 0;
      for (std::uint32_t i = rare.begin; i < rare.end; ++i) {
        n += state[rows[i] / 64] >> (rows[i] % 64) & 1;
      }
      counts[rare.cell * r] += weight * static_cast<double>(n);
    }
  }

  const Table& table_;
  const Bitmaps& bitmaps_;
  std::span<const Variable> candidates_;
  std::vector<std::size_t> begins_;
  std::vector<double> counts_;
  std::vector<double> cell_totals_;
  std::vector<std::uint32_t> big_;
  std::vector<const Word*> rows_;
  std::vector<const Word*> states_;   // of some candidates, in the block
  std::vector<std::uint64_t> found_;  // rows of each big cell in each of these
};

}  // namespace

bool can_count_extensions(const Bitmaps& bitmaps, const FamilyShape& base) {
  return base.n_cells() <= kMostCells && can_count_bitmap(bitmaps, base.family);
}

std::size_t parts_worth_a_thread(const Bitmaps& bitmaps, double n_cells, std::size_t n_candidates,
                                 unsigned threads) {
  const std::size_t wanted = threads_for(bitmaps, n_cells, n_candidates, threads);
  return has_blocks_for(bitmaps, wanted) ? 1 : std::min(wanted, n_candidates);
}

void count_extensions(const Table& table, const Bitmaps& bitmaps, const FamilyShape& base,
                      std::span<const Variable> candidates, Run& run,
                      const UseExtension& use) {
  std::vector<Variable> variables = base.family.parents;
  variables.push_back(base.family.child);
  std::vector<Arity> arities = base.parent_arities;
  arities.push_back(base.child_arity);
  const std::size_t n_cells = static_cast<std::size_t>(base.n_cells());
  if (n_cells > kMostTallied) return count_extensions_histogram(table, base, candidates, run, use);
  std::size_t n_numbers = 0;
  for (const Variable x : candidates) n_numbers += n_cells * table.arity(x);
  if (n_numbers > kMostNumbers && candidates.size() > 1) {
    const std::size_t half = candidates.size() / 2;
    count_extensions(table, bitmaps, base, candidates.first(half), run, use);
    return count_extensions(
        table, bitmaps, base, candidates.subspan(half), run,
        [&](std::size_t i, const ExtensionCounts& counts) { use(half + i, counts); });
  }
  const std::size_t n_words = bitmaps.n_words();
  RowSplitter first(bitmaps, variables, arities);
  const auto& planes = bitmaps.planes();
  first.split(planes.front().rows.data(), 0, std::min(kBlockWords, n_words));
  if (first.cells().size() > kMostBitmaps) {
    return count_extensions_histogram(table, base, candidates, run, use);
  }
  // The largest cell of the first block is likely the largest of all.
  std::size_t skipped = n_cells;
  if (bitmaps.counts_all_rows() && !first.counts().empty()) {
    const auto largest = std::max_element(first.counts().begin(), first.counts().end());
    skipped = first.cells()[static_cast<std::size_t>(largest - first.counts().begin())];
  }

  const std::size_t wanted = threads_for(bitmaps, base.n_cells(), candidates.size(), run.threads());
  const std::size_t n_tasks = has_blocks_for(bitmaps, wanted) ? wanted : 1;
  std::vector<Tally> tallies(n_tasks, Tally(table, bitmaps, candidates, n_cells));
  run.parallel_for(n_tasks, [&](std::size_t t) {
    RowSplitter splitter(bitmaps, variables, arities);
    const std::size_t end = n_blocks(bitmaps) * (t + 1) / n_tasks;
    for (std::size_t block = n_blocks(bitmaps) * t / n_tasks; block < end; ++block) {
      if (run.stopping_inside()) return;
      const std::size_t begin = block * kBlockWords;
      const std::size_t size = std::min(kBlockWords, n_words - begin);
      for (const auto& plane : planes) {
        const bool known = block == 0 && &plane == &planes.front();
        if (!known) splitter.split(plane.rows.data(), begin, size);
        tallies[t].add(known ? first : splitter, begin, size, plane.weight, skipped);
      }
    }
  });
  for (std::size_t t = 1; t < n_tasks; ++t) tallies[0].add(tallies[t]);
  run.parallel_for(n_tasks, [&](std::size_t t) {
    ExtensionCounts counts(base);
    const std::size_t end = candidates.size() * (t + 1) / n_tasks;
    for (std::size_t c = candidates.size() * t / n_tasks; c < end; ++c) {
      if (c % kCandidatesPerPoll == 0 && run.stopping_inside()) return;
      const Variable x = candidates[c];
      counts.put(x, table.arity(x), tallies[0].completed(c, skipped));
      use(c, counts);
    }
  });
}

}  // namespace dagwright
