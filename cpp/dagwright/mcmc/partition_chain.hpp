// Partition MCMC (Kuipers and Moffa 2017): a chain over ordered partitions of the nodes into layers.
//
// A graph belongs to one partition: roots are in the first layer, and each other node is in the layer
// after the last of its parents. So every node has a parent in the layer just before its own, and any
// others before that; the sum of the weights of all such graphs is a product over the nodes. Each DAG
// counts once: there is no bias, as orders have it.
#pragma once

#include <cstdint>
#include <vector>

#include "dagwright/graph/constraints.hpp"
#include "dagwright/graph/dag.hpp"
#include "dagwright/mcmc/chain.hpp"
#include "dagwright/mcmc/order_chain.hpp"
#include "dagwright/mcmc/parent_table.hpp"

namespace dagwright {

class PartitionChain final : public Chain {
 public:
  // The shares of the moves that are edge reversals and walks over orders.
  struct Shares {
    double reversal;
    double orders;
  };
  // The state is the layer of each node.
  PartitionChain(const ParentTable& table, const Constraints& constraints,
                 std::vector<std::int32_t> layers, const Shares& shares);

  void steps(std::size_t n_steps, double beta, Rng& rng, Run&) override;
  double log_density() const override;
  Draw draw(Rng& rng) const override;
  std::vector<std::int32_t> state() const override { return layer_; }
  std::vector<MoveStats> stats() const override { return {moved_, swapped_, split_, reversed_, reordered_}; }

 private:
  using Layer = std::int32_t;

  // Each proposes new layers in next_, and calls `decide`.
  void move_one(double beta, Rng& rng);
  void swap_two(double beta, Rng& rng);
  void split_or_join(double beta, Rng& rng);
  void reverse_edge(double beta, Rng& rng);
  void walk_over_orders(double beta, Rng& rng);
  // Takes the partition of a graph, which moves of graphs led to from one of this partition.
  void take_graph(const Dag& dag, double log_ratio, double beta, MoveStats& move, Rng& rng);

  // Accepts or not; nodes in layers outside [low, high], of the next ones, have what they had.
  bool decide(Layer low, Layer high, double log_proposal_ratio, double beta, Rng& rng);
  void accept(MoveStats& move);
  void take_all(std::vector<Layer> layers);
  double log_sum(Variable v, const std::vector<Layer>& layers, Set before, Set near, bool& exact) const;
  double log_sum_exactly(Variable v, const std::vector<Layer>& layers, Set before, Set near) const;
  bool adjacent_in_one_layer(const std::vector<Layer>& layers) const;
  Dag draw_dag(Rng& rng) const;

  const ParentTable& table_;
  std::vector<std::pair<Variable, Variable>> adjacent_;  // never in one layer
  Shares shares_;
  OrderChain orders_;

  std::vector<Layer> layer_;
  std::vector<std::uint32_t> sizes_;  // of the layers
  std::vector<Set> before_, near_;    // of each node, its candidates that come before and just before
  std::vector<double> logs_;          // of each node's sum

  std::vector<Layer> next_;
  std::vector<Variable> changed_;
  std::vector<Set> next_before_, next_near_;
  std::vector<double> next_logs_;

  MoveStats moved_{"move"}, swapped_{"swap"}, split_{"split or join"}, reversed_{"reverse"},
      reordered_{"reorder"};
};

}  // namespace dagwright
