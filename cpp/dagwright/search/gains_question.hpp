// What a walk is going to ask for, and what threads found of it.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "dagwright/base/parts_left.hpp"
#include "dagwright/score/fingerprint.hpp"
#include "dagwright/score/toggled_scores.hpp"

namespace dagwright {

// The candidates that gain something if they are added to the parents of a family.
struct Gaining {
  double before = 0;                                // the score of the family
  std::vector<std::pair<Variable, double>> scores;  // of the family with one of them, all above that
  bool only_differences = false;  // between these scores is known, and not the scores
};

// What was found of some parts of the candidates. Between threads every cache line takes its time, so that the
// few that gain mostly lie in the line that tells that they do.
class GainingFound {
 public:
  void clear(double before);
  void add(Variable v, double score);
  std::size_t size() const { return n_; }
  void append_to(Gaining& gaining) const;

 private:
  static constexpr std::uint32_t kInLine = 5;
  double before_ = 0;
  std::uint32_t n_ = 0;
  std::array<std::pair<Variable, double>, kInLine> first_;
  std::vector<std::pair<Variable, double>> others_;
};

// What a thread found of the parts it took, at the place of the first of them, for each of the families.
struct alignas(64) AnswerPart {
  std::atomic<std::uint64_t> number = 0;  // of the question that this is counted for
  std::uint32_t n_parts = 0;
  bool failed = false;
  std::array<GainingFound, 2> found;
};

// One of its families.
struct AskedFamily {
  Fingerprint key;
  ToggledFamily family;
  std::vector<Variable> except;
  double score = 0;
};

// One family, or two that are counted together.
struct GainsQuestion {
  bool is_done(std::size_t first_part) const {
    return answers[first_part].number.load(std::memory_order_acquire) == number;
  }
  // Once all are done.
  template <class Fn>
  void for_each_answer(Fn&& fn) const {
    for (std::size_t part = 0; part < n_parts; part += answers[part].n_parts) fn(answers[part]);
  }
  // Whether nobody has begun it, and whether all of it was begun. For the thread of the walk: what others have
  // just changed takes long to look at.
  bool is_untouched() const { return !all_begun && left.n() == n_parts; }
  bool is_begun() { return all_begun = all_begun || left.n() == 0; }
  // Whether all was counted, for the same thread; then what was found is put together.
  bool settle();

  std::uint64_t number = 0;  // no other question had this one
  std::array<AskedFamily, 2> asked;
  std::uint32_t n_asked = 0;
  std::uint32_t n_parts = 0;
  std::vector<AnswerPart> answers;  // by the first part; there may be more, of an earlier question
  // For the thread of the walk, apart from what others read:
  alignas(64) std::uint32_t n_open = 0;  // families that may still be asked for
  bool all_begun = false;    // known to be so
  bool all_done = false;     // known to be so: all answers were seen, and no other thread is at it
  std::array<Gaining, 2> gaining;  // once all is done, of the families
  alignas(64) PartsLeft left;
};

}  // namespace dagwright
