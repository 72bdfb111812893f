#include "dagwright/search/k2_search.hpp"

#include <algorithm>
#include <atomic>
#include <limits>
#include <mutex>
#include <numeric>
#include <optional>
#include <thread>
#include <utility>

#include "dagwright/base/rng.hpp"
#include "dagwright/base/ties.hpp"
#include "dagwright/search/additions.hpp"
#include "dagwright/search/feasible_order.hpp"

namespace dagwright {

namespace {

using Order = std::vector<Variable>;

constexpr double kNoScore = -std::numeric_limits<double>::infinity();

// What the nodes take along one order.
struct Along {
  Order order;
  ParentLists parents;  // of each node, as they were added
  std::vector<double> local;
  std::size_t n_done = 0;

  // Has the edges that the constraints demand.
  Along(const Constraints& constraints, Order along)
      : order(std::move(along)), parents(order.size()), local(order.size(), 0.0) {
    if (!constraints.limits_edges()) return;
    for (std::size_t i = 0; i < order.size(); ++i) {
      const Variable child = order[i];
      for (std::size_t j = 0; j < i; ++j) {
        if (constraints.required(order[j], child) || constraints.adjacent(order[j], child)) {
          parents[child].push_back(order[j]);
        }
      }
      std::sort(parents[child].begin(), parents[child].end());
    }
  }

  bool done() const { return n_done == order.size(); }
  double score() const { return std::accumulate(local.begin(), local.end(), 0.0); }
};

// The first of the largest gains, if there is one; gains within the tolerance are equal.
std::optional<std::size_t> best_of(const std::vector<double>& gains, double tolerance) {
  double best = tolerance;
  for (const double gain : gains) best = std::max(best, gain);
  if (best <= tolerance) return std::nullopt;
  const double above = std::max(best - std::max(tolerance, 1e-12 * best), tolerance);
  const auto first =
      std::find_if(gains.begin(), gains.end(), [&](double gain) { return gain > above; });
  return static_cast<std::size_t>(first - gains.begin());
}

// Adds parents to the node at this place, the best of those before it each time, while that gains.
// Returns the score of the family.
double add_parents(const Scorer& scorer, const Constraints& constraints, const Order& order,
                   std::size_t place, std::vector<Variable>& added, Run& run) {
  Family family{order[place], added};
  auto& parents = family.parents;
  std::vector<Variable> before(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(place));
  std::sort(before.begin(), before.end());
  std::erase_if(before, [&](Variable v) { return !constraints.may_add(v, family.child); });
  while (true) {
    std::erase_if(before, [&](Variable v) {
      return std::binary_search(parents.begin(), parents.end(), v) ||
             !constraints.fits_with(family.child, parents, v);
    });
    const double score = scorer.local(std::span(&family, 1), run).front();
    if (before.empty()) return score;
    const auto best = best_of(scorer.gains(family, before, run), tie_tolerance(score));
    if (!best) return score;
    parents.insert(std::lower_bound(parents.begin(), parents.end(), before[*best]), before[*best]);
    added.push_back(before[*best]);
  }
}

// The first of the best orders that are done, or the first of all.
const Along& best_along(const std::vector<Along>& all) {
  double best = kNoScore;
  for (const Along& along : all) {
    if (along.done()) best = std::max(best, along.score());
  }
  for (const Along& along : all) {
    if (along.done() && along.score() >= best - tie_tolerance(best)) return along;
  }
  return all.front();
}

}  // namespace

OrdersFound k2_search(const Scorer& scorer, const Constraints& constraints,
                const std::vector<std::vector<Variable>>& orders, Run& run) {
  const std::size_t n = scorer.n_variables();
  std::vector<Along> all;
  for (const Order& order : orders) all.emplace_back(constraints, order);

  // Every node of every order is a piece of work for one thread. Only the calling thread reports.
  const auto caller = std::this_thread::get_id();
  const std::uint64_t scored_before = run.progress.families_scored;
  std::mutex mutex;
  Progress sum;
  sum.step = run.progress.step;
  sum.score = kNoScore;
  try {
    run.parallel_for(orders.size() * n, [&](std::size_t i) {
      Along& along = all[i / n];
      const Variable child = along.order[i % n];
      Run piece(1, std::numeric_limits<double>::infinity(), [&](const Progress&) {
        return run.stopping_inside() ? run.reason() : StopReason::none;
      });
      along.local[child] =
          add_parents(scorer, constraints, along.order, i % n, along.parents[child], piece);
      const std::lock_guard lock(mutex);
      ++sum.step;
      sum.families_scored += piece.progress.families_scored;
      ++along.n_done;
      if (along.done()) sum.score = std::max(sum.score, along.score());
      if (std::this_thread::get_id() != caller) return;
      run.progress.step = sum.step;
      run.progress.families_scored = scored_before + sum.families_scored;
      if (sum.score != kNoScore) run.progress.score = sum.score;
    });
  } catch (const Stopped&) {
    // What there is satisfies the constraints.
  }
  run.progress.step = sum.step;
  run.progress.families_scored = scored_before + sum.families_scored;

  const Along& best = best_along(all);
  std::vector<std::vector<Edge>> edges;
  for (const Variable child : best.order) {
    for (const Variable parent : best.parents[child]) edges.push_back({{parent, child}});
  }
  OrdersFound result{added(scorer, edges, run), {}};
  run.progress.score = result.best.score;
  for (const Along& along : all) {
    if (along.done()) result.scores.push_back(along.score());
  }
  return result;
}

std::vector<std::vector<Variable>> random_orders(const Constraints& constraints, std::size_t count,
                                                 std::uint64_t seed, std::size_t first) {
  std::vector<Order> orders;
  for (std::size_t i = first; i < first + count; ++i) {
    Order wish(constraints.size());
    std::iota(wish.begin(), wish.end(), Variable{0});
    Rng(seed, i).shuffle(wish);
    orders.push_back(feasible_order(constraints, wish));
  }
  return orders;
}

}  // namespace dagwright
