#include "dagwright/mcmc/parent_table.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace dagwright {

namespace {

constexpr double kNothing = -std::numeric_limits<double>::infinity();

}  // namespace

double ParentTable::log_added(double a, double b) {
  const double larger = std::max(a, b);
  return larger == kNothing ? kNothing : larger + std::log1p(std::exp(std::min(a, b) - larger));
}

double ParentTable::bytes(const ParentLists& candidates) {
  double sum = 0;
  for (const auto& own : candidates) {
    sum += std::ldexp(sizeof(double) * 3 + sizeof(Wide) + sizeof(Set), static_cast<int>(own.size()));
  }
  return sum;
}

ParentTable::ParentTable(const Scorer& scorer, const Constraints& constraints,
                         ParentLists candidates, Run& run)
    : children_(candidates.size()) {
  const std::size_t n = candidates.size();
  if (n != scorer.n_variables()) throw std::invalid_argument("candidates for each variable");
  for (Variable v = 0; v < n; ++v) {
    Child& child = children_[v];
    child.candidates = std::move(candidates[v]);
    std::sort(child.candidates.begin(), child.candidates.end());
    if (child.candidates.size() > kMostCandidatesInTable) {
      throw std::invalid_argument("too many candidates");
    }
    Set required = 0;
    std::vector<bool> candidate(n);
    for (std::size_t k = 0; k < child.candidates.size(); ++k) {
      const Variable u = child.candidates[k];
      candidate[u] = true;
      const auto bit = Set{1} << k;
      const bool connected = constraints.adjacent(u, v);
      if (constraints.required(u, v) || (connected && !constraints.allowed(v, u))) {
        required |= bit;
      } else if (connected) {
        child.adjacent |= bit;
      }
    }

    const Set n_sets = Set{1} << child.candidates.size();
    child.logs.assign(n_sets, kNothing);
    std::vector<Set> sets;
    std::vector<Family> families;
    const auto score = [&] {
      const auto scores = scorer.local(families, run);
      for (std::size_t i = 0; i < sets.size(); ++i) child.logs[sets[i]] = scores[i];
      sets.clear();
      families.clear();
    };
    for (Set set = 0; set < n_sets; ++set) {
      if ((set & required) != required) continue;
      Family family{v, parents(v, set)};
      const bool allowed = std::all_of(family.parents.begin(), family.parents.end(),
                                       [&](Variable u) { return constraints.allowed(u, v); });
      if (!allowed || !constraints.fits(v, family.parents)) continue;
      sets.push_back(set);
      families.push_back(std::move(family));
      if (sets.size() == 1 << 13) score();
    }
    score();

    std::vector<Variable> outside;
    for (Variable u = 0; u < n; ++u) {
      if (u != v && !candidate[u] && constraints.allowed(u, v)) outside.push_back(u);
    }
    const bool alone = required == 0 && constraints.max_parents() > 0;
    std::vector<Family> alone_families;
    for (const Variable u : outside) {
      const std::vector<Variable> parents{u};
      if (alone && constraints.fits(v, parents)) alone_families.push_back({v, parents});
    }
    const auto alone_scores = scorer.local(alone_families, run);

    child.shift = *std::max_element(child.logs.begin(), child.logs.end());
    for (const double score_alone : alone_scores) child.shift = std::max(child.shift, score_alone);
    if (child.shift == kNothing) throw std::invalid_argument("a child without a parent set");
    for (double& log : child.logs) log -= child.shift;
    child.sums.resize(n_sets);
    for (Set set = 0; set < n_sets; ++set) {
      if (child.logs[set] == kNothing) continue;
      child.sums[set] = Wide::exp(child.logs[set]);
      child.by_weight.push_back(set);
    }
    for (std::size_t k = 0; k < child.candidates.size(); ++k) {
      const auto bit = Set{1} << k;
      if ((child.adjacent & bit) != 0) continue;
      for (Set set = 0; set < n_sets; ++set) {
        if ((set & bit) != 0) child.sums[set] = child.sums[set] + child.sums[set ^ bit];
      }
    }
    child.log_sums.resize(n_sets);
    for (Set set = 0; set < n_sets; ++set) child.log_sums[set] = child.sums[set].log();
    std::sort(child.by_weight.begin(), child.by_weight.end(), [&](Set a, Set b) {
      return child.logs[a] != child.logs[b] ? child.logs[a] > child.logs[b] : a < b;
    });

    child.largest_other = kNothing;
    for (std::size_t i = 0; i < alone_families.size(); ++i) {
      child.others.push_back({alone_families[i].parents[0], alone_scores[i] - child.shift, 0});
      child.largest_other = std::max(child.largest_other, child.others.back().log);
    }
    double others = 0;
    for (Other& other : child.others) {
      other.weight = std::exp(other.log - child.largest_other);
      others += other.weight;
    }
    child.log_others = others > 0 ? child.largest_other + std::log(others) : kNothing;
    child.log_bounds.resize(n_sets);
    for (Set set = 0; set < n_sets; ++set) {
      const double sum = child.log_sums[set];
      const bool more = (set & child.adjacent) == 0 && others_matter(v, sum);
      const double bound = more ? log_added(sum, child.log_others) : sum;
      const auto bits = std::bit_cast<std::uint64_t>(bound) & ~std::uint64_t{1};
      child.log_bounds[set] = std::bit_cast<double>(bits | std::uint64_t{more});
    }
    std::sort(child.others.begin(), child.others.end(), [](const Other& a, const Other& b) {
      return a.log != b.log ? a.log > b.log : a.variable < b.variable;
    });
  }
}

