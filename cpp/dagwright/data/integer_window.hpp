// Integers within 256 of each other need no index: the code is the distance to the first of them.
// Whole blocks of rows are then encoded in a few vector instructions.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "dagwright/data/buffer.hpp"

namespace dagwright {

class IntegerWindow {
 public:
  static constexpr std::int64_t kSize = 256;

  // Places the window so that it holds `low` and `high`, both of type T; false if none does.
  template <class T>
  bool place(std::int64_t low, std::int64_t high) {
    if (static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low) >= kSize) return false;
    if constexpr (sizeof(T) == 1) {
      first_ = std::numeric_limits<T>::min();
    } else if (low >= 0 && high < kSize) {
      first_ = 0;
    } else if (low >= -kSize / 2 && high < kSize / 2) {
      first_ = -kSize / 2;
    } else {  // all of it within T, so that no integer wraps around into it
      first_ = std::min<std::int64_t>(low, greatest<T>() - (kSize - 1));
    }
    placed_ = true;
    return true;
  }

  bool placed() const { return placed_; }

  // Encodes n integers; false if one is outside, and then nothing is remembered.
  template <class T>
  bool encode(const T* __restrict values, std::int64_t n, std::uint8_t* __restrict codes) {
    using Distance = std::make_unsigned_t<T>;
    const auto first = static_cast<Distance>(first_);
    Distance far = 0;
    for (std::int64_t row = 0; row < n; ++row) {
      const auto distance = static_cast<Distance>(static_cast<Distance>(values[row]) - first);
      far = static_cast<Distance>(far | distance);
      codes[row] = static_cast<std::uint8_t>(distance);
    }
    if (far >= kSize) return false;
    std::uint8_t low = 255;
    std::uint8_t high = 0;
    for (std::int64_t row = 0; row < n; ++row) {
      low = std::min(low, codes[row]);
      high = std::max(high, codes[row]);
    }
    // Once every code in the range was seen, as it is after a few rows, nothing is left to mark.
    if (n > 0 && !std::all_of(&seen_[low], &seen_[high] + 1, [](bool seen) { return seen; })) {
      for (std::int64_t row = 0; row < n; ++row) seen_[codes[row]] = true;
    }
    return true;
  }

  // The integers seen, ascending, and their codes.
  std::vector<std::int64_t> integers() const {
    std::vector<std::int64_t> out;
    for (std::int64_t code = 0; code < kSize; ++code) {
      if (seen_[static_cast<std::size_t>(code)]) out.push_back(first_ + code);
    }
    return out;
  }

  // Renumbers the codes so that they point into integers().
  void compact(Buffer<std::uint8_t>& codes) const {
    std::array<std::uint8_t, kSize> rank{};
    std::uint8_t next = 0;
    bool is_compact = true;
    for (std::size_t code = 0; code < rank.size(); ++code) {
      if (!seen_[code]) continue;
      is_compact = is_compact && code == next;
      rank[code] = next++;
    }
    if (is_compact) return;
    for (std::uint8_t& code : codes) code = rank[code];
  }

 private:
  // As int64; for uint64 the window stays below int64's greatest, where the bits mean the same.
  template <class T>
  static constexpr std::int64_t greatest() {
    if constexpr (std::is_same_v<T, std::uint64_t>) {
      return std::numeric_limits<std::int64_t>::max();
    } else {
      return std::numeric_limits<T>::max();
    }
  }

  bool placed_ = false;
  std::int64_t first_ = 0;
  std::array<bool, kSize> seen_{};
};

}  // namespace dagwright
