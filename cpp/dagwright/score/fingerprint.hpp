// The fingerprint of a set of variables: 128 bits that two different sets do not share.
#pragma once

#include <cstdint>
#include <span>

#include "dagwright/base/types.hpp"

namespace dagwright {

// Every variable has 128 mixed bits of its own, and a set has their sum: a set with one variable more
// costs one addition. Among a billion sets, the chance that any two are the same is below 1e-20, far
// less than that the memory fails; so the sets themselves need not be kept.
struct Fingerprint {
  std::uint64_t low = 0x9E3779B97F4A7C15ULL;
  std::uint64_t high = 0xD1B54A32D192ED03ULL;

  bool operator==(const Fingerprint&) const = default;
  Fingerprint& operator+=(const Fingerprint& other) {
    low += other.low;
    high += other.high;
    return *this;
  }
  Fingerprint& operator-=(const Fingerprint& other) {
    low -= other.low;
    high -= other.high;
    return *this;
  }
  friend Fingerprint operator-(Fingerprint a, const Fingerprint& b) { return a -= b; }
  friend Fingerprint operator+(Fingerprint a, const Fingerprint& b) { return a += b; }

  // The empty set is Fingerprint{}; this is what a member adds to it.
  static Fingerprint of_member(std::uint64_t number) {
    return {mixed(2 * number + 1), mixed(2 * number + 2)};
  }
  // A child marked as such, so that a family has another fingerprint than the set of its members.
  static Fingerprint of_child(Variable child) {
    return of_member(child + (std::uint64_t{1} << 32));
  }
  static Fingerprint of_set(std::span<const Variable> variables) {
    Fingerprint sum;
    for (const Variable v : variables) sum += of_member(v);
    return sum;
  }

 private:
  static std::uint64_t mixed(std::uint64_t x) {  // splitmix64
    x *= 0x9E3779B97F4A7C15ULL;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
    return x ^ (x >> 31);
  }
};

}  // namespace dagwright
