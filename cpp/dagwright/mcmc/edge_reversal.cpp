#include "dagwright/mcmc/edge_reversal.hpp"

#include <cmath>

namespace dagwright {

namespace {

// The parents that a node without any can get: all that are not its descendants.
class Choice {
  // Before use, so that their types are known.
  auto before() const {
    return [this](Variable v) { return v != node_ && !dag_.ancestors(v).test(node_); };
  }
  static auto is(Variable must) {
    return [must](Variable v) { return v == must; };
  }
  Set near_members(Variable must) const { return table_.members(node_, is(must)); }

 public:
  Choice(const ParentTable& table, const Dag& dag, Variable node)
      : table_(table), dag_(dag), node_(node), before_members_(table.members(node, before())) {}

  double log_sum() const { return table_.log_sum(node_, before_members_, before()); }
  // Of the sets that `must` is in.
  double log_sum_with(Variable must) const {
    return table_.log_sum_near(node_, before_members_, near_members(must), is(must));
  }
  ParentTable::Parents draw(Rng& rng) const {
    return table_.draw(node_, before_members_, 0, true, before(), rng.uniform());
  }
  ParentTable::Parents draw_with(Variable must, Rng& rng) const {
    return table_.draw(node_, before_members_, near_members(must), false, is(must), rng.uniform());
  }

 private:
  const ParentTable& table_;
  const Dag& dag_;
  Variable node_;
  Set before_members_;
};

}  // namespace

void undo(const Reversal& reversal, Dag& dag) {
  dag.set_parents(reversal.first, {});
  dag.set_parents(reversal.second, reversal.old_second);
  dag.set_parents(reversal.first, reversal.old_first);
}

std::optional<Reversal> propose_reversal(const ParentTable& table, Dag& dag, Rng& rng) {
  const std::size_t n_edges = dag.n_edges();
  if (n_edges == 0) return std::nullopt;
  std::uint64_t left = rng.below(n_edges);
  Variable second = 0;
  while (left >= dag.parents(second).size()) left -= dag.parents(second++).size();
  const Variable first = dag.parents(second)[left];
  Reversal out{first, second, dag.parents(first), dag.parents(second), 0, 0};
  const double old_weight =
      table.log_weight(first, out.old_first) + table.log_weight(second, out.old_second);
  if (old_weight == -std::numeric_limits<double>::infinity()) return std::nullopt;

  dag.set_parents(second, {});
  dag.set_parents(first, {});
  const Choice first_of_first(table, dag, first), first_of_second(table, dag, second);
  const double forward = first_of_first.log_sum_with(second);
  const double backward = first_of_second.log_sum_with(first);
  if (forward == -std::numeric_limits<double>::infinity()) {  // it cannot be turned round
    undo(out, dag);
    return std::nullopt;
  }
  const auto new_first = first_of_first.draw_with(second, rng);

  dag.set_parents(second, out.old_second);
  const double last_backward = Choice(table, dag, first).log_sum();
  dag.set_parents(second, {});
  dag.set_parents(first, table.listed(first, new_first));
  const Choice last_of_second(table, dag, second);
  const double last_forward = last_of_second.log_sum();
  if (last_forward == -std::numeric_limits<double>::infinity()) {
    undo(out, dag);
    return std::nullopt;
  }
  const auto new_second = last_of_second.draw(rng);
  dag.set_parents(second, table.listed(second, new_second));
  for (const Variable v : {first, second}) {
    for (const Variable other : table.adjacent(v)) {
      if (dag.adjacent(v, other)) continue;
      undo(out, dag);  // a parent of before that became a descendant
      return std::nullopt;
    }
  }

  out.weight_change =
      table.log_weight(first, new_first) + table.log_weight(second, new_second) - old_weight;
  out.log_ratio = std::log(static_cast<double>(n_edges) / static_cast<double>(dag.n_edges())) +
                  forward - backward + last_forward - last_backward;
  return out;
}

}  // namespace dagwright
