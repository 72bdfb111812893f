#include "dagwright/search/tree_augmented_naive_bayes.hpp"

#include "dagwright/search/additions.hpp"
#include "dagwright/search/tree.hpp"

namespace dagwright {

Found tree_augmented_naive_bayes(const Scorer& scorer, const Constraints& constraints,
                                 Variable target, Run& run) {
  const TreeRules rules(constraints, std::nullopt, target);
  const auto weights = [&](Variable begin, Variable end) -> PairGains {
    return {scorer.pair_information(begin, end, target, run), {}};
  };
  const ParentLists tree =
      best_tree(rules, weights, true, true, likelihood_scale(scorer), run);
  std::vector<Edge> from_target;
  for (Variable v = 0; v < scorer.n_variables(); ++v) {
    if (v != target) from_target.push_back({target, v});
  }
  return added(scorer, {from_target, edges_of(tree)}, run);
}

}  // namespace dagwright
