#include "dagwright/base/run.hpp"

#include <algorithm>
#include <utility>

namespace dagwright {

namespace {
constexpr std::chrono::milliseconds kReportEvery{50};
constexpr std::chrono::milliseconds kHandUpEvery{10};
}

Run::Run(unsigned threads, double time_limit, Report report)
    : pool_(ThreadPool::borrow(threads)), time_limit_(time_limit), report_(std::move(report)) {}

Run::Run(Run* parent)
    : parent_(parent),
      pool_(ThreadPool::borrow(1)),
      time_limit_(std::numeric_limits<double>::infinity()) {}

Run::Run(std::shared_ptr<ThreadPool> pool)
    : pool_(std::move(pool)), time_limit_(std::numeric_limits<double>::infinity()) {}

Run::~Run() {
  if (parent_ != nullptr) hand_up();
}

double Run::seconds() const {
  return std::chrono::duration<double>(Clock::now() - start_).count();
}

void Run::hand_up() {
  const std::lock_guard lock(parent_->progress_mutex_);
  Progress& sum = parent_->progress;
  sum.step += progress.step - handed_up_.step;
  sum.families_scored += progress.families_scored - handed_up_.families_scored;
  sum.score = std::max(sum.score, progress.score);
  handed_up_ = progress;
}

void Run::poll() {
  if (stopping()) return;
  const auto now = Clock::now();
  progress.seconds = std::chrono::duration<double>(now - start_).count();
  if (parent_ != nullptr) {
    if (now - last_report_ >= kHandUpEvery) {
      last_report_ = now;
      hand_up();
    }
    parent_->stopping_inside();
    return;
  }
  if (progress.seconds >= time_limit_) {
    reason_ = StopReason::time_limit;
    return;
  }
  if (report_ && now - last_report_ >= kReportEvery) {
    last_report_ = now;
    Progress sum;
    {
      const std::lock_guard lock(progress_mutex_);
      sum = progress;
    }
    // The report may be slow or throw; another thread may fail meanwhile, and that stays.
    const StopReason wanted = report_(sum);
    StopReason none = StopReason::none;
    reason_.compare_exchange_strong(none, wanted);
  }
}

}  // namespace dagwright
