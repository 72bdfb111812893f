// c ln c, the only function of a count that likelihoods and entropies need.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "dagwright/base/types.hpp"

namespace dagwright {

// Looks up small whole numbers, which most counts are; 0 for 0.
class XLogX {
 public:
  static constexpr std::size_t kSize = 65536;  // whole numbers below it are in the table

  XLogX() : table_(table()), units_(units()) {}

  // Whether every whole number up to c is in the table.
  bool knows(Count c) const { return c < static_cast<double>(table_.size()); }
  // The same in units of 2^-40: whole numbers, whose sum up to that of a known total is exact.
  std::int64_t in_units(std::size_t c) const { return units_[c]; }
  static double of_units(std::int64_t units) { return static_cast<double>(units) * kUnit; }

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
      std::vector<double> made(kSize, 0.0);
      for (std::size_t i = 1; i < made.size(); ++i) {
        made[i] = static_cast<double>(i) * std::log(static_cast<double>(i));
      }
      return made;
    }();
    return values;
  }
  static const std::vector<std::int64_t>& units() {
    static const std::vector<std::int64_t> values = [] {
      std::vector<std::int64_t> made;
      for (const double value : table()) made.push_back(std::llround(value / kUnit));
      return made;
    }();
    return values;
  }
  static constexpr double kUnit = 0x1p-40;
  const std::vector<double>& table_;
  const std::vector<std::int64_t>& units_;
};

}  // namespace dagwright
