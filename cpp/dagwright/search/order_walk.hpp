// An order of the variables, in which each has the best of its parent sets that comes before it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "dagwright/base/rng.hpp"
#include "dagwright/search/parent_sets.hpp"

namespace dagwright {

// The sets to choose from, and where each variable is among the candidates of the others. The sets
// may grow between walks; the places then are looked up anew.
class ParentSetPool {
 public:
  explicit ParentSetPool(std::vector<ParentSets> of_child);

  std::size_t size() const { return of_child_.size(); }
  const ParentSets& of(Variable child) const { return of_child_[child]; }
  // The bit of `parent` in the sets of `child`, 0 where it is no candidate.
  std::uint64_t bit(Variable child, Variable parent) const {
    const std::uint8_t place = places_[child * size() + parent];
    return place == kNoPlace ? 0 : std::uint64_t{1} << place;
  }
  ParentSets& growing(Variable child) { return of_child_[child]; }
  void find_places();  // to be called after growing

 private:
  static constexpr std::uint8_t kNoPlace = 255;
  std::vector<ParentSets> of_child_;
  std::vector<std::uint8_t> places_;  // at child * n + parent
};

class OrderWalk {
 public:
  // Some set of every variable must fit into the order.
  OrderWalk(const ParentSetPool& pool, std::vector<Variable> order);

  const std::vector<Variable>& order() const { return order_; }
  double score() const { return score_; }
  ParentLists parents() const;
  std::uint64_t members(Variable v) const { return chosen_[v].members; }

  // To be called when the pool has grown: chooses anew.
  void refresh();

  // Puts variables where they gain most, until none gains.
  void climb(Rng& rng, Run& run);
  // The same for the variables that the last moves concern alone: most of the gain for a fraction of
  // the work.
  void settle(Run& run);
  // Puts some variables anywhere they fit.
  void shake(std::size_t n_moves, Rng& rng);

 private:
  struct Place {
    std::size_t position;
    double gain;
  };
  const std::vector<ScoredSet>& sets(Variable v) const { return pool_->of(v).sets(); }
  ScoredSet first_fit(Variable v, std::uint64_t before, double most) const;
  ScoredSet with_one_more(Variable v, std::uint64_t bit) const;
  ScoredSet with_one_less(Variable v, std::uint64_t bit) const;
  Place best_place(Variable v) const;
  void move(Variable v, std::size_t position);
  void choose(Variable v, const ScoredSet& set);
  void concern(Variable v);

  const ParentSetPool* pool_;
  std::vector<Variable> order_;
  std::vector<std::size_t> position_;
  std::vector<std::uint64_t> before_;  // the candidates of each variable that come before it
  std::vector<ScoredSet> chosen_;      // its best set there
  double score_ = 0;
  std::vector<Variable> concerned_;  // by moves since the last settle() or climb(), in their order
  std::vector<char> is_concerned_;
};

}  // namespace dagwright
