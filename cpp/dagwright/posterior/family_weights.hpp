// The weight of every family that the constraints allow: what posteriors are sums of products of.
// Nothing is pruned: a sum needs the small ones too.
#pragma once

#include <vector>

#include "dagwright/base/run.hpp"
#include "dagwright/graph/constraints.hpp"
#include "dagwright/base/bit_sets.hpp"
#include "dagwright/score/scorer.hpp"

namespace dagwright {

struct ChildWeights {
  std::vector<Set> sets;     // of parents, ascending, numbered without the child's own bit
  std::vector<double> logs;  // of their weights, less `shift`
  double shift = 0;          // of the largest: all logs are at most 0
  Set adjacent = 0;          // must be parents unless they are children; numbered like the sets
};

struct FamilyWeights {
  std::vector<ChildWeights> children;
  std::vector<Set> conflicts;  // for each node those that cannot be sinks beside it: must be adjacent

  std::size_t n() const { return children.size(); }
  std::size_t n_families() const;
  double total_shift() const;
};

// Weights e^(local score + log structure prior).
FamilyWeights posterior_weights(const Scorer& scorer, const Constraints& constraints, Run& run);

// The same families with the structure prior alone.
FamilyWeights prior_weights(const Scorer& scorer, const Constraints& constraints, Run& run);

// The given logs of all parent sets, by child and set; -inf for none.
FamilyWeights given_weights(std::vector<std::vector<double>> logs);

// Whether P may be the parents of the child, if those before it are `before`.
inline bool fits_before(const ChildWeights& child, Set parents, Set before) {
  return (parents & ~before) == 0 && (parents & child.adjacent) == (before & child.adjacent);
}

}  // namespace dagwright
