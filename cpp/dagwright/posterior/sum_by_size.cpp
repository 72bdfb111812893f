#include "dagwright/posterior/sum_by_size.hpp"

#include <bit>
#include <cmath>
#include <cstdint>

#include "dagwright/base/wide.hpp"

namespace dagwright {

namespace {

Wide whole(std::uint64_t number) {
  const int zeros = std::countl_zero(number);
  return {number << zeros, 0, -64 - zeros};
}

std::vector<std::vector<Wide>> binomials(std::size_t n) {
  std::vector<std::vector<Wide>> out;
  for (std::size_t from = 0; from <= n; ++from) {
    std::uint64_t number = 1;
    out.emplace_back();
    for (std::size_t some = 0; some <= from; ++some) {
      out.back().push_back(whole(number));
      number = number * (from - some) / (some + 1);
    }
  }
  return out;
}

// The weight of each number of parents; none if families with as many differ, or if some are missing.
std::optional<std::vector<Wide>> weights_by_size(const FamilyWeights& weights) {
  const std::size_t n = weights.n();
  std::vector<std::optional<double>> logs(n);
  std::vector<std::size_t> counts(n, 0);
  for (const ChildWeights& child : weights.children) {
    if (child.adjacent != 0) return std::nullopt;
    for (std::size_t i = 0; i < child.sets.size(); ++i) {
      const auto size = static_cast<std::size_t>(std::popcount(child.sets[i]));
      if (!logs[size]) logs[size] = child.logs[i];
      if (*logs[size] != child.logs[i]) return std::nullopt;
      ++counts[size];
    }
  }
  std::vector<Wide> out(n);
  std::size_t of_size = n;  // n children with (n - 1 choose size) sets each
  for (std::size_t size = 0; size < n; ++size) {
    if (counts[size] != 0 && counts[size] != of_size) return std::nullopt;
    if (logs[size]) out[size] = Wide::exp(*logs[size]);
    of_size = of_size * (n - 1 - size) / (size + 1);
  }
  return out;
}

}  // namespace

std::optional<double> log_total_by_size(const FamilyWeights& weights, Over over) {
  const auto by_size = weights_by_size(weights);
  if (!by_size) return std::nullopt;
  const std::size_t n = weights.n();
  const auto choose = binomials(n);
  std::vector<Wide> factors(n);  // of a node with so many before it
  for (std::size_t before = 0; before < n; ++before) {
    for (std::size_t size = 0; size <= before; ++size) {
      factors[before] = factors[before] + choose[before][size] * (*by_size)[size];
    }
  }
  if (over == Over::orders) {
    double log = std::lgamma(static_cast<double>(n) + 1);
    for (const Wide& factor : factors) log += factor.log();
    return log;
  }
  std::vector<Wide> totals{Wide::one()};
  for (std::size_t size = 1; size <= n; ++size) {
    Wide sums[2];  // of an even and of an odd number of sinks, as in sum_over_dags
    for (std::size_t sinks = 1; sinks <= size; ++sinks) {
      const std::size_t before = size - sinks;
      Wide term = choose[size][sinks] * totals[before];
      for (std::size_t i = 0; i < sinks; ++i) term = term * factors[before];
      sums[sinks % 2] = sums[sinks % 2] + term;
    }
    totals.push_back(sums[1] - sums[0]);
  }
  return totals.back().log();
}

}  // namespace dagwright
