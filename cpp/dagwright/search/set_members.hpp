// Sets of up to 64 variables as the bits of one word.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "dagwright/base/types.hpp"

namespace dagwright {

inline std::uint64_t only(Variable v) { return std::uint64_t{1} << v; }

inline Variable lowest(std::uint64_t set) { return static_cast<Variable>(std::countr_zero(set)); }

inline std::vector<Variable> members(std::uint64_t set) {
  std::vector<Variable> out;
  out.reserve(static_cast<std::size_t>(std::popcount(set)));
  for (; set != 0; set &= set - 1) out.push_back(lowest(set));
  return out;
}

}  // namespace dagwright
