// The posterior of one variable for many rows of evidence on the same variables.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "dagwright/base/run.hpp"
#include "dagwright/data/table.hpp"
#include "dagwright/infer/clique_tree.hpp"

namespace dagwright {

struct Predictions {
  std::vector<double> posteriors;  // one row a row; NaN where the evidence cannot be
  std::vector<double> logs;        // of the probability of the evidence, as far as it matters
};

// The tree has `target` as its target and `given` as what is observed; codes[i] are the states of
// given[i] in each row.
Predictions predict(std::shared_ptr<const CliqueTree> tree, Variable target,
                    std::span<const Variable> given, std::span<const Codes> codes,
                    std::size_t n_rows, Run& run);

}  // namespace dagwright
