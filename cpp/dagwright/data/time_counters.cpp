#include "dagwright/data/time_counters.hpp"

#include <algorithm>
#include <chrono>
#include <limits>

#include "dagwright/data/count_bitmap.hpp"
#include "dagwright/data/count_extensions.hpp"
#include "dagwright/data/counters.hpp"
#include "dagwright/data/row_splitter.hpp"

namespace dagwright {

namespace {

constexpr int kTurns = 15;
constexpr double kSecondsPerTurn = 1e-3;
constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr double kMostCells = 1e8;  // of a full table, 800 MB

template <class Fn>
double least_seconds(Fn&& fn) {
  using Clock = std::chrono::steady_clock;
  const auto time = [&](int repeats) {
    const auto start = Clock::now();
    for (int i = 0; i < repeats; ++i) fn();
    return std::chrono::duration<double>(Clock::now() - start).count();
  };
  const int repeats = 1 + static_cast<int>(kSecondsPerTurn / std::max(1e-9, time(1)));
  double least = std::numeric_limits<double>::infinity();
  for (int turn = 0; turn < kTurns; ++turn) least = std::min(least, time(repeats) / repeats);
  return least;
}

}  // namespace

double seconds_to_count(const Table& table, const FamilyShape& shape, Counter counter) {
  Run run;
  FamilyCounts counts;
  double sum = 0;
  const auto look = [&] { counts.for_each_cell([&](Count c, std::size_t, State) { sum += c; }); };
  const auto known = [&](double seconds) { return sum > 0 ? seconds : kNever; };
  switch (counter) {
    case Counter::bitmap: {
      const Bitmaps bitmaps(table, best_kernels());
      if (!can_count_bitmap(bitmaps, shape.family)) break;
      const Family* const family = &shape.family;
      const BatchPairs pairs(bitmaps, std::span(&family, 1), run);
      BitmapCounter of_bitmaps(bitmaps, pairs, run);
      return known(least_seconds([&] {
        of_bitmaps.count(shape, counts);
        look();
      }));
    }
    case Counter::dense:
      if (shape.n_cells() > kMostCells) break;
      return known(least_seconds([&] {
        count_dense(table, shape, counts, run);
        look();
      }));
    case Counter::sparse:
      return known(least_seconds([&] {
        counts = count_sparse(table, shape, run);
        look();
      }));
  }
  return kNever;
}

OneAgainstAllSeconds seconds_one_against_all(const Table& table, const FamilyShape& base,
                                             std::span<const Variable> candidates) {
  const Bitmaps bitmaps(table, best_kernels());
  Run run;
  double sum = 0;
  ExtensionCounter counter(table, bitmaps);
  const double counted = least_seconds([&] {
    counter.begin(base);
    counter.count(candidates, run, [&](std::size_t, const ExtensionCounts& counts) {
      sum += counts.cells().front();
    });
  });
  // The bitmaps of the cells, once; then each cell against each candidate.
  std::vector<Variable> variables = base.family.parents;
  variables.push_back(base.family.child);
  const std::vector<Arity> arities(variables.size(), 2);
  const std::size_t n_words = bitmaps.n_words();
  std::vector<RowSplitter> blocks;
  for (std::size_t begin = 0; begin < n_words; begin += kBlockWords) {
    RowSplitter& block = blocks.emplace_back(bitmaps);
    block.begin(variables, arities);
    block.split(bitmaps.planes().front().rows.data(), begin, std::min(kBlockWords, n_words - begin));
  }
  std::uint64_t total = 0;
  const double bare_loop = least_seconds([&] {
    for (std::size_t block = 0; block < blocks.size(); ++block) {
      const std::size_t begin = block * kBlockWords;
      const std::size_t size = std::min(kBlockWords, n_words - begin);
      for (const Variable x : candidates) {
        const Word* state = bitmaps.state(x, 1 - bitmaps.left_out(x)) + begin;
        for (const Word* cell : blocks[block].rows()) {
          total += bitmaps.kernels().and_count(cell, state, size);
        }
      }
    }
  });
  // So that no loop is left out because nobody looks at what it counts.
  return sum + static_cast<double>(total) > 0 ? OneAgainstAllSeconds{counted, bare_loop}
                                              : OneAgainstAllSeconds{0, 0};
}

}  // namespace dagwright
