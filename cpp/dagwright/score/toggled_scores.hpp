// The scores of a family with one parent more, or one less.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "dagwright/score/scorer.hpp"

namespace dagwright {

// A family, and where the scores of it with one parent more or less are kept: looked for once, by one thread,
// for all that will count some of them.
class ToggledFamily {
 public:
  ToggledFamily() = default;
  ToggledFamily(const Scorer& scorer, const Family& family, std::size_t n_candidates) {
    become(scorer, family, n_candidates);
  }
  // Another family, and how many candidates there will be in all. What the last one took memory for is used again.
  void become(const Scorer& scorer, const Family& family, std::size_t n_candidates);
  const Family& family() const { return family_; }

 private:
  friend class ToggledScores;
  Family family_;
  bool many_ = false;  // candidates, so that there are rows
  Scorer::Asked asked_;
  ScoreRows::Found joint_;  // of a score that is no set function: the row of the family
  ScoreRows::Found parents_;
};

// Families one after the other, for one thread at a time: what one takes memory for, the next uses again.
class ToggledScores {
 public:
  // The scorer outlives it.
  explicit ToggledScores(const Scorer& scorer);
  ~ToggledScores();
  ToggledScores(const ToggledScores&) = delete;

  // A family that stays where it is while its scores are counted. Others may count some of them meanwhile.
  void begin(const ToggledFamily& base);

  // Of the family begun last, in one call or in several: scores[i] is that of the family with candidates[i],
  // or without it if it is a parent.
  void count(std::span<const Variable> candidates, std::span<double> scores, Run& run);

 private:
  void extend(std::span<const Variable> candidates, std::span<double> scores, Run& run);
  void extend_set(const SetScore& score, std::span<const Variable> candidates,
                  std::span<double> scores, Run& run);
  void extend_family(std::span<const Variable> candidates, std::span<double> scores, Run& run);
  void count_parents(Run& run);
  static void read(const ScoreRows::Found& found, std::span<const Variable> candidates,
                   std::span<double> numbers);
  Extensions& extensions();

  const Scorer& scorer_;
  const SetScore* set_score_;  // null if it is none
  const ToggledFamily* base_ = nullptr;
  // Made when they are needed.
  std::unique_ptr<Extensions> extensions_;
  bool begun_ = false;  // the extensions, with this family
  std::unique_ptr<Extensions> extensions_of_parents_;  // the last one as the child of the others
  // The candidates whose numbers are not known.
  class Missing {
   public:
    void find(std::span<const Variable> candidates, std::span<const double> numbers);
    std::span<const Variable> variables;
    std::size_t place(std::size_t k) const { return places_[k]; }  // among the candidates

   private:
    std::vector<Variable> some_;
    std::vector<std::size_t> places_;
  };
  Missing missing_;
  std::vector<double> joint_, of_parents_;  // by candidate, of a set function
  // The scorer hears of these in the end: what threads add up together takes long to add to.
  std::uint64_t n_asked_ = 0;
  std::uint64_t n_counted_ = 0;
};

}  // namespace dagwright
