// From counts by (cell of a family, state of a candidate) to the family with that candidate.
#pragma once

#include <algorithm>
#include <cstddef>

#include "dagwright/data/family_counts.hpp"

namespace dagwright {

// Puts the candidate among the parents, which are sorted, and its counts, at cell * arity + state,
// among theirs. `shape` and `out` are written over, which spares their memory.
template <class Number>
void put_candidate(const FamilyShape& base, Variable candidate, Arity arity, const Number* counts,
                   FamilyShape& shape, FamilyCounts& out) {
  const auto& parents = base.family.parents;
  const auto place = static_cast<std::size_t>(
      std::lower_bound(parents.begin(), parents.end(), candidate) - parents.begin());
  shape = base;
  const auto at = static_cast<std::ptrdiff_t>(place);
  shape.family.parents.insert(shape.family.parents.begin() + at, candidate);
  shape.parent_arities.insert(shape.parent_arities.begin() + at, arity);
  std::vector<Count>& cells = out.begin_dense(shape);
  std::size_t after = base.child_arity;  // cells of the variables behind the candidate
  for (std::size_t i = place; i < parents.size(); ++i) after *= base.parent_arities[i];
  const std::size_t before = cells.size() / (after * arity);
  for (std::size_t a = 0; a < before; ++a) {
    for (std::size_t b = 0; b < after; ++b) {
      for (std::size_t s = 0; s < arity; ++s) {
        cells[(a * arity + s) * after + b] =
            static_cast<Count>(counts[(a * after + b) * arity + s]);
      }
    }
  }
  out.end_dense();
}

}  // namespace dagwright
