#include "dagwright/search/lazy_gains.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace dagwright {

namespace {
constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

// All gains of a child at once take the time of about this share of them one by one.
constexpr std::size_t kShare = 4;
}  // namespace

LazyGains::LazyGains(const Scorer& scorer, const Constraints& constraints, const Dag& dag)
    : scorer_(scorer),
      constraints_(constraints),
      dag_(dag),
      n_(dag.size()),
      gains_(n_ * n_, kUnknown),
      asked_(n_, 0) {}

double LazyGains::of(const Step& move, Run& run) {
  const double gain = toggle(move.from, move.to, run);
  return move.op == Operator::reverse ? gain + toggle(move.to, move.from, run) : gain;
}

void LazyGains::moved(const Step& step) {
  forget(step.to);
  if (step.op == Operator::reverse) forget(step.from);
}

void LazyGains::forget_all() {
  for (Variable child = 0; child < n_; ++child) forget(child);
}

void LazyGains::forget(Variable child) {
  if (asked_[child] == 0) return;
  asked_[child] = 0;
  std::fill_n(gains_.begin() + static_cast<std::ptrdiff_t>(child * n_), n_, kUnknown);
}

double LazyGains::toggle(Variable other, Variable child, Run& run) {
  double& gain = gains_[child * n_ + other];
  if (!std::isnan(gain)) return gain;
  // As with renting or buying: whoever has paid for the share so far never pays twice the least.
  if (++asked_[child] > n_ / kShare + 1) {
    ask_for_all(child, run);
    return gain;
  }
  gain = scorer_.gains({child, dag_.parents(child)}, std::span(&other, 1), run).front();
  return gain;
}

void LazyGains::ask_for_all(Variable child, Run& run) {
  const auto& parents = dag_.parents(child);
  std::vector<Variable> candidates;
  for (Variable other = 0; other < n_; ++other) {
    if (other == child || !std::isnan(gains_[child * n_ + other])) continue;
    if (dag_.has_edge(other, child) || (constraints_.may_add(other, child) &&
                                        constraints_.fits_with(child, parents, other))) {
      candidates.push_back(other);
    }
  }
  const std::vector<double> gains = scorer_.gains({child, parents}, candidates, run);
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    gains_[child * n_ + candidates[i]] = gains[i];
  }
}

}  // namespace dagwright
