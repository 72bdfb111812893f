// How many rows are in each cell of the full table of some variables.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "dagwright/base/run.hpp"
#include "dagwright/data/table.hpp"

namespace dagwright {

// Tables of no more cells than this are counted in several at once, which is faster.
inline constexpr std::size_t kMostCellsOfLanes = 2048;

struct CodedVariable {
  Codes codes;
  std::size_t n_states;
};

// Adds the rows, or their weights if there are any, to the cells, of which there is one for each joint state: the last
// variable's states are next to each other. Throws Stopped when the run ends.
void count_cells(std::span<const CodedVariable> variables, std::size_t n_rows, std::span<const double> weights,
                 std::vector<Count>& cells, Run& run);

}  // namespace dagwright
