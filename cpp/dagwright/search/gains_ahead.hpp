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

#include "dagwright/base/parts_left.hpp"
#include "dagwright/base/run.hpp"
#include "dagwright/score/fingerprint.hpp"
#include "dagwright/score/scorer.hpp"
#include "dagwright/score/toggled_scores.hpp"

namespace dagwright {

// The candidates that gain something if they are added to the parents of a family.
struct Gaining {
  double before = 0;                                // the score of the family
  std::vector<std::pair<Variable, double>> scores;  // of the family with one of them, all above that
  bool only_differences = false;  // between these scores is known, and not the scores
};

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
  // What will be asked next, in this order. make(add), if the family is new, writes it over what add() returns, and
  // maybe a second one over that of another call, or none.
  template <class Make>
  void expect(const Fingerprint& key, Run& run, Make&& make);
  // Whether helpers will have enough to do with what was expected since the last begin().
  bool expects_enough() const;
  // Whether they will soon have begun all that they were offered.
  bool wants_more() const;
  // Whether a family was expected, and not asked for since.
  bool knows(const Fingerprint& key) const { return questions_.contains(key); }
  // Calls use(family, gaining) with what was found of a family that was expected, if that is known by now, and of the
  // other one that was expected with it.
  template <class Use>
  void for_each_answer(const Fingerprint& key, Use&& use);
  // What was expected is counted from now on, in this order, and nothing that was expected before and is not
  // begun.
  void begin();
  // The same, but what was begun or not before goes on after it.
  void begin_before_others();

  // All variables are candidates but some, which are sorted and have the family among them.
  Gaining gaining(const Family& family, const std::vector<Variable>& except, Run& run);

 private:
  // What was found of some parts of the candidates. Between threads every cache line takes its time, so that the
  // few that gain mostly lie in the line that tells that they do.
  class Found {
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
  struct alignas(64) Answer {
    std::atomic<std::uint64_t> number = 0;  // of the question that this is counted for
    std::uint32_t n_parts = 0;
    bool failed = false;
    std::array<Found, 2> found;
  };
  struct Asked {
    Fingerprint key;
    ToggledFamily family;
    std::vector<Variable> except;
    double score = 0;
  };
  struct Question {
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
    std::uint64_t number = 0;  // no other question had this one
    std::array<Asked, 2> asked;
    std::uint32_t n_asked = 0;
    std::uint32_t n_parts = 0;
    std::vector<Answer> answers;  // by the first part; there may be more, of an earlier question
    // For the thread of the walk:
    std::uint32_t n_open = 0;  // families that may still be asked for
    bool all_begun = false;    // known to be so
    bool all_done = false;     // known to be so: all answers were seen, and no other thread is at it
    std::array<Gaining, 2> gaining;  // once all is done, of the families
    alignas(64) PartsLeft left;
  };
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
  void list_candidates(const std::vector<Variable>& except, PartsLeft::Range parts, std::size_t n_parts,
                       std::vector<Variable>& candidates) const;
  void count_parts(Question& question, PartsLeft::Range parts, Counter& counter, Run& run) const;
  bool settle(Question& question);
  Question* untouched_beside(const Question& question) const;
  void wait_for(const Question& question, Run& run) const;
  void count_or_wait(Question& question, Run& run);
  static bool is_over(const GivenUp& given_up);
  bool help_once(std::uint32_t n_calls, Counter& counter, Run& run);
  void help(Run& run);
  void call();
  bool in_forked_process() const;

  const Scorer& scorer_;
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
void GainsAhead::expect(const Fingerprint& key, Run& run, Make&& make) {
  const auto place = questions_.find(key);
  const auto is_expected = [&](const Question* question) {
    return std::find(expected_.begin(), expected_.end(), question) != expected_.end();
  };
  if (place == questions_.end()) {
    std::size_t n_made = 0;
    make([&]() -> Expected& { return made_.at(n_made++); });
    if (n_made == 0) return;
    try {
      expected_.push_back(&new_question(std::span(made_).first(n_made), run));
    } catch (const FamilyError&) {  // it is met again if it is asked for
    }
  } else if (!is_expected(place->second) && !place->second->is_begun()) {
    expected_.push_back(place->second);
  }
}

template <class Use>
void GainsAhead::for_each_answer(const Fingerprint& key, Use&& use) {
  const auto place = questions_.find(key);
  if (place == questions_.end() || !settle(*place->second)) return;
  const Question& question = *place->second;
  for (std::size_t i = 0; i < question.n_asked; ++i) use(question.asked[i].family.family(), question.gaining[i]);
}

}  // namespace dagwright
