#include "dagwright/posterior/sum_over_dags.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "dagwright/base/set_blocks.hpp"
#include "dagwright/posterior/subset_sums.hpp"

namespace dagwright {

namespace {

// The factors of the nodes outside one set.
using Factors = std::array<Wide, kMostInTables>;

void gather(const FactorTables& tables, Set set, Set outside, Factors& factors) {
  for (; outside != 0; outside &= outside - 1) {
    const Variable v = lowest_of(outside);
    factors[v] = tables[v][without_bit(set, v)];
  }
}

// Adds the terms of one U to all U + T: each T is reached from T without its highest member.
struct Push {
  const Factors& factors;
  const std::vector<Set>& conflicts;
  std::vector<std::array<Wide, 2>>& sums;  // of even and of odd T

  void add(const Wide& term, Set target, unsigned parity) const {
    Wide& sum = sums[target][parity];
    sum = sum + term;
  }
  void extend(const Wide& term, Set target, Set left, unsigned parity) const {
    while (left != 0) {
      const Variable v = lowest_of(left);
      left &= left - 1;
      if (factors[v].zero()) continue;
      const Wide longer = term * factors[v];
      const Set larger = target | bit_of(v);
      add(longer, larger, parity ^ 1);
      extend(longer, larger, left & ~conflicts[v], parity ^ 1);
    }
  }
};

// Multiplies by the factors of some members of T; false if these cannot all be sinks.
bool multiply(const Factors& factors, const std::vector<Set>& conflicts, Set members, Wide& term) {
  Set taken = 0;
  for (; members != 0; members &= members - 1) {
    const Variable v = lowest_of(members);
    if ((conflicts[v] & taken) != 0 || factors[v].zero()) return false;
    taken |= bit_of(v);
    term = term * factors[v];
  }
  return true;
}

Set without_conflicts(const std::vector<Set>& conflicts, Set left, Set members) {
  for (; members != 0; members &= members - 1) left &= ~conflicts[lowest_of(members)];
  return left;
}

// What follows U, pulled from all U + T: the sum over T of (-1)^|T| * product * after(U + T), where
// those T that contain v add to the derivative by A_v(U).
struct Pull {
  const Factors& factors;
  const std::vector<Set>& conflicts;
  const std::vector<Wide>& after;
  std::array<SignedWide, kMostInTables>& derivatives;

