// The parts of a piece of work that nobody has begun: one thread takes some from the front, others from the back.
#pragma once

#include <atomic>
#include <cstdint>

namespace dagwright {

// Who takes some takes an equal share of those that are left, but one at least: so they are many as long as there
// is much to do, and few when others would wait for them. Those of one thread lie together, so that what it read for
// one of them serves the next. Taking parts sees all that was written before they were offered.
class PartsLeft {
 public:
  struct Range {
    std::uint32_t begin = 0, end = 0;
    std::uint32_t size() const { return end - begin; }
  };

  void offer(std::uint32_t n) { range_.store(packed({0, n}), std::memory_order_release); }

  std::uint32_t n() const { return unpacked(range_.load(std::memory_order_relaxed)).size(); }

  // A share for one of so many threads; empty if nothing is left.
  Range take_front(std::uint32_t n_threads) { return take(true, n_threads); }
  Range take_back(std::uint32_t n_threads) { return take(false, n_threads); }
  Range take_all() {
    if (n() == 0) return {};  // so that who looks in vain does not write
    return unpacked(range_.exchange(0, std::memory_order_acquire));
  }

 private:
  static std::uint64_t packed(Range range) { return std::uint64_t{range.begin} << 32 | range.end; }
  static Range unpacked(std::uint64_t range) {
    return {static_cast<std::uint32_t>(range >> 32), static_cast<std::uint32_t>(range)};
  }

  Range take(bool front, std::uint32_t n_threads) {
    std::uint64_t now = range_.load(std::memory_order_relaxed);
    while (true) {
      const Range left = unpacked(now);
      if (left.size() == 0) return {};
      const std::uint32_t share = (left.size() + n_threads - 1) / n_threads;
      const Range taken = front ? Range{left.begin, left.begin + share} : Range{left.end - share, left.end};
      const Range rest = front ? Range{taken.end, left.end} : Range{left.begin, taken.begin};
      if (range_.compare_exchange_weak(now, packed(rest), std::memory_order_acquire,
                                       std::memory_order_relaxed))
        return taken;
    }
  }

  std::atomic<std::uint64_t> range_ = 0;
};

}  // namespace dagwright
