// What every search returns.
#pragma once

#include <cstdint>
#include <vector>

#include "dagwright/graph/dag.hpp"

namespace dagwright {

enum class Operator : std::uint8_t { add, remove, reverse };

struct Step {
  Operator op = Operator::add;
  Variable from = 0;
  Variable to = 0;
  double gain = 0;
  double score = 0;  // of the graph after the step
};

enum class Finish : std::uint8_t {
  local_optimum,
  max_steps,
  patience,        // for long nothing better came
  phases_done,     // there are moves that were not to be tried
  subset_limit,    // there are too many moves to try all of them
  not_equivalent,  // the scorer tells equivalent graphs apart though it says that it does not
  stopped,
  done,            // by a search that ends by itself, not at an optimum of moves
};

struct Found {
  Dag dag;
  double score;
  std::vector<Step> trace;
  Finish finish;
  std::uint64_t edges_left_out = 0;  // that the constraints allow and the search did not consider
};

}  // namespace dagwright