  // `product` is that of the |T| factors so far; the answer is without them.
  SignedWide over(const Wide& product, bool odd, Set target, Set left, SignedWide sum) const {
    while (left != 0) {
      const Variable v = lowest_of(left);
      left &= left - 1;
      if (factors[v].zero()) continue;
      const Set larger = target | bit_of(v), rest = left & ~conflicts[v];
      SignedWide with{after[larger], false};
      if (rest != 0) with = over(product * factors[v], !odd, larger, rest, with);
      const SignedWide term = product * with;
      derivatives[v] = derivatives[v] + (odd ? -term : term);
      sum = sum + -(factors[v] * with);
    }
    return sum;
  }
};

}  // namespace

FactorTables factor_tables(const FamilyWeights& weights, Run& run) {
  FactorTables tables;
  for (const ChildWeights& child : weights.children) {
    tables.push_back(sums_of_weights(child, weights.n(), run));
  }
  return tables;
}

std::vector<Wide> sums_over_dags(const FactorTables& factors, const std::vector<Set>& conflicts,
                                 Run& run) {
  const std::size_t n = factors.size(), n_sets = std::size_t{1} << n;
  const SetBlocks blocks(n);
  const Set n_low = blocks.n_low();
  std::vector<std::array<Wide, 2>> sums(n_sets);
  std::vector<Wide> totals(n_sets);
  blocks.upwards(run, [&](Set target_high) {
    Factors own;
    const Push push{own, conflicts, sums};
    // All smaller sets with fewer of the high members, then those with the same.
    for (Set high = 0;; high = (high - target_high) & target_high) {
      const Set missing = (target_high ^ high) * n_low;
      for (Set low = 0; low < n_low; ++low) {
        if (low % 64 == 0) run.check_inside();
        const Set set = high * n_low | low;
        if (missing == 0) totals[set] = set == 0 ? Wide::one() : sums[set][1] - sums[set][0];
        if (totals[set].zero()) continue;
        const Set left = (n_low - 1) & ~low;
        gather(factors, set, missing | left, own);
        Wide term = totals[set];
        if (!multiply(own, conflicts, missing, term)) continue;
        const auto parity = static_cast<unsigned>(std::popcount(missing) & 1);
        if (missing != 0) push.add(term, set | missing, parity);
        push.extend(term, set | missing, without_conflicts(conflicts, left, missing), parity);
      }
      if (high == target_high) break;
    }
  });
  return totals;
}

std::vector<std::vector<double>> dag_family_probabilities(const FamilyWeights& weights,
                                                          const FactorTables& factors,
                                                          const std::vector<Wide>& totals,
                                                          Run& run) {
  const std::size_t n = weights.n(), n_sets = std::size_t{1} << n;
  const Set all = all_of(n);
  const SetBlocks blocks(n);
  const Set n_low = blocks.n_low();
  std::vector<Wide> after(n_sets);  // d Z(all) / d Z(U)
  after[all] = Wide::one();
  std::vector<std::vector<SignedWide>> derivatives(n);
  for (auto& own : derivatives) own.resize(n_sets / 2);
  blocks.downwards(run, [&](Set high) {
    Factors own;
    for (Set low = n_low; low-- > 0;) {
      const Set set = high * n_low | low, outside = all & ~set;
      if (low % 64 == 0 || std::popcount(outside) > 10) run.check_inside();
      if (set == all || totals[set].zero()) continue;
      gather(factors, set, outside, own);
      std::array<SignedWide, kMostInTables> by_factor{};
      const Pull pull{own, weights.conflicts, after, by_factor};
      after[set] = pull.over(Wide::one(), false, set, outside, {}).size;  // of negative sign
      for (Set rest = outside; rest != 0; rest &= rest - 1) {
        const Variable v = lowest_of(rest);
        derivatives[v][without_bit(set, v)] = totals[set] * by_factor[v];
      }
    }
  });

  std::vector<std::vector<double>> probabilities(n);
  for (Variable v = 0; v < n; ++v) {
    const ChildWeights& child = weights.children[v];
    sum_over_sets(derivatives[v], child.adjacent, SumOver::supersets, run);
    for (std::size_t i = 0; i < child.sets.size(); ++i) {
      const SignedWide& derivative = derivatives[v][child.sets[i]];
      const double own = ratio(Wide::exp(child.logs[i]) * derivative.size, totals[all]);
      // What is below the error bound may come out on the wrong side of 0 or 1.
      probabilities[v].push_back(derivative.negative ? 0.0 : std::min(own, 1.0));
    }
    derivatives[v] = {};
  }
  return probabilities;
}

double dag_error_bound(std::size_t n) {
  constexpr double kProduct = 0x1p-124, kSum = 0x1p-126;
  const auto choose = [](std::size_t from, std::size_t some) {
    return std::exp(std::lgamma(static_cast<double>(from) + 1) -
                    std::lgamma(static_cast<double>(some) + 1) -
                    std::lgamma(static_cast<double>(from - some) + 1)) *
           (1 + 1e-9);
  };
  // Of sums over all DAGs of a size, relative: of each term that of the smaller sum, and of at most as
  // many factors as there are members, each a product and itself a sum; then that of adding 2^size terms,
  // none larger than the sum. What comes after a set is a sum of the same kind.
  const double factor = kProduct + static_cast<double>(n) * kSum;
  std::vector<double> of_size(n + 1, 0.0);
  for (std::size_t size = 1; size <= n; ++size) {
    for (std::size_t some = 1; some <= size; ++some) {
      of_size[size] += choose(size, some) *
                       (of_size[size - some] + static_cast<double>(some) * factor);
    }
    of_size[size] += std::ldexp(kSum, 2 * static_cast<int>(size));
  }
  // A probability is a sum over U and T of what is before, T's factors, and what is after; each such
  // product is the weight of some of the DAGs. It is made of 2^n sums of 2^n terms.
  double probability = 2 * of_size[n];
  for (std::size_t before = 0; before < n; ++before) {
    for (std::size_t after = 0; before + after < n; ++after) {
      const std::size_t between = n - before - after;
      probability += choose(n, before) * choose(n - before, after) *
                     (of_size[before] + of_size[after] +
                      static_cast<double>(between + 2) * factor +
                      std::ldexp(kSum, 2 * static_cast<int>(n)));
    }
  }
  return 1.01 * probability;  // errors of errors
}

}  // namespace dagwright
