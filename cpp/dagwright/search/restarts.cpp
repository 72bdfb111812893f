#include "dagwright/search/restarts.hpp"

#include <algorithm>
#include <limits>
#include <mutex>
#include <utility>
#include <vector>

#include "dagwright/base/ties.hpp"

namespace dagwright {

namespace {

// Keeps only what may still win, so that a thousand restarts need the memory of a few.
class Best {
 public:
  void offer(std::size_t restart, Found found) {
    const std::lock_guard lock(mutex_);
    const double score = found.score;
    best_score_ = std::max(best_score_, score);
    const double least = best_score_ - tie_tolerance(best_score_);
    bool wins = score >= least;
    std::erase_if(entries_, [&](const Entry& other) {
      if (other.found.score < least) return true;
      if (other.restart < restart && other.found.score >= score) wins = false;
      return restart < other.restart && score >= other.found.score;
    });
    if (wins) entries_.push_back({restart, std::move(found)});
  }

  bool empty() const { return entries_.empty(); }

  Found take() {
    const auto smallest = [](const Entry& a, const Entry& b) { return a.restart < b.restart; };
    return std::move(std::min_element(entries_.begin(), entries_.end(), smallest)->found);
  }

 private:
  struct Entry {
    std::size_t restart;
    Found found;
  };
  std::mutex mutex_;
  double best_score_ = -std::numeric_limits<double>::infinity();
  std::vector<Entry> entries_;
};

}  // namespace

Found best_of_restarts(Run& run, std::size_t begin, std::size_t end, const Walk& walk) {
  if (end - begin == 1) return walk(begin, run);  // all threads for the one
  Best best;
  try {
    run.parallel_for(end - begin, [&](std::size_t i) {
      Run inner = run.inner();
      try {
        best.offer(begin + i, walk(begin + i, inner));
      } catch (...) {
        run.fail();  // the others would walk on to their end
        throw;
      }
    });
  } catch (const Stopped&) {
    // What was reached is in `best`.
  }
  if (best.empty()) return walk(begin, run);  // stopped before the first walk began
  return best.take();
}

}  // namespace dagwright
