#include "dagwright/search/start.hpp"

#include <stdexcept>
#include <utility>

#include "dagwright/graph/order.hpp"
#include "dagwright/search/chow_liu.hpp"

namespace dagwright {

namespace {

bool add_if_legal(Dag& dag, const Constraints& constraints, Variable from, Variable to) {
  if (!dag.can_add(from, to)) return false;
  if (!constraints.may_add(from, to) || !constraints.fits_with(to, dag.parents(to), from)) {
    return false;
  }
  dag.add(from, to);
  return true;
}

}  // namespace

Dag empty_start(const Constraints& constraints) {
  FeasibleDag feasible = constraints.feasible_dag();
  if (!feasible.dag) throw std::invalid_argument("no graph satisfies the constraints");
  return *std::move(feasible.dag);
}

Dag complete_start(const Constraints& constraints) {
  if (!constraints.limits_edges()) {  // at once, not edge by edge
    ParentLists lists(constraints.size());
    for (Variable child = 0; child < lists.size(); ++child) {
      for (Variable parent = 0; parent < child; ++parent) {
        if (constraints.fits_with(child, lists[child], parent)) lists[child].push_back(parent);
      }
    }
    return Dag(std::move(lists));
  }
  Dag dag = empty_start(constraints);
  const auto n = static_cast<Variable>(dag.size());
  for (Variable to = 1; to < n; ++to) {
    for (Variable from = 0; from < to; ++from) {
      if (!add_if_legal(dag, constraints, from, to)) add_if_legal(dag, constraints, to, from);
    }
  }
  return dag;
}

Dag tree_start(const Scorer& scorer, const Constraints& constraints, Run& run) {
  Dag dag = empty_start(constraints);
  const ParentLists tree = unconstrained_tree(scorer, run);
  for (const Variable to : topological_order(tree)) {
    for (const Variable from : tree[to]) {
      if (!add_if_legal(dag, constraints, from, to)) add_if_legal(dag, constraints, to, from);
    }
  }
  return dag;
}

Dag random_start(const Constraints& constraints, Rng& rng) {
  Dag dag = empty_start(constraints);
  const std::size_t n = dag.size();
  if (n < 2) return dag;
  for (std::size_t i = 0; i < n; ++i) {
    const auto from = static_cast<Variable>(rng.below(n));
    const auto to = static_cast<Variable>(rng.below(n));
    add_if_legal(dag, constraints, from, to);
  }
  return dag;
}

}  // namespace dagwright
