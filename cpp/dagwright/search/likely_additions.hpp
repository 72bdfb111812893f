// What a walk over classes is likely to add next, one edge after the other.
#pragma once

#include <span>
#include <vector>

#include "dagwright/base/node_set.hpp"
#include "dagwright/graph/edge.hpp"
#include "dagwright/search/equivalence_class.hpp"
#include "dagwright/search/gains_question.hpp"

namespace dagwright {

// The edge x -> y, in members of the class where y has these other parents, which lie elsewhere.
struct LikelyAddition {
  double when = 0;  // it is made once nothing gains more than this: the least that it and those before it gain
  double gain = 0;
  double score = 0;  // of the family that it makes; NaN where that is not known
  Variable x = 0;
  Variable y = 0;
  std::span<const Variable> others;
};

// A list that is made anew from time to time. Additions are offered in the order in which they are likely made: those
// that gain most now, and what will follow from those whose answer is known, which often gains more than they do.
class LikelyAdditions {
 public:
  // The graph outlives it.
  explicit LikelyAdditions(const EquivalenceClass& graph) : graph_(graph), touched_(graph.size()) {}

  void clear();

  // Whether something follows before an addition that gains so much; then it is `next`, and taken out.
  bool take_follower(double gain, LikelyAddition& next);

  // Whether an addition is still what it was when those on the list are made: they join neither its ends nor one of
  // them to a neighbour of the other.
  bool stays(const LikelyAddition& addition) const;

  void add(const LikelyAddition& addition);

  // Once an addition has made this family, which outlives the list, the best one for the same child may follow.
  void add_follower(const LikelyAddition& first, const Family& made, const Gaining& gaining);

 private:
  bool joined(Variable a, Variable b) const;

  const EquivalenceClass& graph_;
  std::vector<Edge> edges_;
  NodeSet touched_;                        // by an edge
  std::vector<LikelyAddition> followers_;  // a heap
};

}  // namespace dagwright
