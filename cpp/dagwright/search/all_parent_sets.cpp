#include "dagwright/search/all_parent_sets.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <unordered_map>

#include "dagwright/base/ties.hpp"

namespace dagwright {

namespace {

constexpr double kNothing = -std::numeric_limits<double>::infinity();

// Of a set whose supersets may still score higher than all its subsets.
struct Open {
  double within;  // the best score of the set and its subsets
  double bound;   // of all that contain it
};
using Level = std::unordered_map<std::uint64_t, Open>;

std::vector<Variable> members_of(std::uint64_t set) {
  std::vector<Variable> out;
  for (; set != 0; set &= set - 1) out.push_back(static_cast<Variable>(std::countr_zero(set)));
  return out;
}

bool better(const ScoredSet& a, const ScoredSet& b) {
  if (a.score != b.score) return a.score > b.score;
  const int size_a = std::popcount(a.members), size_b = std::popcount(b.members);
  return size_a != size_b ? size_a < size_b : a.members < b.members;
}

}  // namespace

AllParentSets all_parent_sets(const Scorer& scorer, const Constraints& constraints, Variable child,
                              double max_bytes, Run& run) {
  AllParentSets out;
  std::vector<std::uint64_t> free;  // one bit each
  for (Variable v = 0; v < scorer.n_variables(); ++v) {
    if (v == child) continue;
    const std::uint64_t bit = std::uint64_t{1} << v;
    const bool adjacent = constraints.adjacent(v, child);
    if (constraints.required(v, child) || (adjacent && !constraints.allowed(child, v))) {
      out.required |= bit;
    } else if (adjacent && constraints.allowed(v, child)) {
      out.adjacent |= bit;
    } else if (constraints.allowed(v, child)) {
      free.push_back(bit);
    }
  }

  // Scores the sets of one size, and says which are open.
  const auto look_at = [&](const std::vector<std::pair<std::uint64_t, double>>& wanted,
                           Level& level) {
    constexpr std::size_t kChunk = 1 << 15;
    for (std::size_t begin = 0; begin < wanted.size(); begin += kChunk) {
      const std::size_t end = std::min(begin + kChunk, wanted.size());
      std::vector<Family> families;
      for (std::size_t i = begin; i < end; ++i) {
        families.push_back({child, members_of(wanted[i].first)});
      }
      const auto scores = scorer.local(families, run);
      const auto bounds = scorer.upper_bounds(families, run);
      for (std::size_t i = begin; i < end; ++i) {
        const auto [set, within] = wanted[i];
        const double score = scores[i - begin];
        out.n_scored++;
        if (score > within + tie_tolerance(score)) out.sets.push_back({set, score});
        const double best = std::max(within, score);
        // A bound that is met exactly leaves nothing to gain.
        if (bounds[i - begin] > best + tie_tolerance(best)) {
          level.emplace(set, Open{best, bounds[i - begin]});
        }
      }
    }
  };

  // All sets with just these of the adjacent ones: others are no substitute, they fit other orders.
  const auto look_at_all_with = [&](std::uint64_t base) {
    Level level;
    if (!constraints.fits(child, members_of(base))) return;
    try {
      look_at({{base, kNothing}}, level);
      while (!level.empty()) {
        std::vector<std::pair<std::uint64_t, double>> next;  // with the best of their subsets
        for (const auto& [set, open] : level) {
          const std::uint64_t extra = set & ~base;
          for (const std::uint64_t bit : free) {
            if (bit <= extra) continue;  // each larger set is made once, from its lowest members
            const std::uint64_t larger = set | bit;
            double within = open.within;
            bool possible = true;  // if all that it contains are open
            for (std::uint64_t rest = extra; rest != 0 && possible; rest &= rest - 1) {
              const auto subset = level.find(larger & ~(rest & -rest));
              possible = subset != level.end();
              if (possible) within = std::max(within, subset->second.within);
            }
            if (!possible) continue;
            const Family family{child, members_of(larger)};
            if (!constraints.fits(child, family.parents)) continue;
            if (scorer.ceiling(family) <= within) continue;
            next.emplace_back(larger, within);
          }
        }
        std::sort(next.begin(), next.end());
        constexpr double kBytesOfASet = 160;
        if (static_cast<double>(next.size() + level.size()) * kBytesOfASet > max_bytes) {
          throw Stopped{StopReason::none};
        }
        Level larger;
        look_at(next, larger);
        level = std::move(larger);
      }
    } catch (const Stopped&) {
      out.complete = false;
      if (level.empty()) out.rest = std::numeric_limits<double>::infinity();
      for (const auto& [set, open] : level) out.rest = std::max(out.rest, open.bound);
    }
  };

  out.rest = kNothing;
  for (std::uint64_t chosen = out.adjacent;; chosen = (chosen - 1) & out.adjacent) {
    look_at_all_with(out.required | chosen);
    if (chosen == 0) break;
  }
  std::sort(out.sets.begin(), out.sets.end(), better);
  return out;
}

}  // namespace dagwright
