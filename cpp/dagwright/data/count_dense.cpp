#include "dagwright/data/count_cells.hpp"
#include "dagwright/data/counters.hpp"

namespace dagwright {

void count_dense(const Table& table, const FamilyShape& shape, FamilyCounts& counts, Run& run) {
  std::vector<CodedVariable> variables;
  variables.reserve(shape.family.parents.size() + 1);
  for (const Variable parent : shape.family.parents) variables.push_back({table.codes(parent), table.arity(parent)});
  variables.push_back({table.codes(shape.family.child), shape.child_arity});
  count_cells(variables, table.n_rows(), table.weights(), counts.begin_dense(shape), run);
  counts.end_dense();
}

}  // namespace dagwright
