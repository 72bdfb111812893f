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

// Calls fn for every set of at most `most` of the members, small ones first.
template <class Fn>
void for_each_choice(WideSet members, std::size_t most, Fn&& fn) {
  const auto bits = members_of(members);
  const auto extend = [&](const auto& self, WideSet chosen, std::size_t from, std::size_t left) -> void {
    if (left == 0) return fn(chosen);
    for (std::size_t i = from; i + left <= bits.size(); ++i) {
      self(self, chosen | bit_of<WideSet>(bits[i]), i + 1, left - 1);
    }
  };
  for (std::size_t size = 0; size <= std::min(most, bits.size()); ++size) extend(extend, 0, 0, size);
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
    try {
      if (!levels && !table) throw Stopped{run.reason()};
      for_each_choice(possible.adjacent, constraints.max_parents(), [&](WideSet chosen) {
        if (run.stopping()) throw Stopped{run.reason()};
        const WideSet base = possible.required | chosen;
        if (levels) levels->ask(child, base, possible.free, out);
        if (table) table->look_at_all(child, base, possible.free, out);
      });
    } catch (const Stopped&) {
      out.complete = false;
      Run enough;  // the one that was given has ended
      const Family least{child, members_of(possible.required)};
      out.rest = std::max(out.rest, scorer.upper_bound(least, enough));
    }
  }
  if (levels) levels->look_at_all();
  for (AllParentSets& out : all) std::sort(out.sets.begin(), out.sets.end(), better);
  return all;
}

}  // namespace dagwright
