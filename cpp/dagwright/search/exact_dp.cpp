#include "dagwright/search/exact_dp.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include "dagwright/base/large_array.hpp"
#include "dagwright/base/set_blocks.hpp"

namespace dagwright {

namespace {

constexpr double kNothing = -std::numeric_limits<double>::infinity();

// For each set of possible parents the place of the best parent set in it: places are ranks, so that
// the best is the lowest, and two bytes are enough for most children.
template <class Rank>
LargeArray<Rank> best_in_each(const AllParentSets& all, Variable child, std::size_t n,
                              const std::string& folder, Run& run) {
  constexpr Rank kNone = std::numeric_limits<Rank>::max();
  LargeArray<Rank> best(std::size_t{1} << (n - 1), kNone, folder);
  for (std::size_t i = all.sets.size(); i-- > 0;) {
    best[without_bit(static_cast<Set>(all.sets[i].members), child)] = static_cast<Rank>(i);
  }
  // What is in a set is in each set with one more member; those that must be adjacent cannot be left out.
  const Set adjacent = without_bit(static_cast<Set>(all.adjacent), child);
  for (std::size_t bit = 1; bit < best.size(); bit <<= 1) {
    if ((adjacent & bit) != 0) continue;
    run.check_inside();
    for (std::size_t begin = bit; begin < best.size(); begin += 2 * bit) {
      const Rank* from = best.data() + begin - bit;
      Rank* to = best.data() + begin;
      for (std::size_t i = 0; i < bit; ++i) to[i] = std::min(to[i], from[i]);
    }
  }
  return best;
}

struct Child {
  LargeArray<std::uint16_t> narrow;  // one of the two
  LargeArray<std::uint32_t> wide;
  std::vector<double> scores;  // by rank
  std::size_t rank(std::size_t parents) const {
    return narrow.size() == 0 ? wide[parents] : narrow[parents];
  }
  double of(std::size_t parents) const {
    const std::size_t own = rank(parents);
    return own < scores.size() ? scores[own] : kNothing;
  }
};

bool few_sets(const AllParentSets& all) {
  return all.sets.size() < std::numeric_limits<std::uint16_t>::max();
}

// Of the best graphs over each set, and of the best parent sets of one child.
double bytes_of_graphs(std::size_t n) {
  return std::ldexp(sizeof(double) + sizeof(std::uint8_t), static_cast<int>(n));
}
double bytes_of_child(std::size_t n, bool few) {
  return std::ldexp(few ? sizeof(std::uint16_t) : sizeof(std::uint32_t), static_cast<int>(n) - 1);
}

}  // namespace

double exact_dp_bytes(std::size_t n) {
  return bytes_of_graphs(n) + bytes_of_child(n, true) * static_cast<double>(n);
}

double exact_dp_bytes(const std::vector<AllParentSets>& all) {
  double sum = bytes_of_graphs(all.size());
  for (const AllParentSets& child : all) sum += bytes_of_child(all.size(), few_sets(child));
  return sum;
}

Optimum exact_dp(const std::vector<AllParentSets>& all, double max_bytes,
                 const std::string& scratch, Run& run) {
  const std::size_t n = all.size();
  if (n > kMostInTables) throw std::invalid_argument("too many variables for a table over all sets");
  Optimum out;
  out.score = kNothing;
  // What is looked up most stays in memory.
  double used = 0;
  const auto place = [&](double bytes) {
    used += bytes;
    return used <= max_bytes ? std::string() : scratch;
  };
  try {
    const std::size_t n_sets = std::size_t{1} << n;
    const std::string graphs = place(bytes_of_graphs(n));
    LargeArray<double> best(n_sets, kNothing, graphs);
    LargeArray<std::uint8_t> sink(n_sets, 0, graphs);
    std::vector<std::string> places;
    for (const AllParentSets& child : all) places.push_back(place(bytes_of_child(n, few_sets(child))));
    std::vector<Child> children(n);
    run.parallel_for(n, [&](std::size_t v) {
      Child& child = children[v];
      for (const ScoredSet& set : all[v].sets) child.scores.push_back(set.score);
      const auto own = static_cast<Variable>(v);
      if (few_sets(all[v])) {
        child.narrow = best_in_each<std::uint16_t>(all[v], own, n, places[v], run);
      } else {
        child.wide = best_in_each<std::uint32_t>(all[v], own, n, places[v], run);
      }
    });

    best[0] = 0;
    SetBlocks(n).each_upwards(run, [&](Set set) {
      for (Set rest = set; rest != 0; rest &= rest - 1) {
        const Variable v = lowest_of(rest);
        const Set others = set & ~bit_of(v);
        const double score = best[others] + children[v].of(without_bit(others, v));
        if (score > best[set]) {
          best[set] = score;
          sink[set] = static_cast<std::uint8_t>(v);
        }
      }
    });
    out.complete = true;
    out.score = best[n_sets - 1];
    if (out.score == kNothing) return out;
    std::vector<std::vector<Variable>> parents(n);
    for (Set set = all_of(n); set != 0;) {
      const Variable v = sink[set];
      set &= ~bit_of(v);
      parents[v] = members_of(all[v].sets[children[v].rank(without_bit(set, v))].members);
    }
    out.dag = Dag(std::move(parents));
  } catch (const Stopped&) {
    out.complete = false;
  }
  return out;
}

}  // namespace dagwright
