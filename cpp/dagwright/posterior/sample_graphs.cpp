#include "dagwright/posterior/sample_graphs.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <tuple>
#include <utility>

#include "dagwright/base/rng.hpp"
#include "dagwright/posterior/draw_parents.hpp"
#include "dagwright/posterior/subset_sums.hpp"
#include "dagwright/posterior/sum_over_dags.hpp"
#include "dagwright/posterior/sum_over_orders.hpp"

namespace dagwright {

namespace {

// The members of `set` that are in `within`, moved together to the lowest bits.
Set packed(Set set, Set within) {
  Set out = 0;
  for (Set place = 1; within != 0; within &= within - 1, place <<= 1) {
    if ((set & within & -within) != 0) out |= place;
  }
  return out;
}

// Graphs in the making: all have as many nodes left, and lose one sink after the other.
struct Sampler {
  Sampler(std::size_t n_nodes, std::size_t n_graphs, std::uint64_t seed)
      : n(n_nodes), parents(n_graphs * n_nodes), sinks(n_graphs) {
    for (std::size_t i = 0; i < n_graphs; ++i) streams.emplace_back(seed, i);
  }

  std::vector<double> uniforms(const std::vector<std::size_t>& graphs) {
    std::vector<double> out;
    for (const std::size_t i : graphs) out.push_back(streams[i].uniform());
    return out;
  }

  void draw_parents_of(Variable sink, const ChildWeights& child, Set before,
                       const std::function<double(Set)>& log_more,
                       const std::vector<std::size_t>& graphs) {
    const auto drawn =
        draw_parents(child, without_bit(before, sink), log_more, uniforms(graphs));
    for (std::size_t k = 0; k < graphs.size(); ++k) {
      parents[graphs[k] * n + sink] = with_room_for_bit(drawn[k], sink);
    }
  }

  std::size_t n;
  std::vector<Set> parents;
  std::vector<Variable> sinks;  // the one that each graph loses now
  std::vector<Rng> streams;
};

// An order, its last node first; then parents before each. So a DAG comes as often as it has orders.
std::vector<Set> sample_orders(const ExactPosterior& posterior, std::size_t n_graphs,
                               std::uint64_t seed, Run& run) {
  const FamilyWeights& weights = posterior.weights;
  const std::size_t n = weights.n();
  const LogFactorTables factors = log_factor_tables(weights, run);
  Sampler sampler(n, n_graphs, seed);
  std::vector<Set> left(n_graphs, all_of(n));
  for (std::size_t size = n; size > 0; --size) {
    const auto by_set = grouped_by(left);
    run.parallel_for(by_set.size(), [&](std::size_t g) {
      const auto& [set, graphs] = by_set[g];
      std::vector<Variable> last;
      std::vector<double> cumulative;
      double sum = 0;
      for (Set rest = set; rest != 0; rest &= rest - 1) {
        const Variable v = lowest_of(rest);
        const Set before = set & ~bit_of(v);
        last.push_back(v);
        sum += std::exp(factors[v][without_bit(before, v)] + posterior.log_totals[before] -
                        posterior.log_totals[set]);
        cumulative.push_back(sum);
      }
      const auto uniforms = sampler.uniforms(graphs);
      for (std::size_t k = 0; k < graphs.size(); ++k) {
        sampler.sinks[graphs[k]] = last[drawn_place(cumulative, uniforms[k] * sum)];
      }
    });
    std::vector<std::pair<Variable, Set>> families;
    for (std::size_t i = 0; i < n_graphs; ++i) {
      left[i] &= ~bit_of(sampler.sinks[i]);
      families.emplace_back(sampler.sinks[i], left[i]);
    }
    const auto by_family = grouped_by(families);
    run.parallel_for(by_family.size(), [&](std::size_t g) {
      const auto& [family, graphs] = by_family[g];
      sampler.draw_parents_of(family.first, weights.children[family.first], family.second,
                              [](Set) { return 0.0; }, graphs);
    });
    run.progress.step += n_graphs;
  }
  return std::move(sampler.parents);
}

// Weights of the DAGs over a set of nodes that have no sink in some of them, by inclusion and exclusion.
struct SinkSums {
  const FamilyWeights& weights;
  const FactorTables& factors;
  const std::vector<Wide>& totals;

  // Of the DAGs over `nodes` in which all of `sinks` are sinks.
  Wide with_sinks(Set nodes, Set sinks) const {
    const Set before = nodes & ~sinks;
    Wide product = totals[before];
    for (Set rest = sinks; rest != 0 && !product.zero(); rest &= rest - 1) {
      const Variable v = lowest_of(rest);
      if ((weights.conflicts[v] & sinks) != 0) return {};
      product = product * factors[v][without_bit(before, v)];
    }
    return product;
  }

