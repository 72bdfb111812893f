#include "dagwright/search/gain_matrix.hpp"

#include <algorithm>

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

void GainMatrix::refresh(Variable child, Run& run) {
  if (!stale_[child]) return;
  const auto& parents = dag_.parents(child);
  std::vector<Variable> candidates;
  for (Variable other = 0; other < n_; ++other) {
    if (other == child) continue;
    if (dag_.has_edge(other, child) || (constraints_.may_add(other, child) &&
                                        constraints_.fits_with(child, parents, other))) {
      candidates.push_back(other);
    }
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

double GainMatrix::largest_toggle(Variable child) const {
  const double* row = gains_.get() + child * n_;
  double best = kNone;
  for (Variable other = 0; other < n_; ++other) {
    if (row[other] > best && legal_toggle(other, child)) best = row[other];
  }
  return best;
}

double GainMatrix::reversal(Variable from, Variable to) const {
  if (!constraints_.may_reverse(from, to) || !dag_.can_reverse(from, to)) return kRuledOut;
  return gains_[to * n_ + from] + gains_[from * n_ + to];
}

std::optional<Step> GainMatrix::first_above(Variable child, double above) const {
  const double* row = gains_.get() + child * n_;
  for (Variable other = 0; other < n_ && bounds_[child] > above; ++other) {
    if (row[other] > above && legal_toggle(other, child)) {
      const Operator op = dag_.has_edge(other, child) ? Operator::remove : Operator::add;
      return Step{op, other, child, row[other], 0.0};
    }
  }
  for (const Variable parent : dag_.parents(child)) {
    const double gain = reversal(parent, child);
    if (gain > above) return Step{Operator::reverse, parent, child, gain, 0.0};
  }
  return std::nullopt;
}

std::optional<Step> GainMatrix::best_move(double least, double tolerance, Run& run) {
  double best = least;
  for (Variable child = 0; child < n_; ++child) refresh(child, run);
  for (Variable child = 0; child < n_; ++child) {
    if (!bounded_[child]) {
      bounds_[child] = largest_toggle(child);
      bounded_[child] = true;
    }
    for (const Variable parent : dag_.parents(child)) {
      const double gain = reversal(parent, child);
      if (gain > best) best = gain;
    }
  }
  // The largest bound is looked at again until it is the gain of a legal move.
  while (true) {
    const auto largest = std::max_element(bounds_.begin(), bounds_.end());
    if (largest == bounds_.end() || *largest <= best) break;
    const double gain = largest_toggle(static_cast<Variable>(largest - bounds_.begin()));
    if (gain == *largest) {
      best = gain;
      break;
    }
    *largest = gain;
  }
  if (best <= least) return std::nullopt;
  // Gains that dwarf the score have rounding of their own.
  const double above = std::max(best - std::max(tolerance, 1e-12 * best), least);
  for (Variable child = 0; child < n_; ++child) {
    if (const auto step = first_above(child, above)) return step;
  }
  return std::nullopt;
}

std::optional<Step> GainMatrix::first_move(Variable child, double least, Run& run) {
  refresh(child, run);
  for (const Variable parent : dag_.parents(child)) refresh(parent, run);
  bounds_[child] = largest_toggle(child);
  return first_above(child, least);
}

}  // namespace dagwright
