// The gain of every single-edge move from a graph, kept up to date as the graph changes.
#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <optional>
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

  // Which of the legal moves a search wants to take; asked only about moves that may be the best.
  using Wanted = std::function<bool(const Step& move)>;

  // The best legal move that gains more than `least`; none if there is none. Gains within `tolerance`
  // of the best are ties: the first of them by child, then in the order of first_move, is taken. If it
  // adds an edge that may as well point the other way, what could follow decides (edge_direction.hpp).
  // Without `wanted` every move is.
  std::optional<Step> best_move(double least, double tolerance, Run& run,
                                const Wanted& wanted = {});

  // The first legal move that gains more than `least` and changes the parents of `child`: added or
  // removed edges by the other node, then reversed ones.
  std::optional<Step> first_move(Variable child, double least, Run& run);

  // To be called after each change to the graph.
  void moved(const Step& step);

 private:
  void refresh(Variable child, Run& run);
  void fill_of_empty_graph(Run& run);
  bool may_toggle(Variable other, Variable child) const;
  bool legal_toggle(Variable other, Variable child) const;
  Step toggle(Variable other, Variable child) const;  // with its gain
  double largest_toggle(Variable child, const Wanted& wanted) const;
  double reversal(Variable from, Variable to) const;  // NaN when it is not legal
  Step in_better_direction(const Step& step, double above, double tolerance, const Wanted& wanted,
                           Run& run) const;
  std::optional<Step> first_above(Variable child, double above, const Wanted& wanted) const;

  const Scorer& scorer_;
  const Constraints& constraints_;
  const Dag& dag_;
  std::size_t n_;
  // At child * n + other: what toggling `other` among the child's parents gains; NaN, which no
  // comparison prefers, where the constraints rule it out. A reversal is one removal and one
  // addition, so these gains serve all moves.
  // A row is set by its first refresh and not before: for thousands of variables that takes seconds.
  std::unique_ptr<double[]> gains_;
  std::vector<bool> stale_;
  bool all_stale_ = true;
  // No legal toggle in the child's row gains more, wanted or not. A new edge makes moves illegal, never
  // legal, so a bound stays valid until an edge goes or turns.
  std::vector<double> bounds_;
  std::vector<bool> bounded_;
};

}  // namespace dagwright
