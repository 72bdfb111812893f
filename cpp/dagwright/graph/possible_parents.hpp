// Which parents constraints leave to one child, of up to 64 variables.
#pragma once

#include "dagwright/base/bit_sets.hpp"
#include "dagwright/graph/constraints.hpp"

namespace dagwright {

struct PossibleParents {
  WideSet required = 0;  // in every set of parents
  WideSet adjacent = 0;  // connected, and either end may be the parent: in all sets if before the child
  WideSet free = 0;

  PossibleParents(const Constraints& constraints, Variable child) {
    for (Variable v = 0; v < constraints.size(); ++v) {
      if (v == child) continue;
      const bool connected = constraints.adjacent(v, child);
      if (constraints.required(v, child) || (connected && !constraints.allowed(child, v))) {
        required |= bit_of<WideSet>(v);
      } else if (constraints.allowed(v, child)) {
        (connected ? adjacent : free) |= bit_of<WideSet>(v);
      }
    }
  }
};

}  // namespace dagwright
