#include "dagwright/mcmc/time_order_moves.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>

#include "dagwright/base/rng.hpp"
#include "dagwright/mcmc/order_chain.hpp"

namespace dagwright {

namespace {

template <class Fn>
double seconds_of(Fn&& fn) {
  const auto start = std::chrono::steady_clock::now();
  fn();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Nothing but arrays: one bit for each candidate, one number for each set of them.
void swap_barely(const ParentTable& table, std::vector<Variable> order, std::uint64_t n_moves, Rng rng) {
  const std::size_t n = order.size();
  std::vector<Set> bits(n * n), before(n), next(n);
  std::vector<const double*> sums(n);
  std::vector<double> logs(n), next_logs(n);
  for (Variable v = 0; v < n; ++v) {
    const auto& candidates = table.candidates(v);
    for (std::size_t k = 0; k < candidates.size(); ++k) bits[v * n + candidates[k]] = Set{1} << k;
    sums[v] = table.log_sums(v).data();
  }
  std::vector<std::size_t> place(n);
  for (std::size_t i = 0; i < n; ++i) place[order[i]] = i;
  for (Variable v = 0; v < n; ++v) {
    before[v] = table.members(v, [&](Variable u) { return place[u] < place[v]; });
    logs[v] = sums[v][before[v]];
  }
  for (std::uint64_t move = 0; move < n_moves; ++move) {
    const auto one = rng.below(n), other = rng.below(n);
    if (one == other) continue;
    const auto [first, second] = std::minmax(one, other);
    const double threshold = std::log(rng.uniform() + 1e-300);
    const Variable a = order[first], b = order[second];
    Set before_a = before[a] | bits[a * n + b], before_b = before[b] & ~bits[b * n + a];
    double change = 0;
    for (std::size_t i = first + 1; i < second; ++i) {
      const Variable v = order[i];
      before_a |= bits[a * n + v];
      before_b &= ~bits[b * n + v];
      next[v] = (before[v] & ~bits[v * n + a]) | bits[v * n + b];
      next_logs[v] = sums[v][next[v]];
      change += next_logs[v] - logs[v];
    }
    next[a] = before_a;
    next[b] = before_b;
    next_logs[a] = sums[a][before_a];
    next_logs[b] = sums[b][before_b];
    change += next_logs[a] - logs[a] + next_logs[b] - logs[b];
    if (!(change > threshold)) continue;
    for (std::size_t i = first; i <= second; ++i) {
      before[order[i]] = next[order[i]];
      logs[order[i]] = next_logs[order[i]];
    }
    std::swap(order[first], order[second]);
  }
}

}  // namespace

OrderMoveTimes time_order_moves(const ParentTable& table, std::uint64_t n_moves, std::uint64_t seed) {
  const std::size_t n = table.size();
  std::vector<std::int32_t> order(n);
  std::iota(order.begin(), order.end(), 0);
  Rng rng(seed, 0);
  OrderChain chain(table, order);
  chain.walk(n_moves / 10, 1.0, rng);  // to where chains are
  OrderMoveTimes out{};
  out.bare = seconds_of([&] { swap_barely(table, chain.order(), n_moves, rng); });
  out.chain = seconds_of([&] { chain.swaps(n_moves, 1.0, rng); });
  return out;
}

}  // namespace dagwright
