#include "dagwright/data/extension_tally.hpp"

namespace dagwright {

namespace {
// States of candidates that are counted together: what was found of them stays in the fastest cache.
constexpr std::size_t kStatesAtOnce = 64;
}  // namespace

void ExtensionTally::begin(std::span<const Variable> candidates, std::size_t n_cells) {
  candidates_ = candidates;
  begins_.clear();
  std::size_t size = 0;
  for (const Variable x : candidates) {
    begins_.push_back(size);
    size += n_cells * table_.arity(x);
  }
  counts_.assign(size, 0.0);
  cell_totals_.assign(n_cells, 0.0);
}

void ExtensionTally::add(const RowSplitter& cells, std::size_t begin, std::size_t size,
                         double weight, std::size_t skipped) {
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

void ExtensionTally::add(const ExtensionTally& other) {
  for (std::size_t i = 0; i < counts_.size(); ++i) counts_[i] += other.counts_[i];
  for (std::size_t i = 0; i < cell_totals_.size(); ++i) cell_totals_[i] += other.cell_totals_[i];
}

const double* ExtensionTally::completed(std::size_t c, std::size_t skipped) {
  const Variable x = candidates_[c];
  const std::size_t r = table_.arity(x);
  const State left_out = bitmaps_.left_out(x);
  double* counts = counts_.data() + begins_[c];
  if (r == 2) {
    complete_two_states(counts, x, skipped);
    return counts;
  }
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

// The same, in one pass: most variables have two states.
void ExtensionTally::complete_two_states(double* counts, Variable x, std::size_t skipped) const {
  const State left_out = bitmaps_.left_out(x);
  double counted = 0;
  for (std::size_t cell = 0; cell < cell_totals_.size(); ++cell) {
    const double here = counts[2 * cell + (1 - left_out)];
    counted += here;
    counts[2 * cell + left_out] = cell_totals_[cell] - here;
  }
  if (skipped == cell_totals_.size()) return;
  // It has all rows of the state that the others have not, some of which may have been counted there.
  double& there = counts[2 * skipped + (1 - left_out)];
  there = static_cast<double>(bitmaps_.rows_by_state(x)[1 - left_out]) - (counted - there);
  counts[2 * skipped + left_out] = cell_totals_[skipped] - there;
}

// Adds one block for the candidates from c on, as many as have kStatesAtOnce states; returns the next.
std::size_t ExtensionTally::add_some(const RowSplitter& cells, std::size_t c, std::size_t begin,
                                     std::size_t size, double weight) {
  states_.clear();
  std::size_t end = c;
  for (; end < candidates_.size() && states_.size() < kStatesAtOnce; ++end) {
    const Variable x = candidates_[end];
    for (State s = 0; s < table_.arity(x); ++s)
      if (s != bitmaps_.left_out(x)) states_.push_back(bitmaps_.state(x, s) + begin);
  }
  found_.assign(big_.size() * states_.size(), 0);
  bitmaps_.kernels().and_count_many(rows_.data(), rows_.size(), states_.data(), states_.size(), size,
                                    found_.data());
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
void ExtensionTally::add_rare(const RowSplitter& cells, const Word* state, double weight,
                              std::size_t r, double* counts) const {
  const std::uint32_t* rows = cells.rare_rows().data();
  for (const auto& rare : cells.rare_cells()) {
    std::uint64_t n = 0;
    for (std::uint32_t i = rare.begin; i < rare.end; ++i) {
      n += state[rows[i] / 64] >> (rows[i] % 64) & 1;
    }
    counts[rare.cell * r] += weight * static_cast<double>(n);
  }
}

}  // namespace dagwright
