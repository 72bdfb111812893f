// The weights of parent sets that samplers choose from, and their sums.
//
// Each child has a few candidates; all sets of these are in tables. Beside them, one parent that is no
// candidate may stand alone: so that no order of the variables is impossible, however few candidates there
// are. Weights are e^(local score + log prior), less the child's largest.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <utility>
#include <vector>

#include "dagwright/base/bit_sets.hpp"
#include "dagwright/base/run.hpp"
#include "dagwright/base/wide.hpp"
#include "dagwright/graph/constraints.hpp"
#include "dagwright/score/scorer.hpp"

namespace dagwright {

inline constexpr std::size_t kMostCandidatesInTable = 20;

class ParentTable {
 public:
  // The candidates of each child, with all that must be its parents or connected to it among them.
  // Throws Stopped when the run ends first.
  ParentTable(const Scorer& scorer, const Constraints& constraints, ParentLists candidates, Run& run);

  static double bytes(const ParentLists& candidates);

  static constexpr double kNegligible = 40;  // nats: less than the rounding of a double

  std::size_t size() const { return children_.size(); }
  const std::vector<Variable>& candidates(Variable child) const { return children_[child].candidates; }

  // The members of a set of candidates, sorted.
  std::vector<Variable> parents(Variable child, Set members) const;
  // Those that must be connected to it, in either direction.
  std::vector<Variable> adjacent(Variable child) const {
    return parents(child, children_[child].adjacent);
  }

  // Which candidates of the child `holds` says yes to.
  template <class Predicate>
  Set members(Variable child, Predicate&& holds) const {
    Set set = 0;
    const auto& candidates = children_[child].candidates;
    for (std::size_t k = 0; k < candidates.size(); ++k) {
      set |= static_cast<Set>(holds(candidates[k])) << k;
    }
    return set;
  }

  // The log of the weight of parents, scores and all: -inf if they are not in the tables.
  double log_weight(Variable child, const std::vector<Variable>& parents) const;

  // Parents of one child: candidates as bits, or one that is none.
  struct Parents {
    Set candidates = 0;
    Variable other = kNone;
  };
  static constexpr Variable kNone = ~Variable{0};
  std::vector<Variable> listed(Variable child, const Parents& parents) const;
  double log_weight(Variable child, const Parents& parents) const;

  // What follows is about the parents that a child may have if `before(v)` says which variables come
  // before it; `before` is also given as the candidates among them. Those that must be connected to it
  // and come before it are in all of the sets. Logs of sums are less `shift(child)`.

  // Of all sets.
  template <class Predicate>
  double log_sum(Variable child, Set before_members, Predicate&& before) const {
    const Child& own = children_[child];
    const double sum = own.log_sums[before_members];
    if (!others_matter(child, sum)) return sum;
    return with_others(own, before_members, sum, before);
  }

  // Of the sets with a member that `near` says yes to; all of those come before. Or else, if the sets that
  // have none outweigh them by far, what the sum cannot exceed, and `exact` becomes false.
  template <class Predicate>
  double log_sum_near(Variable child, Set before_members, Set near_members, Predicate&& near,
                      bool& exact) const {
    const Child& own = children_[child];
    const double sum = log_sum_of_candidates(own, before_members, near_members, exact);
    if (!others_matter(child, sum)) return sum;
    return with_others(own, before_members, sum, near);
  }

  // The same, exact in any case: if need be by going through the sets.
  template <class Predicate>
  double log_sum_near(Variable child, Set before_members, Set near_members, Predicate&& near) const {
    bool exact = true;
    const double sum = log_sum_near(child, before_members, near_members, near, exact);
    if (exact) return sum;
    const Child& own = children_[child];
    return with_others(own, before_members, log_sum_listed(own, before_members, near_members), near);
  }

  // One of these sets, by a number in [0, 1): of all, or of those with a member that is near.
  template <class Predicate>
  Parents draw(Variable child, Set before_members, Set near_members, bool any, Predicate&& near,
               double uniform) const;

  // Whether parents that are no candidates add anything to a sum.
  bool others_matter(Variable child, double log_sum) const {
    return children_[child].log_others > log_sum - kNegligible;
  }

