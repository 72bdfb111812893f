#include "dagwright/search/gain_matrix.hpp"

#include <algorithm>
#include <cmath>

#include "dagwright/search/edge_direction.hpp"
#include "dagwright/search/empty_graph_gains.hpp"

namespace dagwright {

namespace {
constexpr double kNone = -std::numeric_limits<double>::infinity();
constexpr double kRuledOut = std::numeric_limits<double>::quiet_NaN();
}  // namespace

GainMatrix::GainMatrix(const Scorer& scorer, const Constraints& constraints, const Dag& dag)
    : scorer_(scorer),
      constraints_(constraints),
      dag_(dag),
      n_(dag.size()),
      gains_(std::make_unique_for_overwrite<double[]>(n_ * n_)),
      stale_(n_, true),
      bounds_(n_, kNone),
      bounded_(n_, false) {}

void GainMatrix::moved(const Step& step) {
  stale_[step.to] = true;
  bounded_[step.to] = false;
  if (step.op == Operator::add) return;
  if (step.op == Operator::reverse) stale_[step.from] = true;
  std::fill(bounded_.begin(), bounded_.end(), false);
}

void GainMatrix::fill_of_empty_graph(Run& run) {
  // In tiles, so that what is written stays in the cache.
  constexpr Variable kTile = 32;
  const auto put = [&](Variable parent, Variable child, double gain) {
    gains_[child * n_ + parent] = may_toggle(parent, child) ? gain : kRuledOut;
  };
  empty_graph_gains(scorer_, run, [&](Variable begin, Variable end, const auto& forward, const auto& backward) {
    for (Variable tile = begin; tile < end; tile += kTile) {
      for (Variable w = tile; w < n_; ++w) {
        for (Variable v = tile; v < std::min({w, end, tile + kTile}); ++v) {
          const std::size_t at = std::size_t{v - begin} * n_ + w;
          put(v, w, forward[at]);
          put(w, v, backward[at]);
        }
      }
    }
  });
  for (Variable v = 0; v < n_; ++v) gains_[v * n_ + v] = kRuledOut;
  std::fill(stale_.begin(), stale_.end(), false);
}

bool GainMatrix::may_toggle(Variable other, Variable child) const {
  return dag_.has_edge(other, child) ||
         (constraints_.may_add(other, child) &&
          constraints_.fits_with(child, dag_.parents(child), other));
}

void GainMatrix::refresh(Variable child, Run& run) {
  if (!stale_[child]) return;
  all_stale_ = false;
  const auto& parents = dag_.parents(child);
  std::vector<Variable> candidates;
  for (Variable other = 0; other < n_; ++other) {
    if (other != child && may_toggle(other, child)) candidates.push_back(other);
  }
  const std::vector<double> gains = scorer_.gains({child, parents}, candidates, run);
  double* row = gains_.get() + child * n_;
  std::fill(row, row + n_, kRuledOut);
  for (std::size_t i = 0; i < candidates.size(); ++i) row[candidates[i]] = gains[i];
  stale_[child] = false;
  bounded_[child] = false;
}

bool GainMatrix::legal_toggle(Variable other, Variable child) const {
  return dag_.has_edge(other, child) ? constraints_.may_remove(other, child)
                                     : dag_.can_add(other, child);
}

Step GainMatrix::toggle(Variable other, Variable child) const {
  const Operator op = dag_.has_edge(other, child) ? Operator::remove : Operator::add;
  return {op, other, child, gains_[child * n_ + other], 0.0};
}

double GainMatrix::largest_toggle(Variable child, const Wanted& wanted) const {
  const double* row = gains_.get() + child * n_;
  double best = kNone;
  for (Variable other = 0; other < n_; ++other) {
    if (row[other] > best && legal_toggle(other, child) &&
        (!wanted || wanted(toggle(other, child)))) {
      best = row[other];
    }
  }
  return best;
}

double GainMatrix::reversal(Variable from, Variable to) const {
  if (!constraints_.may_reverse(from, to) || !dag_.can_reverse(from, to)) return kRuledOut;
  return gains_[to * n_ + from] + gains_[from * n_ + to];
}

std::optional<Step> GainMatrix::first_above(Variable child, double above,
                                            const Wanted& wanted) const {
  const double* row = gains_.get() + child * n_;
  for (Variable other = 0; other < n_ && bounds_[child] > above; ++other) {
    if (row[other] > above && legal_toggle(other, child)) {
      const Step step = toggle(other, child);
      if (!wanted || wanted(step)) return step;
    }
  }
  for (const Variable parent : dag_.parents(child)) {
    const Step step{Operator::reverse, parent, child, reversal(parent, child), 0.0};
    if (step.gain > above && (!wanted || wanted(step))) return step;
  }
  return std::nullopt;
}

std::optional<Step> GainMatrix::best_move(double least, double tolerance, Run& run,
                                          const Wanted& wanted) {
  double best = least;
  if (all_stale_ && dag_.n_edges() == 0 && scorer_.counts_pairs_together()) {
    fill_of_empty_graph(run);
  }
  all_stale_ = false;
  for (Variable child = 0; child < n_; ++child) refresh(child, run);
  for (Variable child = 0; child < n_; ++child) {
    if (!bounded_[child]) {
      bounds_[child] = largest_toggle(child, {});
      bounded_[child] = true;
    }
    for (const Variable parent : dag_.parents(child)) {
      const double gain = reversal(parent, child);
      if (gain > best && (!wanted || wanted({Operator::reverse, parent, child, gain, 0.0}))) {
        best = gain;
      }
    }
  }
  // The largest bound is looked at again until it is the gain of a legal move that is wanted.
  std::vector<double> bounds = bounds_;
  while (true) {
    const auto largest = std::max_element(bounds.begin(), bounds.end());
    if (largest == bounds.end() || *largest <= best) break;
    const auto child = static_cast<Variable>(largest - bounds.begin());
    bounds_[child] = largest_toggle(child, {});
    const double gain = wanted ? largest_toggle(child, wanted) : bounds_[child];
    if (gain == *largest) {
      best = gain;
      break;
    }
    *largest = gain;
  }
  if (best <= least) return std::nullopt;
  // Gains that dwarf the score have rounding of their own.
  const double above = std::max(best - std::max(tolerance, 1e-12 * std::abs(best)), least);
  for (Variable child = 0; child < n_; ++child) {
    if (const auto step = first_above(child, above, wanted)) {
      return in_better_direction(*step, above, tolerance, wanted, run);
    }
  }
  return std::nullopt;
}

Step GainMatrix::in_better_direction(const Step& step, double above, double tolerance,
                                     const Wanted& wanted, Run& run) const {
  const auto& [op, from, to, gain, score] = step;
  if (op != Operator::add || !legal_toggle(to, from)) return step;
  const Step turned = toggle(to, from);
  if (!(turned.gain > above) || (wanted && !wanted(turned))) return step;
  const GainsBefore before{{gains_.get() + to * n_, n_}, {gains_.get() + from * n_, n_}};
  const bool turn =
      goes_the_other_way(from, to, before, scorer_, constraints_, dag_, tolerance, run);
  return turn ? turned : step;
}

std::optional<Step> GainMatrix::first_move(Variable child, double least, Run& run) {
  refresh(child, run);
  for (const Variable parent : dag_.parents(child)) refresh(parent, run);
  bounds_[child] = largest_toggle(child, {});
  return first_above(child, least, {});
}

}  // namespace dagwright
