// A walk from class to class of equivalent DAGs, one edge at a time.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "dagwright/base/run.hpp"
#include "dagwright/graph/constraints.hpp"
#include "dagwright/score/scorer.hpp"
#include "dagwright/search/class_gains.hpp"
#include "dagwright/search/class_member.hpp"
#include "dagwright/search/class_moves.hpp"
#include "dagwright/search/gains_ahead.hpp"
#include "dagwright/search/search.hpp"

namespace dagwright {

// The scorer is score-equivalent. Only classes with a member that satisfies the constraints are visited.
class ClassWalk {
 public:
  // Goes on from the class of a graph that satisfies the constraints; steps are added to its trace.
  ClassWalk(const Scorer& scorer, const Constraints& constraints, Found from);

  // Calls steps(run), which takes steps of this walk, while other threads count ahead.
  void go(Run& run, const std::function<void(Run&)>& steps);

  // The best legal move of some kinds that gains more than `least`; none if there is none. Ties go to the
  // earlier kind, then to the first by y, x and `into`.
  std::optional<ClassGains::Best> best_move(std::span<const Operator> kinds, double least, Run& run);

  // Goes to the class that a legal move leads to. False if the score there is not what the move
  // promised: then equivalent graphs differ in score.
  bool take(const ClassGains::Best& best, Run& run);

  // Some node had too many moves to try them all.
  bool capped() const { return gains_.capped(); }

  // A graph of the class that satisfies the constraints: that of the start, as long as no move was taken,
  // else one that depends on the class alone. The walk is over.
  Found end(Finish finish);

 private:
  bool legal(const ClassMove& move) const;
  void add_up();

  const Scorer& scorer_;
  const Constraints& constraints_;
  Found found_;
  std::size_t n_before_;  // steps of the trace that this walk began with
  ParentLists member_;    // of the class; satisfies the constraints
  EquivalenceClass graph_;
  GainsAhead ahead_;
  ClassGains gains_;
  std::vector<double> local_;  // by node, of the member
  double total_ = 0;           // their sum, and that of their sizes
  double size_ = 0;
  MemberChanges changes_;
  // Kept for their memory.
  Nodes changed_nodes_;
  std::vector<Family> families_;
  Scorer::Batch batch_;
  bool members_differ_;  // some members of a class may satisfy the constraints, and others not
};

}  // namespace dagwright
