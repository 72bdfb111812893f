// Tables over all sets, shared out by the sets' highest members. A block of sets with the same ones is
// written by one thread, in an order of its own, so that threads change no digit; and it stays in the
// cache. Blocks with as many high members do not need each other.
#pragma once

#include <algorithm>
#include <vector>

#include "dagwright/base/run.hpp"
#include "dagwright/base/bit_sets.hpp"

namespace dagwright {

class SetBlocks {
 public:
  explicit SetBlocks(std::size_t n) : low_bits_(n > kHighBits ? n - kHighBits : 0) {
    by_size_.resize(n - low_bits_ + 1);
    for (Set high = 0; high <= all_of(n - low_bits_); ++high) {
      by_size_[static_cast<std::size_t>(std::popcount(high))].push_back(high);
    }
  }

  Set n_low() const { return Set{1} << low_bits_; }

  // Calls fn(high) for the high members of each block, subsets first.
  template <class Fn>
  void upwards(Run& run, Fn&& fn) const {
    for (const auto& level : by_size_) do_level(level, run, fn);
  }

  // Calls fn(set) for each set, after its subsets.
  template <class Fn>
  void each_upwards(Run& run, Fn&& fn) const {
    upwards(run, [&](Set high) {
      for (Set low = 0; low < n_low(); ++low) {
        if (low % 4096 == 0) run.check_inside();
        fn(high * n_low() | low);
      }
    });
  }

  // The same as `upwards`, supersets first.
  template <class Fn>
  void downwards(Run& run, Fn&& fn) const {
    for (auto level = by_size_.rbegin(); level != by_size_.rend(); ++level) {
      do_level(*level, run, fn);
    }
  }

 private:
  static constexpr std::size_t kHighBits = 8;

  template <class Fn>
  void do_level(const std::vector<Set>& level, Run& run, Fn&& fn) const {
    run.parallel_for(level.size(), [&](std::size_t b) { fn(level[b]); });
    run.progress.step += level.size() * n_low();
  }

  std::size_t low_bits_;
  std::vector<std::vector<Set>> by_size_;
};

}  // namespace dagwright
