// The gains of single-edge moves, each worked out when it is first asked for: for walks that draw their
// moves and look at few of them between two changes of a child's parents.
#pragma once

#include <cstddef>
#include <vector>

#include "dagwright/base/run.hpp"
#include "dagwright/graph/constraints.hpp"
#include "dagwright/graph/dag.hpp"
#include "dagwright/score/scorer.hpp"
#include "dagwright/search/search.hpp"

namespace dagwright {

class LazyGains {
 public:
  LazyGains(const Scorer& scorer, const Constraints& constraints, const Dag& dag);

  // What a legal move gains.
  double of(const Step& move, Run& run);

  // To be called after each change to the graph.
  void moved(const Step& step);
  void forget_all();

 private:
  double toggle(Variable other, Variable child, Run& run);
  void ask_for_all(Variable child, Run& run);
  void forget(Variable child);

  const Scorer& scorer_;
  const Constraints& constraints_;
  const Dag& dag_;
  std::size_t n_;
  std::vector<double> gains_;       // at child * n + other; NaN where not known
  std::vector<std::size_t> asked_;  // by child, since its parents changed
};

}  // namespace dagwright
