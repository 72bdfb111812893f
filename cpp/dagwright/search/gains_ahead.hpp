// What a walk is going to ask for, counted by threads that would have nothing to do meanwhile.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <initializer_list>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "dagwright/base/run.hpp"
#include "dagwright/score/fingerprint.hpp"
#include "dagwright/score/scorer.hpp"
#include "dagwright/score/toggled_scores.hpp"
#include "dagwright/search/gains_question.hpp"

namespace dagwright {

// A step of a walk is too short to be shared out well, and needs what the last one left. But the moves
// that will be taken next are mostly known, and so are the families that they will make: while the walk
// looks after its lists, other threads count these. What the walk is told never depends on that.
class GainsAhead {
 public:
  explicit GainsAhead(const Scorer& scorer);

  // Calls walk(inner), with a run of one thread, on this thread, while the other threads of the run count
  // ahead. Where there are none, or they are of more use inside each question, walk(run).
  void during(Run& run, const std::function<void(Run&)>& walk);

  // All that follows is for the thread of the walk. How many threads there are to count what is expected:
  std::size_t n_helpers() const { return n_helpers_; }

  // One family, or two that differ in their child: much of what is counted for one serves the other.
  struct Expected {
    Family family;
    std::vector<Variable> except;  // sorted: the family, and what is no candidate
    double score = 0;              // of the family; NaN where that is not known
  };
  // What tells a family from others; its parents may come in several lists.
  static Fingerprint key_of(Variable child, std::initializer_list<std::span<const Variable>> parents);
  using Question = GainsQuestion;
  // What a family was expected in, and not asked for since; null if it was not.
  Question* find(const Fingerprint& key) const {
    const auto place = questions_.find(key);
    return place == questions_.end() ? nullptr : place->second;
  }
  // What will be asked next, in this order.
  void expect(Question& known);
  // The same for a family that was not expected: make(add) writes it over what add() returns, and maybe a second one
  // over that of another call, or none.
  template <class Make>
  void expect_new(Run& run, Make&& make);
  // Whether helpers will have enough to do with what was expected since the last begin().
  bool expects_enough() const;
  // Whether they will soon have begun all that they were offered.
  bool wants_more() const;
  // What was expected is counted from now on, in this order, and nothing that was expected before and is not
  // begun.
  void begin();
  // The same, but what was begun or not before goes on after it.
  void begin_before_others();

  // All variables are candidates but some, which are sorted and have the family among them.
  Gaining gaining(const Family& family, const std::vector<Variable>& except, Run& run);

 private:
  struct GivenUp {
    Question* question;
    PartsLeft::Range left;  // what nobody began
  };
  // What a thread counts with.
  struct Counter {
    explicit Counter(const Scorer& scorer) : toggled{ToggledScores(scorer), ToggledScores(scorer)} {}
    std::array<ToggledScores, 2> toggled;
    std::uint64_t question = 0;  // that these are at
    std::vector<Variable> candidates;
    std::vector<double> scores;
  };
  struct Hash {
    std::size_t operator()(const Fingerprint& key) const { return key.low; }
  };
  // More than this are not expected at a time.
  static constexpr std::size_t kMostOffered = 16;

  static Fingerprint key_of(const Family& family) { return key_of(family.child, {family.parents}); }
  static std::size_t place_in(const Question& question, const Fingerprint& key);
  Question& new_question(std::span<const Expected> expected, Run& run);
  Question* take(const Family& family, const std::vector<Variable>& except, Run& run);
  void answered(Question& question);
  void give_up(Question& question);
  bool is_offered(const Question& question) const;
  void forget_answers();
  Question& unused();
  void offer();
  void list_candidates(const Family& family, double score, const std::vector<Variable>& except,
                       PartsLeft::Range parts, std::size_t n_parts, std::vector<Variable>& candidates) const;
  void count_parts(Question& question, PartsLeft::Range parts, Counter& counter, Run& run) const;
  Question* untouched_beside(const Question& question) const;
  void wait_for(const Question& question, Run& run) const;
  void count_or_wait(Question& question, Run& run);
  static bool is_over(const GivenUp& given_up);
  void find_information(Run& run);
  bool help_once(std::uint32_t n_calls, Counter& counter, Run& run);
  void help(Run& run);
  void call();
  bool in_forked_process() const;

  const Scorer& scorer_;
  // By variable, the most that it can tell about another one; empty where nothing is known.
  std::vector<double> information_;
  unsigned forks_;
  std::size_t n_helpers_ = 0;
  std::uint32_t n_sharing_ = 1;  // threads that count parts of a question
  Counter own_;  // of the thread of the walk
  std::uint64_t n_questions_ = 0;
  std::deque<Question> memory_;  // they stay where they are
  std::vector<Question*> unused_;
  std::vector<GivenUp> given_up_;  // a thread may still be at one of their parts
  std::unordered_map<Fingerprint, Question*, Hash> questions_;  // by family; not asked for yet
  std::array<Expected, 2> made_;     // kept for their memory
  std::vector<Question*> expected_;  // not offered yet
  std::vector<Question*> offered_;
  std::vector<Question*> before_;  // offered until now; empty but for a moment
  // What helpers may take parts of, the first one first. One that is used anew meanwhile is as good.
  alignas(64) std::array<std::atomic<Question*>, kMostOffered> offers_{};
  // Counts up when there is something else to do, or an end. Helpers wait for a number and not for a
  // condition: one that is waited for cannot be destroyed in a forked process.
  alignas(64) std::atomic<std::uint32_t> n_calls_ = 0;
  std::atomic<bool> closed_ = false;
};

template <class Make>
void GainsAhead::expect_new(Run& run, Make&& make) {
  std::size_t n_made = 0;
  make([&]() -> Expected& { return made_.at(n_made++); });
  if (n_made == 0) return;
  try {
    expected_.push_back(&new_question(std::span(made_).first(n_made), run));
  } catch (const FamilyError&) {  // it is met again if it is asked for
  }
}

}  // namespace dagwright
