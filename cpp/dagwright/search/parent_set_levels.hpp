// The parent sets of one child that an optimal graph may need, by size.
//
// A set is not looked at, nor any that contains it, when no more parents can make up for what a subset
// scores (`Scorer::ceiling`, `Scorer::upper_bounds`), or when one of its members can never gain what it
// costs (`Scorer::most_gain`: the entropy bounds of de Campos et al. 2018, for penalized scores).
#pragma once

#include <cstdint>
#include <vector>

#include "dagwright/base/bit_sets.hpp"
#include "dagwright/search/all_parent_sets.hpp"

namespace dagwright {

class ParentSetLevels {
 public:
  // Throws Stopped when the run ends before anything is known.
  ParentSetLevels(const Scorer& scorer, const Constraints& constraints, double max_bytes, Run& run);

  // Asks for all sets of a child with `base` and any of `free` beside it; they are added to `out`.
  void ask(Variable child, WideSet base, WideSet free, AllParentSets& out);
  // All children's sets of a size before those of the next, so that a run that ends leaves none behind.
  void look_at_all();

 private:
  struct Asked {
    WideSet set;
    double within;  // the best score of its subsets
  };
  // Of a set whose supersets may still score higher than all its subsets.
  struct Open {
    double within;       // the best score of the set and its subsets
    double bound;        // of all that contain it
    double unexplained;  // no more can be told about the child than this: nats, over all rows
  };
  using Level = std::unordered_map<WideSet, Open>;
  struct Front {
    Variable child;
    WideSet base;
    WideSet free;
    AllParentSets* out;
    double never_explained;  // what all parents together leave of the child's entropy: nats, all rows
    Level level;             // of the sets of one size
  };

  Level score(const Front& front, const std::vector<Asked>& asked);
  std::vector<Asked> larger(const Front& front) const;
  bool can_gain(Variable child, WideSet parents, Variable added, double unexplained) const;

  const Scorer& scorer_;
  const Constraints& constraints_;
  double max_bytes_;
  Run& run_;
  // N times the entropy of v given w, at v * n + w, and of v alone, at v * n + v; empty where it tells
  // nothing about gains.
  std::vector<double> entropy_;
  std::vector<Front> fronts_;
};

}  // namespace dagwright
