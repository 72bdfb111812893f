// The parent sets of one child that an optimal graph may need, from a table of all of them.
//
// For scores without a bound that prunes: of 25 variables every set is looked at. A set is kept when it
// scores higher than all that it contains.
#pragma once

#include <cstdint>

#include "dagwright/score/all_families.hpp"
#include "dagwright/search/all_parent_sets.hpp"

namespace dagwright {

class ParentSetTable {
 public:
  // Whether that is less work than going by size, and fits.
  static bool suits(const Scorer& scorer, const Constraints& constraints, double max_bytes);

  // Throws Stopped when the run ends first.
  ParentSetTable(const Scorer& scorer, const Constraints& constraints, Run& run);

  // Adds to `out` all sets with `base` and any of `free` beside it.
  void look_at_all(Variable child, std::uint64_t base, std::uint64_t free, AllParentSets& out);

 private:
  const Scorer& scorer_;
  const Constraints& constraints_;
  AllFamilies families_;
  Run& run_;
};

}  // namespace dagwright
