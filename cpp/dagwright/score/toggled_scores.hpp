// The scores of a family with one parent more, or one less.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "dagwright/score/scorer.hpp"

namespace dagwright {

// Families one after the other, for one thread at a time: what one takes memory for, the next uses again.
class ToggledScores {
 public:
  // The scorer outlives it.
  explicit ToggledScores(const Scorer& scorer);

  // A family, and how many candidates there will be in all.
  void begin(const Family& family, std::size_t n_candidates);

  // Of the family begun last, in one call or in several: scores[i] is that of the family with candidates[i],
  // or without it if it is a parent.
  void count(std::span<const Variable> candidates, std::span<double> scores, Run& run);

 private:
  void extend(std::span<const Variable> candidates, std::span<double> scores, Run& run);
  void extend_set(const SetScore& score, std::span<const Variable> candidates,
                  std::span<double> scores, Run& run);
  void extend_family(std::span<const Variable> candidates, std::span<double> scores, Run& run);
  void count_parents(const SetScore& score, Run& run);
  Extensions& extensions();

  const Scorer& scorer_;
  const SetScore* set_score_;  // null if it is none
  Family family_;
  bool many_ = false;
  Scorer::Asked asked_;
  ScoreRow joint_row_;  // of a score that is no set function: the row of the family
  ScoreRow parents_row_;
  // Made when they are needed.
  std::unique_ptr<Extensions> extensions_;
  bool begun_ = false;  // the extensions, with this family
  // What is not known, and its place among the candidates.
  struct Missing {
    void clear() {
      variables.clear();
      places.clear();
    }
    void add(Variable v, std::size_t place) {
      variables.push_back(v);
      places.push_back(place);
    }
    std::vector<Variable> variables;
    std::vector<std::size_t> places;
  };
  Missing missing_, missing_parents_;
  std::vector<SetScore::Values> values_;
};

}  // namespace dagwright
