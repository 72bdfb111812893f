#include "dagwright/search/chow_liu.hpp"

#include "dagwright/graph/order.hpp"
#include "dagwright/search/additions.hpp"
#include "dagwright/search/tree.hpp"

namespace dagwright {

namespace {

ParentLists find_tree(const Scorer& scorer, const TreeRules& rules, bool forest, Run& run) {
  const auto weights = [&](Variable begin, Variable end) -> PairGains {
    if (forest) return scorer.pair_gains(begin, end, run);
    return {scorer.pair_information(begin, end, std::nullopt, run), {}};
  };
  return best_tree(rules, weights, !forest || scorer.score_equivalent(), !forest,
                   likelihood_scale(scorer), run);
}

}  // namespace

Found chow_liu(const Scorer& scorer, const Constraints& constraints, const ChowLiu& spec, Run& run) {
  const TreeRules rules(constraints, spec.root, std::nullopt);
  return added(scorer, {edges_of(find_tree(scorer, rules, spec.forest, run))}, run);
}

ParentLists unconstrained_tree(const Scorer& scorer, Run& run) {
  const Constraints none(scorer.n_variables());
  const TreeRules rules(none, std::nullopt, std::nullopt);
  return find_tree(scorer, rules, false, run);
}

std::vector<Variable> chow_liu_order(const Scorer& scorer, Run& run) {
  return topological_order(unconstrained_tree(scorer, run));
}

}  // namespace dagwright
