#include "dagwright/data/count_extensions.hpp"

#include <algorithm>

#include "dagwright/data/count_bitmap.hpp"
#include "dagwright/data/count_extensions_histogram.hpp"
#include "dagwright/data/put_candidate.hpp"
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

// Work on bitmaps below this many words is not worth waking another thread.
constexpr double kWordsWorthAThread = 50'000;

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
    found_.resize(big_.size());
    for (std::size_t c = 0; c < candidates_.size(); ++c) {
      const Variable x = candidates_[c];
      const std::size_t r = table_.arity(x);
      double* counts = counts_.data() + begins_[c];
      for (State s = 0; s < r; ++s) {
        if (s == bitmaps_.left_out(x)) continue;
        const Word* state = bitmaps_.state(x, s) + begin;
        std::fill(found_.begin(), found_.end(), std::uint64_t{0});
        bitmaps_.kernels().and_count_many(rows_.data(), rows_.size(), state, size, found_.data());
        for (std::size_t i = 0; i < big_.size(); ++i) {
          counts[big_[i] * r + s] += weight * static_cast<double>(found_[i]);
        }
        const std::uint32_t* rows = cells.rare_rows().data();
        for (const auto& rare : cells.rare_cells()) {
          std::uint64_t n = 0;
          for (std::uint32_t i = rare.begin; i < rare.end; ++i) {
            n += state[rows[i] / 64] >> (rows[i] % 64) & 1;
          }
          counts[rare.cell * r + s] += weight * static_cast<double>(n);
        }
      }
    }
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
  const Table& table_;
  const Bitmaps& bitmaps_;
  std::span<const Variable> candidates_;
  std::vector<std::size_t> begins_;
  std::vector<double> counts_;
  std::vector<double> cell_totals_;
  std::vector<std::uint32_t> big_;
  std::vector<const Word*> rows_;
  std::vector<std::uint64_t> found_;
};

}  // namespace

bool can_count_extensions(const Bitmaps& bitmaps, const FamilyShape& base) {
  return base.n_cells() <= kMostCells && can_count_bitmap(bitmaps, base.family);
}

void count_extensions(const Table& table, const Bitmaps& bitmaps, const FamilyShape& base,
                      std::span<const Variable> candidates, Run& run,
                      const CountSource::Use& use) {
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
        [&](std::size_t i, const FamilyCounts& counts) { use(half + i, counts); });
  }
  const std::size_t n_words = bitmaps.n_words();
  const std::size_t n_blocks = (n_words + kBlockWords - 1) / kBlockWords;
  const double work = static_cast<double>(n_words * n_cells * candidates.size());
  const std::size_t wanted = std::min<std::size_t>(
      run.threads(), static_cast<std::size_t>(1.0 + work / kWordsWorthAThread));

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

  // Many blocks are spread over the threads, else the candidates are.
  const bool by_block = n_blocks >= 2 * wanted;
  const std::size_t n_tasks = by_block ? wanted : std::min(wanted, candidates.size());
  std::vector<Tally> tallies;
  std::vector<std::span<const Variable>> groups;
  for (std::size_t t = 0; t < n_tasks; ++t) {
    const std::size_t from = candidates.size() * t / n_tasks;
    const std::size_t to = candidates.size() * (t + 1) / n_tasks;
    groups.push_back(by_block ? candidates : candidates.subspan(from, to - from));
    tallies.emplace_back(table, bitmaps, groups.back(), n_cells);
  }
  const auto gather = [&](std::size_t t) {
    RowSplitter splitter(bitmaps, variables, arities);
    const std::size_t from = by_block ? n_blocks * t / n_tasks : 0;
    const std::size_t to = by_block ? n_blocks * (t + 1) / n_tasks : n_blocks;
    for (std::size_t block = from; block < to && !run.stopping_inside(); ++block) {
      const std::size_t begin = block * kBlockWords;
      const std::size_t size = std::min(kBlockWords, n_words - begin);
      for (const auto& plane : planes) {
        const bool known = block == 0 && &plane == &planes.front();
        if (!known) splitter.split(plane.rows.data(), begin, size);
        tallies[t].add(known ? first : splitter, begin, size, plane.weight, skipped);
      }
    }
  };
  // Candidates from .. to of a tally, whose first is candidates[offset].
  const auto deliver = [&](Tally& tally, std::size_t offset, std::size_t from, std::size_t to) {
    FamilyShape shape;
    FamilyCounts counts;
    for (std::size_t c = from; c < to && !run.stopping_inside(); ++c) {
      const Variable x = candidates[offset + c];
      put_candidate(base, x, table.arity(x), tally.completed(c, skipped), shape, counts);
      use(offset + c, counts);
    }
  };
  if (by_block) {
    run.parallel_for(n_tasks, gather);
    for (std::size_t t = 1; t < n_tasks; ++t) tallies[0].add(tallies[t]);
    run.parallel_for(n_tasks, [&](std::size_t t) {
      deliver(tallies[0], 0, candidates.size() * t / n_tasks, candidates.size() * (t + 1) / n_tasks);
    });
  } else {
    run.parallel_for(n_tasks, [&](std::size_t t) {
      gather(t);
      const auto offset = static_cast<std::size_t>(groups[t].data() - candidates.data());
      deliver(tallies[t], offset, 0, groups[t].size());
    });
  }
}

}  // namespace dagwright
