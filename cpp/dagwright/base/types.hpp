// The dtype contract of the core: every file uses these names, none redefines them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace dagwright {

using Variable = std::uint32_t;  // a variable's (or node's) number
using State = std::uint32_t;     // a state's number within its variable
using Arity = std::uint32_t;     // how many states a variable has
using Count = double;            // sum of row weights; exact for integer weights up to 2^53

inline constexpr Arity kMaxArity = 65536;  // codes are at most 16 bits wide

// A child and its parents; the parents are sorted and distinct and do not contain the child.
struct Family {
  Variable child = 0;
  std::vector<Variable> parents;
  bool operator==(const Family&) const = default;
};

// With one parent more, or less if it is one.
inline Family toggled(Family family, Variable parent) {
  auto& parents = family.parents;
  const auto place = std::lower_bound(parents.begin(), parents.end(), parent);
  if (place != parents.end() && *place == parent) {
    parents.erase(place);
  } else {
    parents.insert(place, parent);
  }
  return family;
}

}  // namespace dagwright
