// The largest of some numbers that change one at a time.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace dagwright {

// A tree in which every node has the larger of two numbers: a change takes the logarithm of their number.
class LargestOf {
 public:
  static constexpr double kNone = -std::numeric_limits<double>::infinity();

  explicit LargestOf(std::size_t n)
      : n_leaves_(std::bit_ceil(n > 0 ? n : 1)), numbers_(n_leaves_, kNone), winners_(2 * n_leaves_, 0) {
    for (std::size_t i = 0; i < n_leaves_; ++i) winners_[n_leaves_ + i] = static_cast<std::uint32_t>(i);
    for (std::size_t node = n_leaves_ - 1; node >= 1; --node) winners_[node] = winners_[2 * node];
  }

  void set(std::size_t i, double number) {
    numbers_[i] = number;
    for (std::size_t node = (n_leaves_ + i) / 2; node >= 1; node /= 2) {
      const std::uint32_t left = winners_[2 * node], right = winners_[2 * node + 1];
      winners_[node] = numbers_[right] > numbers_[left] ? right : left;
    }
  }

  std::size_t place() const { return winners_[1]; }  // of the largest one, the first of equals
  double number() const { return numbers_[place()]; }

 private:
  std::size_t n_leaves_;
  std::vector<double> numbers_;
  std::vector<std::uint32_t> winners_;  // by node, the root at 1; the last ones are the numbers themselves
};

}  // namespace dagwright
