// The gain of every single-edge move from a graph, kept up to date as the graph changes.
#pragma once

#include <vector>

#include "dagwright/base/run.hpp"
#include "dagwright/graph/constraints.hpp"
#include "dagwright/graph/dag.hpp"
#include "dagwright/score/scorer.hpp"
#include "dagwright/search/search.hpp"

namespace dagwright {

class GainMatrix {
 public:
  GainMatrix(const Scorer& scorer, const Constraints& constraints, const Dag& dag);

  // Scores the families of the children whose parents changed, or of one child only.
  void refresh(Run& run);
  void refresh(Variable child, Run& run);
  // To be called after a change to the graph.
  void parents_changed(Variable child) { stale_[child] = true; }

  // fn(op, from, to, gain) for every legal move that ends in an edge into `child`, removes one or
  // turns one away, and gains more than `above`, which fn may raise. Fresh gains only. Order: by
  // the other node; add, or remove before reverse.
  template <class Fn>
  void for_each_move(Variable child, const double& above, Fn&& fn) const {
    const double* gain = gains_.data() + child * n_;
    for (Variable other = 0; other < n_; ++other) {
      if (dag_.has_edge(other, child)) {
        if (gain[other] > above && constraints_.may_remove(other, child)) {
          fn(Operator::remove, other, child, gain[other]);
        }
        const double reversal = gain[other] + gains_[other * n_ + child];
        if (reversal > above && constraints_.may_reverse(other, child) &&
            dag_.can_reverse(other, child)) {
          fn(Operator::reverse, other, child, reversal);
        }
      } else if (gain[other] > above && dag_.can_add(other, child) && !dag_.has_edge(child, other)) {
        fn(Operator::add, other, child, gain[other]);
      }
    }
  }

 private:
  const Scorer& scorer_;
  const Constraints& constraints_;
  const Dag& dag_;
  std::size_t n_;
  // At child * n + other: what toggling `other` among the child's parents gains; NaN, which no
  // comparison prefers, where the constraints rule it out. A reversal is one removal and one
  // addition, so these gains serve all moves.
  std::vector<double> gains_;
  std::vector<bool> stale_;
};

}  // namespace dagwright
