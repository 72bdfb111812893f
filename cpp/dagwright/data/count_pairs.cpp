#include "dagwright/data/count_pairs.hpp"

#include <algorithm>
#include <cstdint>

#include "dagwright/data/count_bitmap.hpp"

namespace dagwright {

namespace {

// Bitmaps of first variables that are counted together: with kBlockWords rows each they take a quarter
// of the second-level cache.
constexpr std::size_t kMostFirstStates = 32;
// Second variables of one piece of work.
constexpr std::size_t kMostSeconds = 64;

struct StateOf {
  Variable variable;
  State state;
};

// Variables in a row, and their states that have a bitmap.
struct Group {
  std::vector<Variable> variables;
  std::vector<std::size_t> begins;  // where each variable's states begin; one more for the end
  std::vector<StateOf> states;

  void add(const Bitmaps& bitmaps, Variable v, Arity arity) {
    if (begins.empty()) begins.push_back(0);
    variables.push_back(v);
    for (State s = 0; s < arity; ++s) {
      if (s != bitmaps.left_out(v)) states.push_back({v, s});
    }
    begins.push_back(states.size());
  }
};

std::vector<Group> make_groups(const Bitmaps& bitmaps, const std::vector<Arity>& arities,
                               Variable begin, Variable end, std::size_t most_variables,
                               std::size_t most_states) {
  std::vector<Group> groups;
  for (Variable v = begin; v < end; ++v) {
    if (!bitmaps.has(v)) continue;
    if (groups.empty() || groups.back().variables.size() == most_variables ||
        groups.back().states.size() + arities[v] - 1 > most_states) {
      groups.emplace_back();
    }
    groups.back().add(bitmaps, v, arities[v]);
  }
  return groups;
}

// The weight of the rows with each state.
std::vector<Count> state_totals(const Bitmaps& bitmaps, Variable v, Arity arity) {
  if (bitmaps.counts_all_rows()) {
    return {bitmaps.rows_by_state(v).begin(), bitmaps.rows_by_state(v).end()};
  }
  std::vector<Count> totals(arity, 0.0);
  for (const auto& plane : bitmaps.planes()) {
    const Word* rows = plane.rows.data();
    auto left = bitmaps.kernels().and_count(rows, rows, bitmaps.n_words());
    for (State s = 0; s < arity; ++s) {
      if (s == bitmaps.left_out(v)) continue;
      const auto n = bitmaps.kernels().and_count(bitmaps.state(v, s), rows, bitmaps.n_words());
      totals[s] += plane.weight * static_cast<double>(n);
      left -= n;
    }
    totals[bitmaps.left_out(v)] += plane.weight * static_cast<double>(left);
  }
  return totals;
}

// Counts groups of variables against each other. One for each thread.
class PairCounter {
 public:
  PairCounter(const Bitmaps& bitmaps, const std::vector<Arity>& arities,
              const std::vector<std::vector<Count>>& totals)
      : bitmaps_(bitmaps), arities_(arities), totals_(totals) {
    if (!bitmaps.counts_all_rows()) masked_ = AlignedWords(kMostFirstStates * kBlockWords);
  }

  void count(const Group& firsts, const Group& seconds, const UsePair& use) {
    const std::size_t size = firsts.states.size() * seconds.states.size();
    sums_.assign(size, 0.0);
    for (const auto& plane : bitmaps_.planes()) {
      found_.assign(size, 0);
      for (std::size_t begin = 0; begin < bitmaps_.n_words(); begin += kBlockWords) {
        add_block(firsts, seconds, plane.rows.data(), begin,
                  std::min(kBlockWords, bitmaps_.n_words() - begin));
      }
      for (std::size_t i = 0; i < size; ++i) {
        sums_[i] += plane.weight * static_cast<double>(found_[i]);
      }
    }
    for (std::size_t j = 0; j < seconds.variables.size(); ++j) {
      for (std::size_t i = 0; i < firsts.variables.size(); ++i) {
        if (firsts.variables[i] < seconds.variables[j]) deliver(firsts, i, seconds, j, use);
      }
    }
  }

