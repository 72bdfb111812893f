// What a search may do to a graph: which edges are allowed, required, or wanted in either
// direction, and how large a family may grow. Costs memory only for what is constrained.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "dagwright/base/node_set.hpp"
#include "dagwright/graph/dag.hpp"
#include "dagwright/graph/edge.hpp"

namespace dagwright {

inline constexpr std::size_t kAnyNumberOfParents = std::numeric_limits<std::size_t>::max();
inline constexpr double kAnyNumberOfParameters = std::numeric_limits<double>::infinity();
inline constexpr std::int32_t kNoTier = -1;

struct ConstraintSpec {
  std::size_t n = 0;
  std::vector<Edge> required;
  std::vector<Edge> forbidden;
  std::vector<Edge> adjacent;            // an unordered pair: connected, direction free
  std::vector<std::int32_t> tiers;       // by node, kNoTier when free; or empty
  std::size_t max_parents = kAnyNumberOfParents;
  double max_parameters = kAnyNumberOfParameters;  // of one family: q * (r - 1)
  std::vector<Arity> arities;            // by node; may be empty without max_parameters
};

// A start graph for searches, or the nodes that cannot be put in any order.
struct FeasibleDag {
  std::optional<Dag> dag;
  std::vector<Variable> stuck;  // sorted; empty when there is a dag
};

class Constraints {
 public:
  explicit Constraints(std::size_t n);  // everything is allowed
  explicit Constraints(ConstraintSpec spec);  // throws std::invalid_argument on bad numbers

  std::size_t size() const { return spec_.n; }
  bool limits_edges() const { return limits_edges_; }  // false: may_add and may_remove always hold
  std::size_t max_parents() const { return spec_.max_parents; }
  bool limits_parameters() const { return spec_.max_parameters != kAnyNumberOfParameters; }
  const ConstraintSpec& spec() const { return spec_; }

  bool allowed(Variable parent, Variable child) const {
    return (forbidden_.empty() || !forbidden_[child].test(parent)) && in_tier_order(parent, child);
  }
  bool required(Variable parent, Variable child) const {
    return !required_.empty() && required_[child].test(parent);
  }
  std::int32_t tier(Variable v) const { return spec_.tiers.empty() ? kNoTier : spec_.tiers[v]; }
  bool adjacent(Variable a, Variable b) const {
    return !adjacent_.empty() && adjacent_[a].test(b);
  }

  // These four do not look at the graph: the caller knows which edges are there.
  bool may_add(Variable parent, Variable child) const { return allowed(parent, child); }
  // A DAG has at most one edge between two nodes, so it is the pair's only connection.
  bool may_remove(Variable parent, Variable child) const {
    return !required(parent, child) && !adjacent(parent, child);
  }
  bool may_reverse(Variable from, Variable to) const {
    return !required(from, to) && allowed(to, from);
  }
  // The bounds on one family: the number of parents and of parameters.
  bool fits(Variable child, std::span<const Variable> parents) const {
    return parents.size() <= spec_.max_parents && parameters_fit(child, parents, 1.0);
  }
  // The same for `parents` and one more.
  bool fits_with(Variable child, std::span<const Variable> parents, Variable extra) const {
    return parents.size() < spec_.max_parents &&
           (spec_.arities.empty() || parameters_fit(child, parents, spec_.arities[extra]));
  }

  bool satisfied_by(const Dag& dag) const;

  // The smallest graph that satisfies the constraints: the required edges and one orientation of
  // each adjacent pair.
  FeasibleDag feasible_dag() const;

 private:
  bool in_tier_order(Variable parent, Variable child) const {
    // A free node (kNoTier, below every tier) may be on either side.
    return spec_.tiers.empty() || spec_.tiers[parent] <= spec_.tiers[child] ||
           spec_.tiers[child] == kNoTier;
  }
  bool parameters_fit(Variable child, std::span<const Variable> parents, double q) const;

  ConstraintSpec spec_;
  bool limits_edges_ = false;
  std::vector<NodeSet> forbidden_;  // by child; empty when nothing is forbidden
  std::vector<NodeSet> required_;   // by child
  std::vector<NodeSet> adjacent_;   // by node, symmetric
};

}  // namespace dagwright
