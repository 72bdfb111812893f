#include "dagwright/posterior/exact_posterior.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "dagwright/posterior/sum_by_size.hpp"
#include "dagwright/posterior/sum_over_dags.hpp"
#include "dagwright/posterior/sum_over_orders.hpp"

namespace dagwright {

namespace {

std::vector<double> edges_of(const ExactPosterior& posterior) {
  const std::size_t n = posterior.weights.n();
  std::vector<double> edges(n * n, 0.0);
  for (Variable child = 0; child < n; ++child) {
    const std::vector<Set>& sets = posterior.weights.children[child].sets;
    std::vector<double> without(n, 0.0), with(n, 0.0);
    for (std::size_t i = 0; i < sets.size(); ++i) {
      const Set parents = with_room_for_bit(sets[i], child);
      for (Variable v = 0; v < n; ++v) {
        ((parents & bit_of(v)) != 0 ? with : without)[v] += posterior.family_probabilities[child][i];
      }
    }
    for (Variable v = 0; v < n; ++v) {
      // An edge that is always there has exactly 1.
      edges[v * n + child] = without[v] == 0.0 && v != child ? 1.0 : std::min(with[v], 1.0);
    }
  }
  return edges;
}

}  // namespace

ExactPosterior exact_posterior(FamilyWeights weights, Over over, Run& run) {
  ExactPosterior out;
  out.over = over;
  out.weights = std::move(weights);
  if (over == Over::dags) {
    const FactorTables factors = factor_tables(out.weights, run);
    out.totals = sums_over_dags(factors, out.weights.conflicts, run);
    out.log_total = out.totals.back().log() + out.weights.total_shift();
    out.family_probabilities = dag_family_probabilities(out.weights, factors, out.totals, run);
  } else {
    LogFactorTables factors = log_factor_tables(out.weights, run);
    out.log_totals = log_sums_over_orders(factors, run);
    out.log_total = out.log_totals.back() + out.weights.total_shift();
    out.family_probabilities =
        order_family_probabilities(out.weights, std::move(factors), out.log_totals, run);
  }
  out.edge_probabilities = edges_of(out);
  return out;
}

double log_total(const FamilyWeights& weights, Over over, Run& run) {
  if (const auto log = log_total_by_size(weights, over)) return *log + weights.total_shift();
  const double log =
      over == Over::dags
          ? sums_over_dags(factor_tables(weights, run), weights.conflicts, run).back().log()
          : log_sums_over_orders(log_factor_tables(weights, run), run).back();
  return log + weights.total_shift();
}

double exact_posterior_bytes(std::size_t n, Over over) {
  const double sets = std::ldexp(1.0, static_cast<int>(n));
  const double pairs = static_cast<double>(n) * sets / 2;  // of a node and a set without it
  // Of DAGs the factors and derivatives, the totals, and what comes after or the sums in the making; of
  // orders the factors, and what is before and after.
  return over == Over::dags
             ? pairs * (sizeof(Wide) + sizeof(SignedWide)) + sets * 3 * sizeof(Wide)
             : pairs * sizeof(double) + sets * 2 * sizeof(double);
}

}  // namespace dagwright
