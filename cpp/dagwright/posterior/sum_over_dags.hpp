// Sums over all DAGs, each counted once: what normalises a posterior, and the probability of every
// parent set.
//
// Z(S), the weight of all DAGs over S, is the sum over nonempty T in S of (-1)^(|T|+1) * the product
// over v in T of A_v(S - T) * Z(S - T): DAGs in which the members of T are sinks, by inclusion and
// exclusion; A_v(U) is the weight of all parent sets of v in U. That takes 3^n steps. Derivatives by
// the A_v(U), in the same number of steps, give the parent sets.
//
// Terms cancel. Each is the weight of some of the DAGs over S, so none is larger than Z(S), and rounding
// errors grow no faster than with the number of ordered partitions of a set (Fubini numbers):
// `dag_error_bound` follows that. With 128 bits of mantissa nothing is left of it that matters.
#pragma once

#include <vector>

#include "dagwright/base/run.hpp"
#include "dagwright/base/wide.hpp"
#include "dagwright/posterior/family_weights.hpp"

namespace dagwright {

// A_v(U) by v and U, where U is numbered without v.
using FactorTables = std::vector<std::vector<Wide>>;

FactorTables factor_tables(const FamilyWeights& weights, Run& run);

// Z(S) for every set S; `conflicts` are nodes that cannot both be sinks.
std::vector<Wide> sums_over_dags(const FactorTables& factors, const std::vector<Set>& conflicts,
                                 Run& run);

// The probability of each family of `weights`, by child. `totals` are the sums over DAGs.
std::vector<std::vector<double>> dag_family_probabilities(const FamilyWeights& weights,
                                                          const FactorTables& factors,
                                                          const std::vector<Wide>& totals, Run& run);

// No probability is off by more, nor the sum over all DAGs by this share of it, but for the rounding of
// the weights themselves.
double dag_error_bound(std::size_t n);

}  // namespace dagwright
