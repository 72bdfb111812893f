// The parts of a piece of work that nobody has begun: one thread takes them from the front, others from the back.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

namespace dagwright {

// So a thread that is alone at its end has parts that lie together, and what it read for one of them serves the
// next. Taking a part sees all that was written before the parts were offered.
class PartsLeft {
 public:
  struct Range {
    std::uint32_t begin, end;
    std::uint32_t size() const { return end - begin; }
  };

  void offer(std::uint32_t n) { range_.store(packed({0, n}), std::memory_order_release); }

  std::uint32_t n() const { return unpacked(range_.load(std::memory_order_relaxed)).size(); }

  std::optional<std::uint32_t> take_front() { return take(true); }
  std::optional<std::uint32_t> take_back() { return take(false); }
  Range take_all() { return unpacked(range_.exchange(0, std::memory_order_relaxed)); }

 private:
  static std::uint64_t packed(Range range) { return std::uint64_t{range.begin} << 32 | range.end; }
  static Range unpacked(std::uint64_t range) {
    return {static_cast<std::uint32_t>(range >> 32), static_cast<std::uint32_t>(range)};
  }

  std::optional<std::uint32_t> take(bool front) {
    std::uint64_t now = range_.load(std::memory_order_relaxed);
    while (true) {
      Range rest = unpacked(now);
      if (rest.size() == 0) return std::nullopt;
      const std::uint32_t taken = front ? rest.begin++ : --rest.end;
      if (range_.compare_exchange_weak(now, packed(rest), std::memory_order_acquire,
                                       std::memory_order_relaxed))
        return taken;
    }
  }

  std::atomic<std::uint64_t> range_ = 0;
};

}  // namespace dagwright
