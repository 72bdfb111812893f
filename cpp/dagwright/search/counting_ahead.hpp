// Counting what a walk is going to ask for, on threads that would have nothing to do meanwhile.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <span>
#include <unordered_set>
#include <vector>

#include "dagwright/base/run.hpp"
#include "dagwright/score/scorer.hpp"

namespace dagwright {

// A step of a walk is too short to be shared out well, and needs what the last one left. But the moves
// that will be taken next are mostly known, and so are the families that they will make: other threads
// count these, which leaves them in the scorer's cache. What the walk is told never depends on that.
class CountingAhead {
 public:
  explicit CountingAhead(const Scorer& scorer);

  // Calls walk(inner), with a run of one thread, on this thread, while the other threads of the run count
  // what the walk expects. With one thread, or a scorer that must not be asked ahead, walk(run).
  void during(Run& run, const std::function<void(Run&)>& walk);

  // How many threads would count: expecting is of no use if there is none.
  std::size_t n_helpers() const { return n_helpers_; }

  // From now on these are expected, the first one soonest, and nothing that was and is not begun.
  struct Question {
    Family family;
    std::vector<Variable> candidates;
  };
  void expect(std::vector<Question> questions);
  // Whether it has been begun; expecting it again would change nothing.
  bool begun(const Family& family);

  // As the scorer's; waits for a thread that counts just these.
  std::vector<double> gains(const Family& family, std::span<const Variable> candidates, Run& run);

 private:
  using Key = std::uint64_t;
  static Key key_of(const Family& family);
  void help(Run& run);
  void call();
  void count_next(std::unique_lock<std::mutex>& lock, Run& run);
  bool in_forked_process() const;

  const Scorer& scorer_;
  std::size_t n_helpers_ = 0;
  unsigned forks_;
  // Count up when there is more to do or an end, and when something is done. Helpers wait for a number and
  // not for a condition: one that is waited for cannot be destroyed in a forked process.
  std::atomic<std::uint32_t> n_calls_ = 0;
  std::atomic<std::uint32_t> n_done_ = 0;
  std::mutex mutex_;  // guards all below
  bool closed_ = false;
  std::deque<Question> waiting_;
  std::vector<Key> running_;
  std::unordered_set<Key> begun_;
};

}  // namespace dagwright
