// Parent sets of one child, scored and pruned: what searches over orders and exact searches choose from.
#pragma once

#include <cstdint>
#include <queue>
#include <span>
#include <unordered_map>
#include <vector>

#include "dagwright/base/run.hpp"
#include "dagwright/graph/constraints.hpp"
#include "dagwright/score/scorer.hpp"

namespace dagwright {

inline constexpr std::size_t kMostCandidates = 64;  // members of a set are the bits of one word

struct ScoredSet {
  std::uint64_t members;  // places among the child's candidates
  double score;
};

class ParentSets {
 public:
  // Begins with the required parents alone. At most kMostCandidates, the required ones among them.
  ParentSets(const Scorer& scorer, const Constraints& constraints, Variable child,
             std::vector<Variable> candidates, Run& run);

  const std::vector<Variable>& candidates() const { return candidates_; }
  std::uint64_t adjacent() const { return adjacent_; }

  // Best first. A set with a subset that scores as high is left out: an order that allows it allows
  // the subset too, and nothing is lost. (A subset that differs in `adjacent` does not count.)
  const std::vector<ScoredSet>& sets() const { return sets_; }
  std::vector<Variable> parents(std::uint64_t members) const;  // sorted

  // Scores all sets with up to `size` members beside those that are required or adjacent, and any of the
  // adjacent ones; of more than 8 of these, only those that it meets.
  void expand_all(std::size_t size, Run& run);
  // Scores all sets with one member more than the best sets that were not expanded yet.
  void expand_best(std::size_t n_sets, Run& run);
  // The same for a given set; false when it was done before. Where there is room, variables that are no
  // candidates but gain here become some.
  bool expand(std::uint64_t members, Run& run);
  // Takes in a set found elsewhere; its parents become candidates where there is room, else it is not
  // taken.
  void add(std::span<const Variable> parents, double score);

 private:
  struct Known {
    double score;
    double within;  // the best score of the set and of its subsets that were looked at
    bool expanded = false;         // by the candidates of that time
    bool expanded_by_all = false;  // by every variable
  };
  struct Worse {
    bool operator()(const ScoredSet& a, const ScoredSet& b) const;
  };
  std::uint64_t bit(Variable candidate) const;
  std::uint64_t find_or_add(Variable candidate);
  std::uint64_t free_members(std::uint64_t members) const {
    return members & ~required_ & ~adjacent_;
  }
  bool expand(std::uint64_t members, bool with_others, Run& run);
  void offer(std::uint64_t members, double score);
  void keep(const ScoredSet& set);

  const Scorer& scorer_;
  const Constraints& constraints_;
  Variable child_;
  std::vector<Variable> candidates_;
  std::uint64_t required_ = 0;  // every set has these
  std::uint64_t adjacent_ = 0;  // these must be parents unless they are children
  std::unordered_map<std::uint64_t, Known> known_;
  std::priority_queue<ScoredSet, std::vector<ScoredSet>, Worse> waiting_;
  std::vector<ScoredSet> sets_;
};

}  // namespace dagwright
