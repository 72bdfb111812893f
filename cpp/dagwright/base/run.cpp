#include "dagwright/base/run.hpp"

#include <utility>

namespace dagwright {

namespace {
constexpr std::chrono::milliseconds kReportEvery{50};
}

Run::Run(unsigned threads, double time_limit, Report report)
    : pool_(threads), time_limit_(time_limit), report_(std::move(report)) {}

double Run::seconds() const {
  return std::chrono::duration<double>(Clock::now() - start_).count();
}

void Run::poll() {
  if (stopping()) return;
  const auto now = Clock::now();
  progress.seconds = std::chrono::duration<double>(now - start_).count();
  if (progress.seconds >= time_limit_) {
    reason_ = StopReason::time_limit;
    return;
  }
  if (report_ && now - last_report_ >= kReportEvery) {
    last_report_ = now;
    reason_ = report_(progress);
  }
}

}  // namespace dagwright
