#include "dagwright/posterior/family_weights.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <limits>
#include <span>
#include <stdexcept>
#include <utility>

#include "dagwright/graph/possible_parents.hpp"

namespace dagwright {

namespace {

void shift_logs(ChildWeights& child) {
  child.shift = -std::numeric_limits<double>::infinity();
  for (const double log : child.logs) child.shift = std::max(child.shift, log);
  for (double& log : child.logs) log -= child.shift;
}

// The scores of many families of one child; the same for any number at a time.
using ScoreFamilies = std::function<std::vector<double>(std::span<const Family>)>;

ChildWeights weights_of(Variable child, const Constraints& constraints, const ScoreFamilies& score,
                        Run& run) {
  ChildWeights out;
  const PossibleParents parents_of(constraints, child);
  const auto required = static_cast<Set>(parents_of.required);
  const auto adjacent = static_cast<Set>(parents_of.adjacent);
  const auto possible = static_cast<Set>(parents_of.free) | adjacent;
  out.adjacent = without_bit(adjacent, child);

  constexpr std::size_t kChunk = 1 << 15;
  std::vector<Family> families;
  const auto score_chunk = [&] {
    const auto scores = score(families);
    out.logs.insert(out.logs.end(), scores.begin(), scores.end());
    families.clear();
  };
  std::size_t looked_at = 0;
  for (Set more = 0;; more = (more - possible) & possible) {
    if (++looked_at % kChunk == 0) run.check_inside();
    const Set parents = required | more;
    if (static_cast<std::size_t>(std::popcount(parents)) <= constraints.max_parents()) {
      Family family{child, members_of(parents)};
      if (constraints.fits(child, family.parents)) {
        out.sets.push_back(without_bit(parents, child));
        families.push_back(std::move(family));
        if (families.size() == kChunk) score_chunk();
      }
    }
    if (more == possible) break;
  }
  score_chunk();
  shift_logs(out);
  return out;
}

FamilyWeights all_weights(const Constraints& constraints, const ScoreFamilies& score, Run& run) {
  const std::size_t n = constraints.size();
  if (n > kMostInTables) throw std::invalid_argument("too many variables for tables over sets");
  FamilyWeights out;
  out.conflicts.resize(n);
  for (Variable v = 0; v < n; ++v) {
    out.children.push_back(weights_of(v, constraints, score, run));
    for (Variable other = 0; other < n; ++other) {
      if (other != v && constraints.adjacent(v, other)) out.conflicts[v] |= bit_of(other);
    }
  }
  return out;
}

}  // namespace

std::size_t FamilyWeights::n_families() const {
  std::size_t sum = 0;
  for (const ChildWeights& child : children) sum += child.sets.size();
  return sum;
}

double FamilyWeights::total_shift() const {
  double sum = 0;
  for (const ChildWeights& child : children) sum += child.shift;
  return sum;
}

FamilyWeights posterior_weights(const Scorer& scorer, const Constraints& constraints, Run& run) {
  return all_weights(
      constraints,
      [&](std::span<const Family> families) { return scorer.local(families, run); }, run);
}

FamilyWeights prior_weights(const Scorer& scorer, const Constraints& constraints, Run& run) {
  return all_weights(
      constraints,
      [&](std::span<const Family> families) {
        std::vector<double> logs;
        for (const Family& family : families) logs.push_back(scorer.log_prior(family));
        run.check_inside();
        return logs;
      },
      run);
}

FamilyWeights given_weights(std::vector<std::vector<double>> logs) {
  const std::size_t n = logs.size();
  if (n > kMostInTables) throw std::invalid_argument("too many nodes");
  FamilyWeights out;
  out.conflicts.resize(n);
  for (auto& own : logs) {
    if (n == 0 || own.size() != std::size_t{1} << (n - 1)) {
      throw std::invalid_argument("a weight for each set of possible parents");
    }
    ChildWeights child;
    for (Set set = 0; set < own.size(); ++set) {
      if (own[set] == -std::numeric_limits<double>::infinity()) continue;
      child.sets.push_back(set);
      child.logs.push_back(own[set]);
    }
    if (child.sets.empty()) throw std::invalid_argument("a child without a parent set");
    shift_logs(child);
    out.children.push_back(std::move(child));
  }
  return out;
}

}  // namespace dagwright
