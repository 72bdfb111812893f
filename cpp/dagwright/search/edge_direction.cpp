#include "dagwright/search/edge_direction.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace dagwright {

bool goes_the_other_way(Variable from, Variable to, const GainsBefore& before, const Scorer& scorer,
                        const Constraints& constraints, const Dag& dag, double tolerance,
                        Run& run) {
  // How an edge changes what others gain as parents of its child, where they gain at all.
  struct Effect {
    double more = 0.0;
    double less = 0.0;  // 0 or negative
  };
  const auto effect_of = [&](Variable parent, Variable child, std::span<const double> gains) {
    Family family{child, dag.parents(child)};
    auto& parents = family.parents;
    parents.insert(std::lower_bound(parents.begin(), parents.end(), parent), parent);
    std::vector<Variable> others;
    for (Variable other = 0; other < dag.size(); ++other) {
      if (other != parent && dag.can_add(other, child) && constraints.may_add(other, child) &&
          constraints.fits_with(child, parents, other)) {
        others.push_back(other);
      }
    }
    const std::vector<double> after = scorer.gains(family, others, run);
    Effect effect;
    for (std::size_t i = 0; i < others.size(); ++i) {
      const double change = std::max(0.0, after[i]) - std::max(0.0, gains[others[i]]);
      (change > 0.0 ? effect.more : effect.less) += change;
    }
    return effect;
  };
  const Effect one = effect_of(from, to, before.of_to);
  const Effect other = effect_of(to, from, before.of_from);
  const double more = other.more - one.more;
  return (std::abs(more) > tolerance ? more : other.less - one.less) > tolerance;
}

}  // namespace dagwright
