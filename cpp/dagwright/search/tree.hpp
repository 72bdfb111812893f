// The best tree or forest over the variables, from weights of pairs and within constraints.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "dagwright/base/run.hpp"
#include "dagwright/graph/constraints.hpp"
#include "dagwright/graph/edge.hpp"
#include "dagwright/score/scorer.hpp"

namespace dagwright {

// Which edges a tree may and must have. The tree may be one over the variables other than a target
// that is a parent of each of them.
class TreeRules {
 public:
  // A graph with at most one parent a node, beside the target, satisfies the constraints, which bound
  // the number of parents accordingly. The root is given no parent.
  TreeRules(const Constraints& constraints, std::optional<Variable> root,
            std::optional<Variable> target);

  std::size_t size() const { return constraints_.size(); }
  std::optional<Variable> root() const { return root_; }
  bool may(Variable parent, Variable child) const {
    return everything_ ? child != root_ : constraints_allow(parent, child);
  }
  // The edges that must be there, in one direction that satisfies the constraints.
  const ParentLists& smallest() const { return smallest_; }
  // Whether the direction of edges may matter to the constraints, beyond what the root says.
  bool directed() const { return directed_; }

 private:
  bool constraints_allow(Variable parent, Variable child) const;
  bool may_matter() const;

  const Constraints& constraints_;
  std::optional<Variable> root_;
  std::optional<Variable> target_;
  std::vector<Variable> given_parents_;
  ParentLists smallest_;
  bool everything_;  // is allowed, except for parents of the root
  bool directed_;
};

// The weights of all pairs v < w with begin <= v < end, as Scorer::pair_gains has them.
using WeightRows = std::function<PairGains(Variable begin, Variable end)>;

// The parents of each node, at most one. `spanning`: as few trees as the rules allow, and of those the
// heaviest; else the heaviest of all forests. `scale`, of the order of a graph's score, says which
// weights are equal. Weights that do not depend on the direction take memory for a few rows only, the
// others 12 bytes a pair of nodes. When the run stops, the best forest of the pairs seen so far.
ParentLists best_tree(const TreeRules& rules, const WeightRows& weights, bool symmetric, bool spanning,
                      double scale, Run& run);

std::vector<Edge> edges_of(const ParentLists& parents);

// Of the order of the log-likelihood of any graph.
double likelihood_scale(const Scorer& scorer);

}  // namespace dagwright