 private:
  void add_block(const Group& firsts, const Group& seconds, const Word* counted, std::size_t begin,
                 std::size_t size) {
    rows_.clear();
    for (const auto& [v, s] : firsts.states) {
      const Word* rows = bitmaps_.state(v, s) + begin;
      if (!bitmaps_.counts_all_rows()) {
        Word* masked = masked_.data() + rows_.size() * kBlockWords;
        bitmaps_.kernels().and_store(rows, counted + begin, masked, size);
        rows = masked;
      }
      rows_.push_back(rows);
    }
    others_.clear();
    for (const auto& [w, t] : seconds.states) others_.push_back(bitmaps_.state(w, t) + begin);
    bitmaps_.kernels().and_count_many(others_.data(), others_.size(), rows_.data(), rows_.size(),
                                      size, found_.data());
  }

  void deliver(const Group& firsts, std::size_t i, const Group& seconds, std::size_t j,
               const UsePair& use) {
    const Variable v = firsts.variables[i];
    const Variable w = seconds.variables[j];
    const Arity rv = arities_[v];
    const Arity rw = arities_[w];
    const State left_out_v = bitmaps_.left_out(v);
    const State left_out_w = bitmaps_.left_out(w);
    cells_.resize(std::size_t{rv} * rw);
    if (rv == 2 && rw == 2) {  // what follows, without loops
      const State s = 1 - left_out_v;
      const State t = 1 - left_out_w;
      const Count both = sums_[seconds.begins[j] * firsts.states.size() + firsts.begins[i]];
      const Count only_first = totals_[v][s] - both;
      cells_[s * 2 + t] = both;
      cells_[s * 2 + left_out_w] = only_first;
      cells_[left_out_v * 2 + t] = totals_[w][t] - both;
      cells_[left_out_v * 2 + left_out_w] = totals_[w][left_out_w] - only_first;
      return use(v, w, PairCounts(cells_.data(), rv, rw));
    }
    Count* left_out_row = cells_.data() + left_out_v * rw;
    std::copy(totals_[w].begin(), totals_[w].end(), left_out_row);
    for (std::size_t a = firsts.begins[i]; a < firsts.begins[i + 1]; ++a) {
      const State s = firsts.states[a].state;
      Count* row = cells_.data() + s * rw;
      Count rest = totals_[v][s];
      for (std::size_t b = seconds.begins[j]; b < seconds.begins[j + 1]; ++b) {
        const State t = seconds.states[b].state;
        const Count count = sums_[b * firsts.states.size() + a];
        row[t] = count;
        rest -= count;
        left_out_row[t] -= count;
      }
      row[left_out_w] = rest;
      left_out_row[left_out_w] -= rest;
    }
    use(v, w, PairCounts(cells_.data(), rv, rw));
  }

  const Bitmaps& bitmaps_;
  const std::vector<Arity>& arities_;
  const std::vector<std::vector<Count>>& totals_;
  AlignedWords masked_;  // the first states' rows that count, where some do not
  std::vector<const Word*> rows_;    // of the first variables' states in a block
  std::vector<const Word*> others_;  // of the second ones'
  std::vector<std::uint64_t> found_;  // at state of a second * n + state of a first
  std::vector<Count> sums_;           // the same, weighted
  std::vector<Count> cells_;
};

}  // namespace

void count_pairs(const Bitmaps& bitmaps, const std::vector<Arity>& arities, Variable begin,
                 Variable end, Run& run, const UsePair& use) {
  if (!bitmaps.has_planes()) return;
  const auto n = static_cast<Variable>(arities.size());
  const auto firsts = make_groups(bitmaps, arities, begin, end, n, kMostFirstStates);
  const std::size_t most_seconds =
      std::clamp<std::size_t>((n - begin) / (4 * run.threads()), 1, kMostSeconds);
  const auto seconds =
      make_groups(bitmaps, arities, begin, n, most_seconds, kMostSeconds * kMostFirstStates);
  std::vector<std::vector<Count>> totals(n);
  run.parallel_for(seconds.size(), [&](std::size_t g) {
    for (const Variable v : seconds[g].variables) totals[v] = state_totals(bitmaps, v, arities[v]);
  });
  run.parallel_for(seconds.size(), [&](std::size_t g) {
    const Group& later = seconds[seconds.size() - 1 - g];  // those with most before them come first
    PairCounter counter(bitmaps, arities, totals);
    for (const Group& group : firsts) {
      if (group.variables.front() >= later.variables.back()) break;
      if (run.stopping_inside()) return;
      counter.count(group, later, use);
    }
  });
}

}  // namespace dagwright
