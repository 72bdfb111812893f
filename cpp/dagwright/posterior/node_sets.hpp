// Sets of nodes as the bits of one word, and as places in tables over all sets.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "dagwright/base/types.hpp"

namespace dagwright {

using Set = std::uint32_t;

inline constexpr std::size_t kMostNodesOfSums = 31;  // so that a set is an index

inline Set bit_of(Variable v) { return Set{1} << v; }
inline Variable lowest_of(Set set) { return static_cast<Variable>(std::countr_zero(set)); }
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
