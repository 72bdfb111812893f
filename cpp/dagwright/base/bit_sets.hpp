// Sets of variables as the bits of one word, and as places in tables over all sets.
#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "dagwright/base/types.hpp"

namespace dagwright {

using Set = std::uint32_t;      // an index into such a table
using WideSet = std::uint64_t;  // where there is no table

inline constexpr std::size_t kMostInTables = 31;

template <std::unsigned_integral Bits = Set>
Bits bit_of(Variable v) {
  return Bits{1} << v;
}

template <std::unsigned_integral Bits>
Variable lowest_of(Bits set) {
  return static_cast<Variable>(std::countr_zero(set));
}

template <std::unsigned_integral Bits>
std::vector<Variable> members_of(Bits set) {
  std::vector<Variable> out;
  out.reserve(static_cast<std::size_t>(std::popcount(set)));
  for (; set != 0; set &= set - 1) out.push_back(lowest_of(set));
  return out;
}

inline Set all_of(std::size_t n) { return static_cast<Set>((std::uint64_t{1} << n) - 1); }

// Sets of possible parents are numbered without the child's own bit.
inline Set without_bit(Set set, Variable v) {
  return (set & (bit_of(v) - 1)) | (set >> v >> 1 << v);
}
inline Set with_room_for_bit(Set set, Variable v) {
  const Set low = set & (bit_of(v) - 1);
  return low | (set ^ low) << 1;
}

}  // namespace dagwright
