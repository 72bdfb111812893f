#include "dagwright/search/counting_ahead.hpp"

#include <algorithm>
#include <thread>
#include <utility>

#include "dagwright/base/forks.hpp"
#include "dagwright/base/wait_awake.hpp"
#include "dagwright/score/fingerprint.hpp"

namespace dagwright {

CountingAhead::CountingAhead(const Scorer& scorer) : scorer_(scorer), forks_(forks()) {}

bool CountingAhead::in_forked_process() const { return forks() != forks_; }

CountingAhead::Key CountingAhead::key_of(const Family& family) {
  return Fingerprint::of_set(family.parents).low + Fingerprint::of_member(family.child).high;
}

void CountingAhead::during(Run& run, const std::function<void(Run&)>& walk) {
  if (run.threads() == 1 || !scorer_.may_count_ahead()) return walk(run);
  const auto caller = std::this_thread::get_id();
  bool walked = false;
  n_helpers_ = run.threads() - 1;
  run.parallel_for(run.threads(), [&](std::size_t) {
    if (std::this_thread::get_id() != caller) return help(run);
    if (std::exchange(walked, true)) return;
    struct Closing {
      CountingAhead& ahead;
      ~Closing() {
        ahead.n_helpers_ = 0;
        if (ahead.in_forked_process()) return;
        const std::lock_guard lock(ahead.mutex_);
        ahead.closed_ = true;
        ahead.call();
      }
    } closing{*this};
    Run inner = run.inner();
    walk(inner);
  });
}

void CountingAhead::expect(std::vector<Question> questions) {
  if (in_forked_process()) return;
  const std::lock_guard lock(mutex_);
  waiting_.assign(std::make_move_iterator(questions.begin()), std::make_move_iterator(questions.end()));
  if (!waiting_.empty()) call();
}

void CountingAhead::call() {
  ++n_calls_;
  n_calls_.notify_all();
}

bool CountingAhead::begun(const Family& family) {
  if (in_forked_process()) return true;
  const std::lock_guard lock(mutex_);
  return begun_.contains(key_of(family));
}

std::vector<double> CountingAhead::gains(const Family& family, std::span<const Variable> candidates,
                                         Run& run) {
  if (n_helpers_ > 0 && !in_forked_process()) {
    const Key key = key_of(family);
    std::unique_lock lock(mutex_);
    std::erase_if(waiting_, [&](const Question& question) { return question.family == family; });
    begun_.insert(key);
    while (std::find(running_.begin(), running_.end(), key) != running_.end()) {
      if (!waiting_.empty()) {
        count_next(lock, run);
        continue;
      }
      const std::uint32_t n_done = n_done_;
      lock.unlock();
      wait_awake([&] { return n_done_ != n_done; });
      run.check_inside();
      lock.lock();
    }
  }
  return scorer_.gains(family, candidates, run);
}

void CountingAhead::help(Run& run) {
  std::unique_lock lock(mutex_);
  while (!closed_) {
    if (!waiting_.empty()) {
      count_next(lock, run);
      continue;
    }
    const std::uint32_t n_calls = n_calls_;
    lock.unlock();
    wait_awake([&] { return n_calls_ != n_calls; });
    n_calls_.wait(n_calls);
    lock.lock();
  }
}

void CountingAhead::count_next(std::unique_lock<std::mutex>& lock, Run& run) {
  const Question question = std::move(waiting_.front());
  waiting_.pop_front();
  const Key key = key_of(question.family);
  if (!begun_.insert(key).second) return;
  running_.push_back(key);
  lock.unlock();
  {
    Run inner = run.inner();
    try {
      scorer_.gains(question.family, question.candidates, inner);
    } catch (...) {  // a stop, or an error that whoever asks will meet
    }
    inner.progress = {};  // nobody has asked for these families yet
  }
  lock.lock();
  std::erase(running_, key);
  ++n_done_;
}

}  // namespace dagwright
