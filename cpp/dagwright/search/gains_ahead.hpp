// What a walk is going to ask for, counted by threads that would have nothing to do meanwhile.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

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
    double score;                  // of the family; NaN where that is not known
  };
  // What will be asked next, in this order. make(), if the family is new, gives it, and maybe a second one.
  template <class Make>
  void expect(const Family& family, Make&& make);
  std::size_t n_expected() const { return expected_.size(); }  // since the last publish(), and not begun
  // These may be begun at once, before what was expected earlier.
  void begin_now();
  // From now on these are expected, and nothing that was before and is not begun.
  void publish();

  // All variables are candidates but some, which are sorted and have the family among them.
  Gaining gaining(const Family& family, const std::vector<Variable>& except, Run& run);

 private:
  struct Question;
  using SharedQuestion = std::shared_ptr<Question>;
  struct Asked {
    Expected expected;
    // By part of the candidates, each made by the thread that counts it: what another one has written takes
    // long to read.
    std::vector<Gaining> found;
  };
  // Parts are counted by whoever comes first.
  struct Question {
    std::vector<Asked> asked;
    std::size_t n_parts;
    alignas(64) std::atomic<std::size_t> n_begun = 0;  // more than there are, if one was looked for in vain
    std::atomic<std::size_t> n_done = 0;
    std::atomic<bool> failed = false;
  };
  // What a thread counts with.
  struct Counter {
    explicit Counter(const Scorer& scorer) : toggled{ToggledScores(scorer), ToggledScores(scorer)} {}
    std::array<ToggledScores, 2> toggled;
    std::array<double, 2> before{};  // the scores of the families
    std::vector<Variable> candidates;
    std::vector<double> scores;
  };
  struct Hash {
    std::size_t operator()(const Fingerprint& key) const { return key.low; }
  };

  static Fingerprint key_of(const Family& family);
  SharedQuestion new_question(std::vector<Expected> expected);
  SharedQuestion take(const Family& family, const std::vector<Variable>& except);
  void list_candidates(const std::vector<Variable>& except, std::size_t part, std::size_t n_parts,
                       std::vector<Variable>& candidates) const;
  static Asked& answer_in(Question& question, const Family& family);
  void forget(const Question& question);
  SharedQuestion next_question();
  void count_parts(Question& question, Counter& counter, Run& run) const;
  bool wait_for(const Question& question, Run& run) const;
  void help(Run& run);
  void call();
  bool in_forked_process() const;

  const Scorer& scorer_;
  unsigned forks_;
  std::size_t n_helpers_ = 0;
  Counter own_;  // of the thread of the walk
  std::unordered_map<Fingerprint, SharedQuestion, Hash> questions_;  // by family; not asked for yet
  std::vector<SharedQuestion> expected_;  // not published yet
  std::vector<SharedQuestion> published_;
  // Counts up when there is more to do, or an end. Helpers wait for a number and not for a condition: one
  // that is waited for cannot be destroyed in a forked process.
  alignas(64) std::atomic<std::uint32_t> n_calls_ = 0;
  std::atomic<bool> closed_ = false;
  std::mutex mutex_;
  std::deque<SharedQuestion> open_;  // guarded by the mutex: what helpers may begin
};

template <class Make>
void GainsAhead::expect(const Family& family, Make&& make) {
  SharedQuestion& question = questions_[key_of(family)];
  if (question == nullptr) question = new_question(make());
  if (question->n_begun < question->n_parts) expected_.push_back(question);
}

}  // namespace dagwright
