#include "dagwright/search/moves.hpp"

#include <tuple>
#include <vector>

namespace dagwright {

namespace {

// Draws before all moves are listed.
constexpr int kDraws = 32;

std::vector<Step> all_moves(const Dag& dag, const Constraints& constraints) {
  std::vector<Step> moves;
  const auto n = static_cast<Variable>(dag.size());
  for (Variable from = 0; from < n; ++from) {
    for (Variable to = 0; to < n; ++to) {
      for (const Operator op : {Operator::add, Operator::remove, Operator::reverse}) {
        const Step move{op, from, to};
        if (is_legal(dag, constraints, move)) moves.push_back(move);
      }
    }
  }
  return moves;
}

}  // namespace

bool is_legal(const Dag& dag, const Constraints& constraints, const Step& move) {
  const auto [op, from, to] = std::tuple(move.op, move.from, move.to);
  switch (op) {
    case Operator::add:
      return dag.can_add(from, to) && constraints.may_add(from, to) &&
             constraints.fits_with(to, dag.parents(to), from);
    case Operator::remove:
      return dag.has_edge(from, to) && constraints.may_remove(from, to);
    case Operator::reverse:
      return constraints.may_reverse(from, to) && dag.can_reverse(from, to) &&
             constraints.fits_with(from, dag.parents(from), to);
  }
  return false;
}

void make_move(Dag& dag, const Step& move) {
  switch (move.op) {
    case Operator::add:
      return dag.add(move.from, move.to);
    case Operator::remove:
      return dag.remove(move.from, move.to);
    case Operator::reverse:
      return dag.reverse(move.from, move.to);
  }
}

void undo_move(Dag& dag, const Step& move) {
  switch (move.op) {
    case Operator::add:
      return dag.remove(move.from, move.to);
    case Operator::remove:
      return dag.add(move.from, move.to);
    case Operator::reverse:
      return dag.reverse(move.to, move.from);
  }
}

Step draw_move(const Dag& dag, Rng& rng) {
  const auto op = static_cast<Operator>(rng.below(3));
  if (op == Operator::add || dag.n_edges() == 0) {
    const auto from = static_cast<Variable>(rng.below(dag.size()));
    return {op, from, static_cast<Variable>(rng.below(dag.size()))};
  }
  std::size_t edge = rng.below(dag.n_edges());
  Variable child = 0;
  for (; edge >= dag.parents(child).size(); ++child) edge -= dag.parents(child).size();
  return {op, dag.parents(child)[edge], child};
}

std::optional<Step> random_move(const Dag& dag, const Constraints& constraints, Rng& rng) {
  if (dag.size() < 2) return std::nullopt;
  for (int i = 0; i < kDraws; ++i) {
    const Step move = draw_move(dag, rng);
    if (is_legal(dag, constraints, move)) return move;
  }
  const std::vector<Step> moves = all_moves(dag, constraints);
  if (moves.empty()) return std::nullopt;
  return moves[rng.below(moves.size())];
}

double gain_of(const Scorer& scorer, const Dag& dag, const Step& move, Run& run) {
  const Variable from[] = {move.from}, to[] = {move.to};
  double gain = scorer.gains({move.to, dag.parents(move.to)}, from, run).front();
  if (move.op == Operator::reverse) {
    gain += scorer.gains({move.from, dag.parents(move.from)}, to, run).front();
  }
  return gain;
}

}  // namespace dagwright
