// Numbers with 128 bits of mantissa and 64 of exponent, for sums whose terms cancel and whose range no
// double has. Results are rounded towards zero: a product is off by less than 2^-124 of itself, a sum or
// difference by less than 2^-126 of its larger operand.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>

namespace dagwright {

__extension__ typedef unsigned __int128 Word128;

// (high * 2^64 + low) * 2^exponent, and never negative. The highest bit is set, but in zero. Two words
// and not one of 128 bits, which would be aligned to 32 bytes.
struct Wide {
  std::uint64_t high = 0, low = 0;
  std::int64_t exponent = 0;

  static Wide of(Word128 mantissa, std::int64_t exponent) {
    return {static_cast<std::uint64_t>(mantissa >> 64), static_cast<std::uint64_t>(mantissa),
            exponent};
  }
  static Wide one() { return {std::uint64_t{1} << 63, 0, -127}; }
  // e^x: a double's precision, whatever its size.
  static Wide exp(double x) {
    const double power = std::floor(x / std::numbers::ln2);
    const double rest = std::exp(x - power * std::numbers::ln2);  // 1 to 2, or just outside
    int more = 0;
    const double mantissa = std::frexp(rest, &more);
    return {static_cast<std::uint64_t>(std::ldexp(mantissa, 64)), 0,
            static_cast<std::int64_t>(power) + more - 128};
  }

  bool zero() const { return high == 0; }
  Word128 mantissa() const { return Word128{high} << 64 | low; }
  double log() const {
    if (zero()) return -std::numeric_limits<double>::infinity();
    return std::log(static_cast<double>(high)) +
           (static_cast<double>(exponent) + 64) * std::numbers::ln2;
  }
};

inline Wide operator*(const Wide& a, const Wide& b) {
  if (a.zero() || b.zero()) return {};
  Word128 m = Word128{a.high} * b.high;
  m += static_cast<std::uint64_t>(Word128{a.high} * b.low >> 64);
  m += static_cast<std::uint64_t>(Word128{a.low} * b.high >> 64);
  const int shift = (m >> 127) == 0 ? 1 : 0;
  return Wide::of(m << shift, a.exponent + b.exponent + 128 - shift);
}

inline Wide operator+(const Wide& a, const Wide& b) {
  if (a.zero()) return b;
  if (b.zero()) return a;
  const bool swapped = a.exponent < b.exponent;
  const Wide &large = swapped ? b : a, &small = swapped ? a : b;
  const std::int64_t shift = large.exponent - small.exponent;
  if (shift > 127) return large;
  const Word128 m = large.mantissa() + (small.mantissa() >> shift);
  if (m >= large.mantissa()) return Wide::of(m, large.exponent);
  return Wide::of(m >> 1 | Word128{1} << 127, large.exponent + 1);  // a bit was carried out
}

inline bool operator<(const Wide& a, const Wide& b) {
  if (a.zero() || b.zero()) return a.zero() && !b.zero();
  return a.exponent != b.exponent ? a.exponent < b.exponent : a.mantissa() < b.mantissa();
}

// a - b, where b is no larger.
inline Wide operator-(const Wide& a, const Wide& b) {
  if (b.zero()) return a;
  const std::int64_t shift = a.exponent - b.exponent;
  if (shift > 127) return a;
  const Word128 m = a.mantissa() - (b.mantissa() >> shift);
  const auto high = static_cast<std::uint64_t>(m >> 64);
  if (high == 0 && static_cast<std::uint64_t>(m) == 0) return {};
  const int zeros =
      high != 0 ? std::countl_zero(high) : 64 + std::countl_zero(static_cast<std::uint64_t>(m));
  return Wide::of(m << zeros, a.exponent - zeros);
}

// a / b as a double; b is not zero.
inline double ratio(const Wide& a, const Wide& b) {
  if (a.zero()) return 0.0;
  const std::int64_t power = a.exponent - b.exponent;
  if (power < -2000) return 0.0;
  return std::ldexp(static_cast<double>(a.mantissa()) / static_cast<double>(b.mantissa()),
                    static_cast<int>(power < 2000 ? power : 2000));
}

struct SignedWide {
  Wide size;
  bool negative = false;
};

inline SignedWide operator-(const SignedWide& a) { return {a.size, !a.negative}; }

inline SignedWide operator+(const SignedWide& a, const SignedWide& b) {
  if (a.negative == b.negative) return {a.size + b.size, a.negative};
  return a.size < b.size ? SignedWide{b.size - a.size, b.negative}
                         : SignedWide{a.size - b.size, a.negative};
}

inline SignedWide operator*(const Wide& a, const SignedWide& b) { return {a * b.size, b.negative}; }

}  // namespace dagwright