  // For chains that keep sums up to date themselves: the log of the sum over the sets of the candidates that
  // come before.
  const std::vector<double>& log_sums(Variable child) const { return children_[child].log_sums; }
  // The same with all others in it, whoever comes before. The last bit of a bound says whether they may
  // add anything: so that who has it need not look into the other table.
  const std::vector<double>& log_bounds(Variable child) const { return children_[child].log_bounds; }
  static bool others_may_add(double log_bound) {
    return (std::bit_cast<std::uint64_t>(log_bound) & 1) != 0;
  }
  double log_scale(Variable child) const { return children_[child].largest_other; }  // of the heaviest
  // The variables that may be the only parent though they are no candidates, heaviest first.
  struct Other {
    Variable variable;
    double log;     // of the weight of the one parent alone
    double weight;  // in units of the heaviest
  };
  const std::vector<Other>& others(Variable child) const { return children_[child].others; }

  double shift(Variable child) const { return children_[child].shift; }

 private:
  struct Child {
    std::vector<Variable> candidates;  // sorted
    Set adjacent = 0;                  // must be parents unless they are children
    double shift = 0;                  // the largest log weight: all others are less this
    std::vector<double> logs;          // of the weight of each set; -inf where there is none
    std::vector<Wide> sums;            // over the sets that fit a set of candidates that come before
    std::vector<double> log_sums;      // their logs
    std::vector<double> log_bounds;    // of the sums with all others, wherever those come
    std::vector<Set> by_weight;        // sets that have a weight, heaviest first
    std::vector<Other> others;         // heaviest first
    double log_others = 0;             // the log of their sum; -inf for none
    double largest_other = 0;
  };

  static bool fits(const Child& child, Set parents, Set before) {
    return (parents & ~before) == 0 && (parents & child.adjacent) == (before & child.adjacent);
  }
  static double log_sum_of_candidates(const Child& child, Set before, Set near, bool& exact);
  static double log_sum_listed(const Child& child, Set before, Set near);

  // Adds the weights of others for which the predicate holds to a sum.
  template <class Predicate>
  static double with_others(const Child& child, Set before, double log_sum, Predicate&& holds) {
    if ((before & child.adjacent) != 0) return log_sum;
    double others = 0, largest = 0;
    for (const Other& other : child.others) {  // heaviest first, whatever is too light does not matter
      if (!holds(other.variable)) continue;
      if (others == 0) largest = other.log;
      if (other.log < largest - kNegligible) break;
      others += largest == child.largest_other ? other.weight : std::exp(other.log - largest);
    }
    return others > 0 ? log_added(log_sum, largest + std::log(others)) : log_sum;
  }
  static double log_added(double a, double b);

  std::vector<Child> children_;
};

template <class Predicate>
ParentTable::Parents ParentTable::draw(Variable child, Set before_members, Set near_members, bool any,
                                       Predicate&& near, double uniform) const {
  const Child& own = children_[child];
  struct Choice {
    Parents parents;
    double weight;  // its log at first
  };
  thread_local std::vector<Choice> choices;  // kept, as this is called millions of times
  choices.clear();
  double heaviest = -std::numeric_limits<double>::infinity();
  const auto offer = [&](Set set) {
    if (!fits(own, set, before_members) || !(any || (set & near_members) != 0)) return true;
    heaviest = std::max(heaviest, own.logs[set]);
    if (own.logs[set] < heaviest - kNegligible) return false;
    choices.push_back({{set, kNone}, own.logs[set]});
    return true;
  };
  constexpr int kFew = 9;
  if (std::popcount(before_members) <= kFew) {
    for (Set set = before_members;; set = (set - 1) & before_members) {
      offer(set);
      if (set == 0) break;
    }
  } else {
    for (const Set set : own.by_weight) {
      if (!offer(set)) break;  // and so are all that follow
    }
  }
  if ((before_members & own.adjacent) == 0 && own.log_others > heaviest - kNegligible) {
    for (const Other& other : own.others) {
      if (!near(other.variable)) continue;
      heaviest = std::max(heaviest, other.log);
      choices.push_back({{0, other.variable}, other.log});
    }
  }
  if (!(heaviest > -std::numeric_limits<double>::infinity())) {
    throw std::logic_error("no parents to draw from");
  }
  double total = 0;
  for (Choice& choice : choices) total += choice.weight = std::exp(choice.weight - heaviest);
  double left = uniform * total;
  for (const Choice& choice : choices) {
    left -= choice.weight;
    if (left < 0) return choice.parents;
  }
  return choices.back().parents;  // rounding led beyond the last
}

}  // namespace dagwright
