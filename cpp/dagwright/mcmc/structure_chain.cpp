#include "dagwright/mcmc/structure_chain.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "dagwright/mcmc/edge_reversal.hpp"
#include "dagwright/search/moves.hpp"

namespace dagwright {

namespace {

constexpr std::uint64_t kOneInStays = 16;

ParentLists parents_of(std::size_t n, const std::vector<std::int32_t>& state) {
  ParentLists parents(n);
  std::size_t at = 0;
  for (auto& own : parents) {
    const auto n_parents = static_cast<std::size_t>(state.at(at++));
    for (std::size_t i = 0; i < n_parents; ++i) own.push_back(static_cast<Variable>(state.at(at++)));
  }
  return parents;
}

bool has_limits(const Constraints& constraints) {
  return constraints.limits_edges() || constraints.limits_parameters() ||
         constraints.max_parents() != kAnyNumberOfParents;
}

}  // namespace

std::vector<std::int32_t> StructureChain::state_of(const ParentLists& parents) {
  std::vector<std::int32_t> state;
  for (const auto& own : parents) {
    state.push_back(static_cast<std::int32_t>(own.size()));
    for (const Variable parent : own) state.push_back(static_cast<std::int32_t>(parent));
  }
  return state;
}

StructureChain::StructureChain(const Scorer& scorer, const ParentTable& table,
                               const Constraints& constraints,
                               const std::vector<std::int32_t>& state, double reversal, Run& run)
    : scorer_(scorer),
      table_(table),
      constraints_(constraints),
      limited_(has_limits(constraints)),
      reversal_(reversal),
      dag_(parents_of(scorer.n_variables(), state)) {
  for (Variable v = 0; v < dag_.size(); ++v) locals_.push_back(local(v, dag_.parents(v), run));
  n_neighbours_ = n_neighbours();
}

double StructureChain::local(Variable child, const std::vector<Variable>& parents, Run& run) const {
  const double known = table_.log_weight(child, parents);
  if (known != -std::numeric_limits<double>::infinity()) return known;
  const Family family{child, parents};
  return scorer_.local(std::span(&family, 1), run)[0];
}

double StructureChain::log_density() const {
  double sum = 0;
  for (const double local : locals_) sum += local;
  return sum;
}

std::uint64_t StructureChain::n_neighbours() const {
  const std::uint64_t n = dag_.size();
  std::uint64_t count = 0;
  if (limited_) {
    for (Variable from = 0; from < n; ++from) {
      for (Variable to = 0; to < n; ++to) {
        if (from == to) continue;
        if (!dag_.has_edge(from, to)) {
          count += is_legal(dag_, constraints_, {Operator::add, from, to}) ? 1 : 0;
        } else {
          count += is_legal(dag_, constraints_, {Operator::remove, from, to}) ? 1 : 0;
          count += is_legal(dag_, constraints_, {Operator::reverse, from, to}) ? 1 : 0;
        }
      }
    }
    return count;
  }
  // All that is neither there nor closes a cycle can be added, all that is there removed: what is there
  // counts once.
  count = n * (n - 1);
  for (Variable v = 0; v < n; ++v) {
    count -= dag_.ancestors(v).count();
    for (const Variable parent : dag_.parents(v)) count += dag_.can_reverse(parent, v) ? 1 : 0;
  }
  return count;
}

// Of all pairs and twice all edges until one is legal: each neighbour is as likely.
Step StructureChain::draw_neighbour(Rng& rng) const {
  const std::uint64_t n = dag_.size(), n_pairs = n * (n - 1);
  for (;;) {
    std::uint64_t which = rng.below(n_pairs + 2 * dag_.n_edges());
    Step move;
    if (which < n_pairs) {
      const auto from = static_cast<Variable>(which / (n - 1));
      auto to = static_cast<Variable>(which % (n - 1));
      if (to >= from) ++to;
      move = {Operator::add, from, to};
    } else {
      which -= n_pairs;
      move.op = which < dag_.n_edges() ? Operator::remove : Operator::reverse;
      if (which >= dag_.n_edges()) which -= dag_.n_edges();
      while (which >= dag_.parents(move.to).size()) which -= dag_.parents(move.to++).size();
      move.from = dag_.parents(move.to)[which];
    }
    if (is_legal(dag_, constraints_, move)) return move;
  }
}

void StructureChain::change_edge(double beta, Rng& rng, Run& run) {
  if (n_neighbours_ == 0) return;
  const Step move = draw_neighbour(rng);
  MoveStats& stats = move.op == Operator::add      ? added_
                     : move.op == Operator::remove ? removed_
                                                   : turned_;
  stats.proposed++;
  const auto with = [](std::vector<Variable> parents, Variable one) {
    parents.insert(std::lower_bound(parents.begin(), parents.end(), one), one);
    return parents;
  };
  const auto without = [](std::vector<Variable> parents, Variable one) {
    std::erase(parents, one);
    return parents;
  };
  const auto [op, from, to] = std::tuple(move.op, move.from, move.to);
  const double new_to = local(
      to, op == Operator::add ? with(dag_.parents(to), from) : without(dag_.parents(to), from), run);
  const double new_from =
      op == Operator::reverse ? local(from, with(dag_.parents(from), to), run) : locals_[from];
  const double gain = new_to - locals_[to] + new_from - locals_[from];
  const double threshold = log_threshold(rng) - std::log(static_cast<double>(n_neighbours_));
  if (!(beta * gain > threshold)) return;  // whatever the new neighbourhood is
  make_move(dag_, move);
  const std::uint64_t new_neighbours = n_neighbours();
  if (!(beta * gain - std::log(static_cast<double>(new_neighbours)) > threshold)) {
    return undo_move(dag_, move);
  }
  stats.accepted++;
  n_neighbours_ = new_neighbours;
  locals_[to] = new_to;
  locals_[from] = new_from;
}

void StructureChain::reverse_edge(double beta, Rng& rng) {
  reversed_.proposed++;
  const auto reversal = propose_reversal(table_, dag_, rng);
  if (!reversal) return;
  if (!(reversal->log_ratio + (beta - 1) * reversal->weight_change > log_threshold(rng))) {
    return undo(*reversal, dag_);
  }
  reversed_.accepted++;
  n_neighbours_ = n_neighbours();
  for (const Variable v : {reversal->first, reversal->second}) {
    locals_[v] = table_.log_weight(v, dag_.parents(v));
  }
}

void StructureChain::steps(std::size_t n_steps, double beta, Rng& rng, Run& run) {
  for (std::size_t i = 0; i < n_steps; ++i) {
    // Now and then nothing is proposed: or else a chain that accepts whatever it proposes would see one
    // half of the graphs after even numbers of steps, and the other half after odd ones.
    if (rng.below(kOneInStays) == 0) continue;
    if (rng.uniform() < reversal_) {
      reverse_edge(beta, rng);
    } else {
      change_edge(beta, rng, run);
    }
  }
}

}  // namespace dagwright