std::vector<Variable> ParentTable::parents(Variable child, Set members) const {
  std::vector<Variable> out;
  for (; members != 0; members &= members - 1) {
    out.push_back(children_[child].candidates[lowest_of(members)]);
  }
  return out;
}

std::vector<Variable> ParentTable::listed(Variable child, const Parents& of) const {
  return of.other == kNone ? parents(child, of.candidates) : std::vector<Variable>{of.other};
}

double ParentTable::log_weight(Variable child, const Parents& of) const {
  const Child& own = children_[child];
  if (of.other == kNone) return own.logs[of.candidates] + own.shift;
  for (const Other& other : own.others) {
    if (other.variable == of.other) return other.log + own.shift;
  }
  return kNothing;
}

double ParentTable::log_weight(Variable child, const std::vector<Variable>& of) const {
  const auto& candidates = children_[child].candidates;
  Parents found;
  for (const Variable v : of) {
    const auto place = std::lower_bound(candidates.begin(), candidates.end(), v);
    if (place != candidates.end() && *place == v) {
      found.candidates |= Set{1} << (place - candidates.begin());
    } else if (of.size() == 1) {
      found.other = v;
    } else {
      return kNothing;
    }
  }
  return log_weight(child, found);
}

double ParentTable::log_sum_of_candidates(const Child& child, Set before, Set near, bool& exact) {
  if ((near & child.adjacent) != 0) return child.log_sums[before];  // they are in all of the sets
  if (near == 0) return kNothing;
  const Wide& all = child.sums[before];
  if (all.zero()) return kNothing;
  const Wide rest = all - child.sums[before & ~near];
  // Of 128 bits, some are left for the rounding of the sums.
  constexpr std::int64_t kEnough = 90;
  if (!rest.zero() && rest.exponent > all.exponent - kEnough) return rest.log();
  exact = false;
  return child.log_sums[before] - (kEnough - 1) * std::numbers::ln2;
}

double ParentTable::log_sum_listed(const Child& child, Set before, Set near) {
  double heaviest = kNothing, sum = 0;
  for (const Set set : child.by_weight) {
    if (!fits(child, set, before) || (set & near) == 0) continue;
    if (heaviest == kNothing) heaviest = child.logs[set];
    if (child.logs[set] < heaviest - kNegligible) break;
    sum += std::exp(child.logs[set] - heaviest);
  }
  return sum > 0 ? heaviest + std::log(sum) : kNothing;
}

}  // namespace dagwright
