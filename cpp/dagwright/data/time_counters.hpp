// How long counting takes, for the benchmarks and for the test of the cost model.
#pragma once

#include <span>
#include <vector>

#include "dagwright/data/cost_model.hpp"
#include "dagwright/data/table.hpp"

namespace dagwright {

// Seconds that a counter takes for one family and a score to look at its cells; the least of some turns of
// about a millisecond.
// Infinity where it cannot count the family.
double seconds_to_count(const Table& table, const FamilyShape& shape, Counter counter);

struct OneAgainstAllSeconds {
  double counted;    // the family against all candidates, tables and all
  double bare_loop;  // only ANDs and popcounts of the same words
};
// The child, the parents and all candidates have two states.
OneAgainstAllSeconds seconds_one_against_all(const Table& table, const FamilyShape& base,
                                             std::span<const Variable> candidates);

}  // namespace dagwright
