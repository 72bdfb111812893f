#include "dagwright/search/gain_matrix.hpp"

#include <algorithm>
#include <limits>

namespace dagwright {

GainMatrix::GainMatrix(const Scorer& scorer, const Constraints& constraints, const Dag& dag)
    : scorer_(scorer),
      constraints_(constraints),
      dag_(dag),
      n_(dag.size()),
      gains_(n_ * n_, std::numeric_limits<double>::quiet_NaN()),
      stale_(n_, true) {}

void GainMatrix::refresh(Run& run) {
  for (Variable child = 0; child < n_; ++child) refresh(child, run);
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
  double* row = gains_.data() + child * n_;
  std::fill(row, row + n_, std::numeric_limits<double>::quiet_NaN());
  for (std::size_t i = 0; i < candidates.size(); ++i) row[candidates[i]] = gains[i];
  stale_[child] = false;
}

}  // namespace dagwright
