// c ln c, the only function of a count that likelihoods and entropies need.
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

#include "dagwright/base/types.hpp"

namespace dagwright {

// Looks up whole numbers below 65536, which most counts are; 0 for 0.
class XLogX {
 public:
  XLogX() : table_(table()) {}

  // Whether every whole number up to c is in the table.
  bool knows(Count c) const { return c < static_cast<double>(table_.size()); }
  double of_whole(std::size_t c) const { return table_[c]; }

  // Of a count above 0.
  double operator()(Count c) const {
    if (knows(c)) {
      const auto whole = static_cast<std::size_t>(c);
      if (static_cast<double>(whole) == c) return table_[whole];
    }
    return c * std::log(c);
  }

 private:
  static const std::vector<double>& table() {
    static const std::vector<double> values = [] {
      std::vector<double> made(65536, 0.0);
      for (std::size_t i = 1; i < made.size(); ++i) {
        made[i] = static_cast<double>(i) * std::log(static_cast<double>(i));
      }
      return made;
    }();
    return values;
  }
  const std::vector<double>& table_;
};

}  // namespace dagwright
