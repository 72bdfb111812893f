// A run is all that an algorithm sees of the outside: threads, a clock, and someone to report to.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <thread>

#include "dagwright/base/thread_pool.hpp"

namespace dagwright {

enum class StopReason : std::uint8_t { none, time_limit, callback, interrupted, failed };

struct Progress {
  std::uint64_t step = 0;
  std::uint64_t families_scored = 0;
  double score = -std::numeric_limits<double>::infinity();  // of the best graph so far
  double seconds = 0.0;
};

// Thrown out of long work when the run is over; searches catch it and return the best so far.
struct Stopped {
  StopReason reason;
};

class Run {
 public:
  // Called on the calling thread at most every 50 ms; answers whether to go on.
  using Report = std::function<StopReason(const Progress&)>;

  explicit Run(unsigned threads = 1, double time_limit = std::numeric_limits<double>::infinity(),
               Report report = {});
  ~Run();

  // A run of one thread for a long piece of work inside parallel_for: it stops with this run, and
  // this run's progress has the families and steps of all such runs and the best of their scores.
  Run inner() { return Run(this); }

  // A run with the threads of this one and without its limits, for what has to be done when this one is over.
  Run unlimited() const { return Run(pool_); }

  // The calling thread polls between pieces of work; workers only look at the flag. An inner run
  // polls for its parent when it is on the parent's calling thread.
  void poll();
  bool stopping() const { return reason() != StopReason::none; }
  StopReason reason() const {
    return parent_ != nullptr ? parent_->reason() : reason_.load(std::memory_order_relaxed);
  }
  // Ends the work of all other threads after an error on this one.
  void fail() { (parent_ != nullptr ? parent_->fail() : reason_.store(StopReason::failed)); }
  double seconds() const;
  unsigned threads() const { return pool_->threads(); }

  // For long pieces of work inside parallel_for: polls where that is allowed, and says whether to stop.
  bool stopping_inside() {
    if (std::this_thread::get_id() == caller_) poll();
    return stopping();
  }

  // The same for work that has no half of an answer: throws Stopped.
  void check_inside() {
    if (stopping_inside()) throw Stopped{reason()};
  }

  // Does fn(i) for every i < n on all threads; throws Stopped when the run ends before all is done.
  template <class Fn>
  void parallel_for(std::size_t n, Fn&& fn) {
    caller_ = std::this_thread::get_id();
    poll();
    if (!stopping()) {
      pool_->for_each(
          n, std::forward<Fn>(fn), [this] { poll(); }, [this] { return stopping(); });
    }
    if (stopping()) throw Stopped{reason()};
  }

  // What the run's own thread writes all the time is not near to what the others look at.
  alignas(64) Progress progress;

 private:
  using Clock = std::chrono::steady_clock;
  explicit Run(Run* parent);
  explicit Run(std::shared_ptr<ThreadPool> pool);
  void hand_up();

  Clock::time_point last_report_ = Clock::now();
  Progress handed_up_;         // what the parent's progress has of this run's
  std::mutex progress_mutex_;  // guards the progress while inner runs hand up theirs
  alignas(64) Run* parent_ = nullptr;
  std::shared_ptr<ThreadPool> pool_;
  std::thread::id caller_ = std::this_thread::get_id();
  Clock::time_point start_ = last_report_;
  double time_limit_;
  Report report_;
  std::atomic<StopReason> reason_ = StopReason::none;
};

}  // namespace dagwright
