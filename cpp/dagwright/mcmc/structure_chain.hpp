// Structure MCMC (Madigan and York 1995): a chain over graphs that adds, removes and reverses one edge at
// a time, with the sizes of the neighbourhoods in the ratio of Metropolis and Hastings; and now and then
// the new edge reversal move.
#pragma once

#include <cstdint>
#include <vector>

#include "dagwright/graph/constraints.hpp"
#include "dagwright/graph/dag.hpp"
#include "dagwright/mcmc/chain.hpp"
#include "dagwright/mcmc/parent_table.hpp"
#include "dagwright/score/scorer.hpp"
#include "dagwright/search/search.hpp"

namespace dagwright {

class StructureChain final : public Chain {
 public:
  // The state has for each node the number of its parents, then these.
  StructureChain(const Scorer& scorer, const ParentTable& table, const Constraints& constraints,
                 const std::vector<std::int32_t>& state, double reversal, Run& run);

  static std::vector<std::int32_t> state_of(const ParentLists& parents);

  void steps(std::size_t n_steps, double beta, Rng& rng, Run& run) override;
  double log_density() const override;
  Draw draw(Rng&) const override { return {dag_.parent_lists(), log_density(), 0}; }
  std::vector<std::int32_t> state() const override { return state_of(dag_.parent_lists()); }
  std::vector<MoveStats> stats() const override { return {added_, removed_, turned_, reversed_}; }

 private:
  void change_edge(double beta, Rng& rng, Run& run);
  void reverse_edge(double beta, Rng& rng);
  Step draw_neighbour(Rng& rng) const;
  std::uint64_t n_neighbours() const;
  double local(Variable child, const std::vector<Variable>& parents, Run& run) const;

  const Scorer& scorer_;
  const ParentTable& table_;
  const Constraints& constraints_;
  bool limited_;  // if constraints rule out more than cycles
  double reversal_;

  Dag dag_;
  std::vector<double> locals_;
  std::uint64_t n_neighbours_;

  MoveStats added_{"add"}, removed_{"remove"}, turned_{"reverse one edge"}, reversed_{"reverse"};
};

}  // namespace dagwright
