// Order MCMC (Friedman and Koller 2003): a chain over orders of the nodes.
//
// Given an order each node chooses its parents among those before it by itself, so that the weight of an
// order is a product of sums that are in tables. A graph is drawn given the order. As it fits as many
// orders as it has linear extensions, it is drawn that many times too often: `log_correction` of a draw
// undoes that, where they can be counted.
#pragma once

#include <cstdint>
#include <vector>

#include "dagwright/mcmc/chain.hpp"
#include "dagwright/mcmc/parent_table.hpp"

namespace dagwright {

class OrderChain final : public Chain {
 public:
  // The state is the order, first node first.
  OrderChain(const ParentTable& table, std::vector<std::int32_t> order);

  // Begins anew from another order.
  void set_order(std::vector<Variable> order);
  const std::vector<Variable>& order() const { return order_; }

  void steps(std::size_t n_steps, double beta, Rng& rng, Run&) override { walk(n_steps, beta, rng); }
  void walk(std::size_t n_steps, double beta, Rng& rng);
  double log_density() const override;
  Draw draw(Rng& rng) const override;
  ParentLists draw_parents(Rng& rng) const;
  std::vector<std::int32_t> state() const override { return {order_.begin(), order_.end()}; }
  std::vector<MoveStats> stats() const override { return {swapped_, moved_}; }

 private:
  void swap_two(std::size_t first, std::size_t second, double beta, Rng& rng);
  void move_one(std::size_t from, std::size_t to, double beta, Rng& rng);
  void put(std::size_t from, std::size_t to);
  // Proposes new candidates before a node, and returns what that changes.
  double propose(Variable v, Set before);
  void accept(MoveStats& move);
  Set bit(Variable child, Variable candidate) const { return bits_[child * order_.size() + candidate]; }
  auto before(Variable v) const {
    return [this, v](Variable u) { return place_[u] < place_[v]; };
  }

  const ParentTable& table_;
  std::vector<Set> bits_;  // of each variable among each child's candidates; 0 if it is none
  std::vector<Variable> order_;
  std::vector<std::uint32_t> place_;
  std::vector<Set> before_;  // of each node, its candidates that come before
  std::vector<double> logs_;

  struct Proposed {
    Variable node;
    Set before;
    double log;
  };
  std::vector<Proposed> proposed_;

  mutable bool countable_ = true;  // whether all orders of the draws so far could be counted

  MoveStats swapped_{"swap"}, moved_{"move"};
};

}  // namespace dagwright