  // Of those in which all of `sinks` and none of `others` are sinks.
  Wide without_sinks(Set nodes, Set sinks, Set others) const {
    Wide even, odd;
    for (Set some = others;; some = (some - 1) & others) {
      Wide& sum = std::popcount(some) % 2 == 0 ? even : odd;
      sum = sum + with_sinks(nodes, sinks | some);
      if (some == 0) break;
    }
    return odd < even ? even - odd : Wide{};
  }

  // The logs for none of each subset of `others`; the subsets are numbered by their packed members.
  std::vector<double> log_without_each(Set nodes, Set others, Run& run) const {
    std::vector<SignedWide> sums;
    for (Set some = 0;; some = (some - others) & others) {
      sums.push_back({with_sinks(nodes, some), std::popcount(some) % 2 != 0});
      if (some == others) break;
    }
    sum_over_sets(sums, 0, SumOver::subsets, run);
    std::vector<double> logs;
    for (const SignedWide& sum : sums) {
      logs.push_back(sum.negative ? -std::numeric_limits<double>::infinity() : sum.size.log());
    }
    return logs;
  }
};

// The sink with the lowest number is drawn and taken away with its parents. Of the nodes with lower
// numbers we know that they are no sinks: each has a child, the one that was taken or one that is left.
std::vector<Set> sample_dags(const ExactPosterior& posterior, std::size_t n_graphs,
                             std::uint64_t seed, Run& run) {
  const FamilyWeights& weights = posterior.weights;
  const std::size_t n = weights.n();
  const FactorTables factors = factor_tables(weights, run);
  const SinkSums sums{weights, factors, posterior.totals};
  Sampler sampler(n, n_graphs, seed);
  using State = std::pair<Set, Set>;  // the nodes left, and those of them that are no sinks
  std::vector<State> states(n_graphs, State(all_of(n), 0));
  for (std::size_t size = n; size > 0; --size) {
    const auto by_state = grouped_by(states);
    run.parallel_for(by_state.size(), [&](std::size_t g) {
      const auto& [state, graphs] = by_state[g];
      const auto [nodes, no_sinks] = state;
      const Wide total = sums.without_sinks(nodes, 0, no_sinks);
      const auto uniforms = sampler.uniforms(graphs);
      const double most = *std::max_element(uniforms.begin(), uniforms.end());
      std::vector<Variable> sinks;
      std::vector<double> cumulative;
      double sum = 0;
      for (Set rest = nodes & ~no_sinks; rest != 0 && sum <= most; rest &= rest - 1) {
        run.check_inside();
        const Variable v = lowest_of(rest);
        const Set lower = nodes & (bit_of(v) - 1);
        sum += ratio(sums.without_sinks(nodes, bit_of(v), no_sinks | lower), total);
        sinks.push_back(v);
        cumulative.push_back(sum);
      }
      for (std::size_t k = 0; k < graphs.size(); ++k) {
        sampler.sinks[graphs[k]] = sinks[drawn_place(cumulative, uniforms[k])];
      }
    });
    std::vector<std::tuple<Variable, Set, Set>> families;
    for (std::size_t i = 0; i < n_graphs; ++i) {
      const Set sink = bit_of(sampler.sinks[i]);
      const auto [nodes, no_sinks] = states[i];
      families.emplace_back(sampler.sinks[i], nodes & ~sink, no_sinks | (nodes & (sink - 1)));
    }
    const auto by_family = grouped_by(families);
    run.parallel_for(by_family.size(), [&](std::size_t g) {
      const auto& [family, graphs] = by_family[g];
      const auto& [sink, nodes, others] = family;
      Run inner = run.inner();
      const auto logs = sums.log_without_each(nodes, others, inner);
      const Variable v = sink;
      const Set no_sinks = others;
      sampler.draw_parents_of(
          v, weights.children[v], nodes,
          [&](Set set) { return logs[packed(no_sinks & ~with_room_for_bit(set, v), no_sinks)]; },
          graphs);
      for (const std::size_t i : graphs) {
        states[i] = {nodes, no_sinks & ~sampler.parents[i * n + v]};
      }
    });
    run.progress.step += n_graphs;
  }
  return std::move(sampler.parents);
}

}  // namespace

std::vector<Set> sample_graphs(const ExactPosterior& posterior, std::size_t n_graphs,
                               std::uint64_t seed, Run& run) {
  return posterior.over == Over::dags ? sample_dags(posterior, n_graphs, seed, run)
                                      : sample_orders(posterior, n_graphs, seed, run);
}

}  // namespace dagwright
