#include "dagwright/search/moves.hpp"

#include <vector>

namespace dagwright {

namespace {

// Draws before all moves are listed.
constexpr int kDraws = 32;

Operator any_operator(Rng& rng) { return static_cast<Operator>(rng.below(3)); }

Step any_pair(const Dag& dag, Operator op, Rng& rng) {
  const std::size_t n = dag.size();
  if (op == Operator::add || dag.n_edges() == 0) {
    const auto from = static_cast<Variable>(rng.below(n));
    return {op, from, static_cast<Variable>(rng.below(n))};
  }
  std::size_t edge = rng.below(dag.n_edges());
  Variable child = 0;
  for (; edge >= dag.parents(child).size(); ++child) edge -= dag.parents(child).size();
  return {op, dag.parents(child)[edge], child};
}

std::vector<Step> all_moves(const Dag& dag, const Constraints& constraints) {
  std::vector<Step> moves;
  const auto n = static_cast<Variable>(dag.size());
  for (Variable from = 0; from < n; ++from) {
    for (Variable to = 0; to < n; ++to) {
      for (const Operator op : {Operator::add, Operator::remove, Operator::reverse}) {
        if (is_legal(dag, constraints, op, from, to)) moves.push_back({op, from, to});
      }
    }
  }
  return moves;
}

}  // namespace

bool is_legal(const Dag& dag, const Constraints& constraints, Operator op, Variable from,
              Variable to) {
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

void make_move(Dag& dag, Operator op, Variable from, Variable to) {
  switch (op) {
    case Operator::add:
      dag.add(from, to);
      break;
    case Operator::remove:
      dag.remove(from, to);
      break;
    case Operator::reverse:
      dag.reverse(from, to);
      break;
  }
}

std::optional<Step> random_move(const Dag& dag, const Constraints& constraints, Rng& rng) {
  if (dag.size() < 2) return std::nullopt;
  for (int i = 0; i < kDraws; ++i) {
    const Step move = any_pair(dag, any_operator(rng), rng);
    if (is_legal(dag, constraints, move.op, move.from, move.to)) return move;
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

double total_score(const Scorer& scorer, const Dag& dag, Run& run) {
  std::vector<Family> families;
  for (Variable v = 0; v < dag.size(); ++v) families.push_back({v, dag.parents(v)});
  double sum = 0;
  for (const double score : scorer.local(families, run)) sum += score;
  return sum;
}

}  // namespace dagwright
