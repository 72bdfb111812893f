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

enum class Finish : std::uint8_t { local_optimum, max_steps, stopped, done };

struct Found {
  Dag dag;
  double score;
  std::vector<Step> trace;
  Finish finish;
};

}  // namespace dagwright
