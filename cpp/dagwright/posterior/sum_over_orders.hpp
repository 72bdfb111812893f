// Sums over all orders of the nodes and all DAGs that fit them (Koivisto & Sood 2004): a DAG counts once
// for each of its linear extensions. All terms are positive, and n * 2^n steps are enough.
#pragma once

#include <vector>

#include "dagwright/base/run.hpp"
#include "dagwright/posterior/family_weights.hpp"

namespace dagwright {

// log A_v(U), the weight of all parent sets of v in U, by v and U; U is numbered without v.
using LogFactorTables = std::vector<std::vector<double>>;

LogFactorTables log_factor_tables(const FamilyWeights& weights, Run& run);

// log L(S) for every set S: L(S) is the sum over v in S of A_v(S - v) * L(S - v), v being the last.
std::vector<double> log_sums_over_orders(const LogFactorTables& factors, Run& run);

// The probability of each family of `weights`, by child. The factors are let go as soon as they are not
// needed: they are most of the memory.
std::vector<std::vector<double>> order_family_probabilities(const FamilyWeights& weights,
                                                            LogFactorTables factors,
                                                            const std::vector<double>& log_totals,
                                                            Run& run);

}  // namespace dagwright
