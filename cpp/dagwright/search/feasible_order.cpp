#include "dagwright/search/feasible_order.hpp"

#include <algorithm>
#include <cstdint>
#include <map>

namespace dagwright {

namespace {

class Filling {
 public:
  Filling(const Constraints& constraints, const std::vector<Variable>& wish)
      : constraints_(constraints), left_(wish), gone_(wish.size(), false), joined_(wish.size()) {
    const Dag smallest = constraints.feasible_dag().dag.value();
    for (const Edge& edge : smallest.edges()) {
      joined_[edge.from].push_back(edge.to);
      joined_[edge.to].push_back(edge.from);
    }
    for (const Variable v : wish) ++n_in_tier_[constraints.tier(v)];
  }

  std::vector<Variable> go() {
    std::vector<Variable> order(left_.size());
    for (std::size_t place = order.size(); place-- > 0;) order[place] = take(next());
    return order;
  }

 private:
  // The demanded edges between v and the nodes left may all point at v.
  bool may_be_last(Variable v) const {
    std::vector<Variable> parents;
    for (const Variable other : joined_[v]) {
      if (gone_[other]) continue;
      if (constraints_.required(v, other) || !constraints_.allowed(other, v)) return false;
      parents.push_back(other);
    }
    return constraints_.fits(v, parents);
  }

  std::size_t next() const {
    std::size_t any = left_.size();
    for (std::size_t i = left_.size(); i-- > 0;) {
      if (!may_be_last(left_[i])) continue;
      const std::int32_t tier = constraints_.tier(left_[i]);
      if (tier == kNoTier || tier == n_in_tier_.rbegin()->first) return i;
      if (any == left_.size()) any = i;
    }
    return any;
  }

  Variable take(std::size_t place) {
    const Variable v = left_[place];
    left_.erase(left_.begin() + static_cast<std::ptrdiff_t>(place));
    gone_[v] = true;
    const auto tier = n_in_tier_.find(constraints_.tier(v));
    if (--tier->second == 0) n_in_tier_.erase(tier);
    return v;
  }

  const Constraints& constraints_;
  std::vector<Variable> left_;
  std::vector<bool> gone_;
  ParentLists joined_;  // by edges that must be there
  std::map<std::int32_t, std::size_t> n_in_tier_;
};

}  // namespace

std::vector<Variable> feasible_order(const Constraints& constraints,
                                     const std::vector<Variable>& wish) {
  return Filling(constraints, wish).go();
}

}  // namespace dagwright
