#include "dagwright/search/all_parent_sets.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <optional>

#include "dagwright/graph/possible_parents.hpp"
#include "dagwright/search/parent_set_levels.hpp"
#include "dagwright/search/parent_set_table.hpp"

namespace dagwright {

namespace {

bool better(const ScoredSet& a, const ScoredSet& b) {
  if (a.score != b.score) return a.score > b.score;
  const int size_a = std::popcount(a.members), size_b = std::popcount(b.members);
  return size_a != size_b ? size_a < size_b : a.members < b.members;
}

}  // namespace

std::vector<AllParentSets> all_parent_sets(const Scorer& scorer, const Constraints& constraints,
                                           double max_bytes, Run& run) {
  const auto n = static_cast<Variable>(scorer.n_variables());
  std::optional<ParentSetLevels> levels;  // one of the two
  std::optional<ParentSetTable> table;
  try {
    if (!scorer.ceiling_is_best() && ParentSetTable::suits(scorer, constraints, max_bytes)) {
      table.emplace(scorer, constraints, run);
    } else {
      levels.emplace(scorer, constraints, max_bytes, run);
    }
  } catch (const Stopped&) {
    // Then no child's sets are looked at.
  }

  std::vector<AllParentSets> all(n);
  for (Variable child = 0; child < n; ++child) {
    AllParentSets& out = all[child];
    const PossibleParents possible(constraints, child);
    out.adjacent = possible.adjacent;
    out.rest = -std::numeric_limits<double>::infinity();
    // Each choice of the adjacent ones by itself: others are no substitute, they fit other orders.
    for (WideSet chosen = out.adjacent;; chosen = (chosen - 1) & out.adjacent) {
      const WideSet base = possible.required | chosen;
      try {
        if (!levels && !table) throw Stopped{run.reason()};
        if (levels) levels->ask(child, base, possible.free, out);
        if (table) table->look_at_all(child, base, possible.free, out);
      } catch (const Stopped&) {
        out.complete = false;
        Run enough;  // the one that was given has ended
        out.rest = std::max(out.rest, scorer.upper_bound({child, members_of(base)}, enough));
      }
      if (chosen == 0) break;
    }
  }
  if (levels) levels->look_at_all();
  for (AllParentSets& out : all) std::sort(out.sets.begin(), out.sets.end(), better);
  return all;
}

}  // namespace dagwright
