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
  // Steps that swap any two nodes alone.
  void swaps(std::size_t n_steps, double beta, Rng& rng);
  double log_density() const override;
  Draw draw(Rng& rng) const override;
  ParentLists draw_parents(Rng& rng) const;
  std::vector<std::int32_t> state() const override { return {order_.begin(), order_.end()}; }
  std::vector<MoveStats> stats() const override { return {swapped_, moved_}; }

 private:
  void swap_any(double beta, Rng& rng);
  void swap_two(std::size_t first, std::size_t second, double beta, Rng& rng);
  void move_one(std::size_t from, std::size_t to, double beta, Rng& rng);
  void put(std::size_t from, std::size_t to);
  // What comes before a node: a bit for each of its candidates, then one for each of the heaviest others.
  // Those beyond the last bit are asked for their places.
  using Before = std::uint64_t;
  static constexpr Before kMembers = (Before{1} << kMostCandidatesInTable) - 1;
  static constexpr std::size_t kOthersWithBit = 64 - kMostCandidatesInTable;
  // The sum over a node's parent sets is e^log times a factor, what others make of it: a product of factors
  // needs one logarithm for all nodes.
  struct Sum {
    Before before = 0;
    double log = 0;
    double factor = 1;
  };
  struct alignas(64) Node {
    Sum sum;
    const double* log_bounds;    // by the candidates before: with all that others may add
    const double* log_sums;      // without others
    const double* sums_of_four;  // of others: by four of them, and which of the four
    double log_scale;            // of these
  };
  // All that is proposed in one move; a local variable, so that what it has stays in registers.
  class Change;
  auto before(Variable v) const {
    return [this, v](Variable u) { return place_[u] < place_[v]; };
  }

  const ParentTable& table_;
  std::vector<Before> bits_;          // of a variable among those before a child: by child, variable
  std::vector<Before> bits_by_variable_;  // the same by variable, child
  std::vector<double> sums_of_four_;  // by child, four of its others, and which of the four
  std::size_t n_fours_ = 0;
  bool all_have_bits_ = true;
  std::vector<Variable> order_;
  std::vector<std::uint32_t> place_;
  std::vector<Node> nodes_;

  struct Proposed {
    Variable node;
    Sum sum;
  };
  std::vector<Proposed> proposed_;  // as many as there are nodes
  std::vector<Proposed*> open_;     // one more
  double most_factor_;              // the product of as many is still a number

  mutable bool countable_ = true;  // whether all orders of the draws so far could be counted

  MoveStats swapped_{"swap"}, moved_{"move"};
};

}  // namespace dagwright
