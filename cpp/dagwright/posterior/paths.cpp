#include "dagwright/posterior/paths.hpp"

#include <algorithm>
#include <bit>

#include "dagwright/posterior/sum_over_dags.hpp"

namespace dagwright {

namespace {

// The weight of v's parent sets among `before` + `reached` that contain some of the reached.
Wide touching(const FactorTables& factors, const FamilyWeights& weights, Variable v, Set before,
              Set reached) {
  const Wide& all = factors[v][without_bit(before | reached, v)];
  // If one of the reached must be a parent, no set is without them.
  if ((weights.children[v].adjacent & without_bit(reached, v)) != 0) return all;
  const Wide& untouched = factors[v][without_bit(before, v)];
  return untouched < all ? all - untouched : Wide{};
}

// The weight of all DAGs in which the descendants of `from` are exactly the nodes outside `before`, given
// what is there before: those in which only `from` has no parent outside `before`.
Wide reaching_the_rest(const FactorTables& factors, const FamilyWeights& weights, Variable from,
                       Set before, Run& run) {
  std::vector<Variable> nodes;
  for (Set rest = all_of(weights.n()) & ~before & ~bit_of(from); rest != 0; rest &= rest - 1) {
    nodes.push_back(lowest_of(rest));
  }
  const std::size_t m = nodes.size();
  const Wide& first = factors[from][without_bit(before, from)];
  if (m == 0 || first.zero()) return first;
  const auto spread = [&](Set set) {
    Set out = 0;
    for (; set != 0; set &= set - 1) out |= bit_of(nodes[lowest_of(set)]);
    return out;
  };
  FactorTables own(m);
  std::vector<Set> conflicts(m, 0);
  for (Variable i = 0; i < m; ++i) {
    for (Set set = 0; set < Set{1} << (m - 1); ++set) {
      const Set reached = spread(with_room_for_bit(set, i)) | bit_of(from);
      own[i].push_back(touching(factors, weights, nodes[i], before, reached));
    }
    for (Variable j = 0; j < m; ++j) {
      if ((weights.conflicts[nodes[i]] & bit_of(nodes[j])) != 0) conflicts[i] |= bit_of(j);
    }
  }
  return first * sums_over_dags(own, conflicts, run).back();
}

std::vector<double> paths_over_dags(const ExactPosterior& posterior, Run& run) {
  const FamilyWeights& weights = posterior.weights;
  const std::size_t n = weights.n(), n_sets = std::size_t{1} << (n - 1);
  const FactorTables factors = factor_tables(weights, run);
  std::vector<Wide> of_each(n * n_sets);  // by node, and by the set of those it does not lead to
  run.parallel_for(of_each.size(), [&](std::size_t i) {
    const auto from = static_cast<Variable>(i / n_sets);
    const Set before = with_room_for_bit(static_cast<Set>(i % n_sets), from);
    if (posterior.totals[before].zero()) return;
    Run inner = run.inner();
    of_each[i] =
        posterior.totals[before] * reaching_the_rest(factors, weights, from, before, inner);
  });
  std::vector<double> out(n * n, 0.0);
  for (Variable from = 0; from < n; ++from) {
    std::vector<Wide> sums(n);
    for (Set place = 0; place < n_sets; ++place) {
      const Set before = with_room_for_bit(place, from);
      for (Variable to = 0; to < n; ++to) {
        if ((before & bit_of(to)) == 0) sums[to] = sums[to] + of_each[from * n_sets + place];
      }
    }
    for (Variable to = 0; to < n; ++to) {
      if (to != from) out[from * n + to] = std::min(1.0, ratio(sums[to], posterior.totals.back()));
    }
  }
  return out;
}

// Along each order, the set of those that `from` leads to grows: a table over all pairs of a set of nodes
// and a subset of it, in which a place has a digit of base 3 for each node.
std::vector<double> paths_over_orders_from(Variable from, const ExactPosterior& posterior,
                                           const FactorTables& factors,
                                           const std::vector<std::size_t>& place_of, Run& run) {
  const FamilyWeights& weights = posterior.weights;
  const std::size_t n = weights.n();
  const Set all = all_of(n), own = bit_of(from);
  std::vector<Wide> table(place_of[all] * 2 + 1);
  const auto at = [&](Set set, Set reached) -> Wide& { return table[place_of[set] + place_of[reached]]; };
  for (Set set = 0; set <= all; ++set) {
    if ((set & own) == 0) continue;
    run.check_inside();
    const Set before = set & ~own;
    const double log = posterior.log_totals[before];
    if (log > -1e300) {
      at(set, own) = at(set, own) + Wide::exp(log) * factors[from][without_bit(before, from)];
    }
    for (Set reached = set;; reached = (reached - 1) & set) {
      if ((reached & own) != 0 && !at(set, reached).zero()) {
        for (Set rest = all & ~set; rest != 0; rest &= rest - 1) {
          const Variable v = lowest_of(rest);
          const Set larger = set | bit_of(v);
          Wide& with = at(larger, reached | bit_of(v));
          with = with + at(set, reached) * touching(factors, weights, v, set & ~reached, reached);
          if ((weights.children[v].adjacent & without_bit(reached, v)) != 0) continue;
          Wide& without = at(larger, reached);
          without = without + at(set, reached) * factors[v][without_bit(set & ~reached, v)];
        }
      }
      if (reached == 0) break;
    }
  }
  std::vector<Wide> sums(n);
  for (Set reached = 0; reached <= all; ++reached) {
    if ((reached & own) == 0) continue;
    for (Set rest = reached & ~own; rest != 0; rest &= rest - 1) {
      Wide& sum = sums[lowest_of(rest)];
      sum = sum + at(all, reached);
    }
  }
  const Wide total = Wide::exp(posterior.log_totals.back());
  std::vector<double> out;
  for (const Wide& sum : sums) out.push_back(std::min(1.0, ratio(sum, total)));
  return out;
}

std::vector<double> paths_over_orders(const ExactPosterior& posterior, Run& run) {
  const std::size_t n = posterior.weights.n();
  const FactorTables factors = factor_tables(posterior.weights, run);
  std::vector<std::size_t> place_of(std::size_t{1} << n, 0);
  std::size_t power = 1;
  for (Variable v = 0; v < n; ++v, power *= 3) {
    for (Set set = 0; set < bit_of(v); ++set) place_of[set | bit_of(v)] = place_of[set] + power;
  }
  std::vector<double> out(n * n);
  run.parallel_for(n, [&](std::size_t from) {
    const auto row = paths_over_orders_from(static_cast<Variable>(from), posterior, factors,
                                            place_of, run);
    std::copy(row.begin(), row.end(), out.begin() + static_cast<std::ptrdiff_t>(from * n));
  });
  return out;
}

}  // namespace

std::vector<double> path_probabilities(const ExactPosterior& posterior, Run& run) {
  return posterior.over == Over::dags ? paths_over_dags(posterior, run)
                                      : paths_over_orders(posterior, run);
}

}  // namespace dagwright
