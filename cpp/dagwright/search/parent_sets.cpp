#include "dagwright/search/parent_sets.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "dagwright/base/ties.hpp"

namespace dagwright {

namespace {

// A set for each choice among so many pairs that must be adjacent; beyond, they come as they are met.
constexpr int kMostChoices = 8;

// Best first; of equal scores the smaller set, then the one with the earlier candidates.
bool better(const ScoredSet& a, const ScoredSet& b) {
  if (a.score != b.score) return a.score > b.score;
  const int size_a = std::popcount(a.members);
  const int size_b = std::popcount(b.members);
  return size_a != size_b ? size_a < size_b : a.members < b.members;
}

}  // namespace

bool ParentSets::Worse::operator()(const ScoredSet& a, const ScoredSet& b) const {
  return better(b, a);
}

ParentSets::ParentSets(const Scorer& scorer, const Constraints& constraints, Variable child,
                       std::vector<Variable> candidates, Run& run)
    : scorer_(scorer),
      constraints_(constraints),
      child_(child),
      candidates_(std::move(candidates)) {
  for (const Variable v : candidates_) {
    // An edge that must be there, and can only be this way round, is required.
    const bool adjacent = constraints.adjacent(v, child);
    if (constraints.required(v, child) || (adjacent && !constraints.allowed(child, v))) {
      required_ |= bit(v);
    } else if (adjacent) {
      adjacent_ |= bit(v);
    }
  }
  const std::uint64_t choices = std::popcount(adjacent_) <= kMostChoices ? adjacent_ : 0;
  std::vector<std::uint64_t> members;
  std::vector<Family> families;
  for (std::uint64_t chosen = choices;; chosen = (chosen - 1) & choices) {
    const Family family{child, parents(required_ | chosen)};
    if (chosen == 0 || constraints.fits(child, family.parents)) {
      members.push_back(required_ | chosen);
      families.push_back(family);
    }
    if (chosen == 0) break;
  }
  const std::vector<double> scores = scorer.local(families, run);
  for (std::size_t i = scores.size(); i-- > 0;) offer(members[i], scores[i]);
}

std::uint64_t ParentSets::bit(Variable candidate) const {
  const auto place = std::find(candidates_.begin(), candidates_.end(), candidate);
  return place == candidates_.end() ? 0 : std::uint64_t{1} << (place - candidates_.begin());
}

std::uint64_t ParentSets::find_or_add(Variable candidate) {
  if (const std::uint64_t found = bit(candidate)) return found;
  if (candidates_.size() == kMostCandidates) return 0;
  candidates_.push_back(candidate);
  return std::uint64_t{1} << (candidates_.size() - 1);
}

std::vector<Variable> ParentSets::parents(std::uint64_t members) const {
  std::vector<Variable> list;
  for (; members != 0; members &= members - 1) {
    list.push_back(candidates_[static_cast<std::size_t>(std::countr_zero(members))]);
  }
  std::sort(list.begin(), list.end());
  return list;
}

void ParentSets::offer(std::uint64_t members, double score) {
  double subsets = -std::numeric_limits<double>::infinity();
  for (std::uint64_t rest = free_members(members); rest != 0; rest &= rest - 1) {
    const auto subset = known_.find(members & ~(rest & -rest));
    if (subset != known_.end()) subsets = std::max(subsets, subset->second.within);
  }
  known_[members] = {score, std::max(score, subsets)};
  if (score > subsets + tie_tolerance(score)) keep({members, score});
}

void ParentSets::keep(const ScoredSet& set) {
  const auto dominates = [&](std::uint64_t small, std::uint64_t large) {
    return (small & ~large) == 0 && (small & adjacent_) == (large & adjacent_);
  };
  for (const ScoredSet& other : sets_) {
    if (other.score < set.score - tie_tolerance(set.score)) break;
    if (dominates(other.members, set.members)) return;
  }
  std::erase_if(sets_, [&](const ScoredSet& other) {
    return other.score <= set.score + tie_tolerance(set.score) &&
           dominates(set.members, other.members);
  });
  sets_.insert(std::lower_bound(sets_.begin(), sets_.end(), set, better), set);
  waiting_.push(set);
}

void ParentSets::expand_all(std::size_t size, Run& run) {
  for (std::size_t k = 0; k < size; ++k) {
    std::vector<std::uint64_t> level;
    for (const auto& [members, known] : known_) {
      const auto n_free = static_cast<std::size_t>(std::popcount(free_members(members)));
      if (n_free == k) level.push_back(members);
    }
    std::sort(level.begin(), level.end());
    for (const std::uint64_t members : level) expand(members, false, run);
  }
}

void ParentSets::expand_best(std::size_t n_sets, Run& run) {
  for (std::size_t i = 0; i < n_sets && !waiting_.empty();) {
    const std::uint64_t members = waiting_.top().members;
    waiting_.pop();
    if (expand(members, false, run)) ++i;
  }
}

bool ParentSets::expand(std::uint64_t members, Run& run) { return expand(members, true, run); }

bool ParentSets::expand(std::uint64_t members, bool with_others, Run& run) {
  Known& base = known_.at(members);
  const bool room = candidates_.size() < kMostCandidates;
  bool& done = with_others && room ? base.expanded_by_all : base.expanded;
  if (done) return false;
  done = true;
  const double score = base.score, within = base.within;
  const Family family{child_, parents(members)};
  std::vector<Variable> added;
  const auto consider = [&](Variable v) {
    Family larger = family;
    auto& list = larger.parents;
    list.insert(std::lower_bound(list.begin(), list.end(), v), v);
    if (constraints_.fits_with(child_, family.parents, v) && scorer_.ceiling(larger) > within) {
      added.push_back(v);
    }
  };
  for (std::size_t i = 0; i < candidates_.size(); ++i) {
    const std::uint64_t with = members | std::uint64_t{1} << i;
    if (with != members && !known_.contains(with)) consider(candidates_[i]);
  }
  const std::size_t n_candidates = added.size();
  if (with_others && room) {
    for (Variable v = 0; v < scorer_.n_variables(); ++v) {
      if (v != child_ && bit(v) == 0 && constraints_.allowed(v, child_)) consider(v);
    }
  }
  const std::vector<double> gains = scorer_.gains(family, added, run);
  for (std::size_t i = 0; i < added.size(); ++i) {
    if (i >= n_candidates && gains[i] <= tie_tolerance(score)) continue;
    if (const std::uint64_t place = find_or_add(added[i])) offer(members | place, score + gains[i]);
  }
  return true;
}

void ParentSets::add(std::span<const Variable> parents, double score) {
  std::uint64_t members = 0;
  for (const Variable parent : parents) {
    const std::uint64_t place = find_or_add(parent);
    if (place == 0) return;
    members |= place;
  }
  if (!known_.contains(members)) offer(members, score);
}

}  // namespace dagwright
