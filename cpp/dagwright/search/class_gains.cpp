#include "dagwright/search/class_gains.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <limits>
#include <numeric>
#include <queue>
#include <tuple>
#include <utility>

#include "dagwright/search/empty_graph_gains.hpp"

namespace dagwright {

namespace {

constexpr double kNone = -std::numeric_limits<double>::infinity();
constexpr std::array kOperators = {Operator::add, Operator::remove, Operator::reverse};
// Cliques among the neighbours of one node double with each further member of the largest one.
constexpr std::size_t kMostCliques = 4096;
// Of all nodes together, or one for each pair: 512 MiB, and as much for the moves made of them.
constexpr std::size_t kMostAdditions = std::size_t{1} << 25;

// The clock is not asked for every move.
constexpr std::size_t kMovesPerPoll = 16;

Nodes united(const Nodes& a, const Nodes& b) {
  Nodes all;
  std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(all));
  return all;
}

}  // namespace

ClassGains::ClassGains(const Scorer& scorer, const Constraints& constraints,
                       const EquivalenceClass& graph)
    : scorer_(scorer),
      constraints_(constraints),
      graph_(graph),
      n_(graph.size()),
      limits_edges_(constraints.limits_edges()),
      additions_(n_) {
  for (auto& nodes : moves_) nodes.resize(n_);
  for (auto& gains : most_) gains.assign(n_, kNone);
  for (Nodes& nodes : stale_) {
    nodes.resize(n_);
    std::iota(nodes.begin(), nodes.end(), Variable{0});
  }
}

void ClassGains::forget(Operator op, Variable y) {
  if (std::exchange(at(op, y).stale, true)) return;
  stale_[static_cast<std::size_t>(op)].push_back(y);
}

void ClassGains::note_most(Operator op, Variable y) {
  const auto& moves = at(op, y).moves;
  most_at(op, y) = moves.empty() ? kNone : moves.front().gain;
}

std::optional<ClassGains::Best> ClassGains::best_move(std::span<const Operator> kinds, double least,
                                                      double tolerance, const Legal& legal,
                                                      Run& run) {
  struct Next {
    double gain;
    Operator op;
    Variable y;
    std::size_t place;
    bool operator<(const Next& other) const { return gain < other.gain; }
  };
  if (std::exchange(all_stale_, false)) fill_of_empty_graph(run);
  refresh(kinds, run);
  std::vector<Next> first;
  for (const Operator op : kinds) {
    const auto& most = most_[static_cast<std::size_t>(op)];
    for (Variable y = 0; y < n_; ++y)
      if (most[y] > least) first.push_back({most[y], op, y, 0});
  }
  std::priority_queue<Next> queue(std::less<Next>(), std::move(first));

  double above = least;
  std::optional<Best> best;
  ClassMove move;  // here, so that its memory is used again
  for (std::size_t n_seen = 0; !queue.empty() && queue.top().gain > above; ++n_seen) {
    if (n_seen % kMovesPerPoll == 0) run.poll();
    if (run.stopping()) throw Stopped{run.reason()};
    const auto [gain, op, y, place] = queue.top();
    queue.pop();
    auto& [stale, capped, cliques, moves, blocked] = at(op, y);
    move.op = op;
    move.x = moves[place].x;
    move.y = y;
    move.into = cliques[moves[place].into];
    const bool closes = !closes_no_cycle(graph_, move, moves[place].back);
    if (closes && op == Operator::add) {
      blocked.push_back(std::move(moves[place]));
      moves.erase(moves.begin() + static_cast<std::ptrdiff_t>(place));
      if (place == 0) note_most(op, y);
      if (place < moves.size()) queue.push({moves[place].gain, op, y, place});
      continue;
    }
    if (place + 1 < moves.size()) queue.push({moves[place + 1].gain, op, y, place + 1});
    if (closes) continue;
    if (best && std::tie(best->move.op, best->move.y, best->move.x, best->move.into) <
                    std::tie(move.op, move.y, move.x, move.into))
      continue;
    if (!legal(move)) continue;
    // Gains that dwarf the score have rounding of their own.
    if (!best) above = std::max(least, gain - std::max(tolerance, 1e-12 * gain));
    best = Best{move, gain};
  }
  return best;
}

// If there are no edges yet, all additions are those of pairs.
void ClassGains::fill_of_empty_graph(Run& run) {
  if (graph_.n_edges() > 0 || !scorer_.counts_pairs_together()) return;
  for (auto& known : additions_) known[{}];
  empty_graph_gains(scorer_, run, [&](Variable x, Variable y, double gain) {
    if (gain > 0 && may_join(x, y)) additions_[y].begin()->second.emplace_back(x, gain);
  });
}

bool ClassGains::may_join(Variable x, Variable y) const {
  return constraints_.allowed(x, y) || constraints_.allowed(y, x);
}

void ClassGains::refresh(std::span<const Operator> kinds, Run& run) {
  std::vector<std::pair<Operator, Variable>> stale;
  for (const Operator op : kinds) {
    Nodes& nodes = stale_[static_cast<std::size_t>(op)];
    std::sort(nodes.begin(), nodes.end());
    for (const Variable y : nodes) stale.emplace_back(op, y);
  }
  for (const auto& [op, y] : stale) {
    find_cliques(op, y);
    NodeMoves& here = at(op, y);
    if (op == Operator::add) {
      find_additions(y, here, run);
    } else {
      find_others(op, y, here, run);
    }
    std::sort(here.moves.begin(), here.moves.end());
    note_most(op, y);
  }
  // If one could not be refreshed all are looked at again.
  for (const auto& [op, y] : stale) at(op, y).stale = false;
  for (const Operator op : kinds) stale_[static_cast<std::size_t>(op)].clear();
}

void ClassGains::find_cliques(Operator op, Variable y) {
  NodeMoves& here = at(op, y);
  here.moves.clear();
  here.blocked.clear();
  here.cliques.clear();
  // Equivalent graphs have equally many nodes with k parents, for every k: reversing a covered edge
  // swaps two of these numbers. So a bound on parents holds for all members of a class or for none,
  // and a move keeps it if the family that it makes is within.
  const std::size_t most_parents = constraints_.max_parents();
  const std::size_t parents = graph_.parents(y).size() + (op == Operator::remove ? 0 : 1);
  if (parents <= most_parents)
    here.cliques = cliques_at(graph_, y, most_parents - parents, kMostCliques + 1);
  here.capped = here.cliques.size() > kMostCliques;
  if (here.capped) here.cliques.pop_back();
}

// What may be joined to y and is not.
Nodes ClassGains::apart_from(Variable y) const {
  Nodes apart(n_);
  std::iota(apart.begin(), apart.end(), Variable{0});
  std::erase_if(apart, [&](Variable x) {
    return x == y || graph_.adjacent(y, x) || (limits_edges_ && !may_join(x, y));
  });
  return apart;
}

void ClassGains::find_additions(Variable y, NodeMoves& here, Run& run) {
  const Nodes apart = apart_from(y);
  Additions known = std::exchange(additions_[y], {});
  std::size_t n_kept = 0;
  for (std::uint32_t i = 0; i < here.cliques.size(); ++i) {
    if (n_kept > std::max(n_, kMostAdditions / n_)) {
      here.capped = true;
      break;
    }
    const Nodes& into = here.cliques[i];
    const Nodes parents = united(graph_.parents(y), into);
    auto node = known.extract(parents);
    if (node.empty()) {
      auto& gaining = known[parents];
      const std::vector<double> gained = scorer_.gains({y, parents}, apart, run);
      for (std::size_t k = 0; k < apart.size(); ++k)
        if (gained[k] > 0) gaining.emplace_back(apart[k], gained[k]);
      node = known.extract(parents);
    }
    for (const auto& [x, gain] : node.mapped())
      if (can_add(graph_, x, y, into)) here.moves.push_back({gain, x, i, {}});
    n_kept += node.mapped().size();
    additions_[y].insert(std::move(node));
  }
}

void ClassGains::find_others(Operator op, Variable y, NodeMoves& here, Run& run) const {
  for (std::uint32_t i = 0; i < here.cliques.size(); ++i) {
    Nodes xs = candidates(graph_, op, y, here.cliques[i]);
    if (op == Operator::remove) {
      std::erase_if(xs, [&](Variable x) {
        return !constraints_.may_remove(x, y) || !constraints_.may_remove(y, x);
      });
    }
    if (xs.empty()) continue;
    const std::vector<double> gained = gains(op, y, here.cliques[i], xs, run);
    for (std::size_t k = 0; k < xs.size(); ++k)
      if (gained[k] > 0) here.moves.push_back({gained[k], xs[k], i, {}});
  }
}

std::vector<double> ClassGains::gains(Operator op, Variable y, const Nodes& into, const Nodes& xs,
                                      Run& run) const {
  const Nodes& compelled = graph_.parents(y);
  std::vector<double> gained = scorer_.gains({y, united(compelled, into)}, xs, run);
  if (op == Operator::remove) {
    // A neighbour is not in this family: what removing it gains is what adding it loses.
    for (std::size_t k = 0; k < xs.size(); ++k)
      if (!std::binary_search(compelled.begin(), compelled.end(), xs[k])) gained[k] = -gained[k];
  } else if (op == Operator::reverse) {
    // And each x loses y as a parent.
    std::vector<Family> families;
    for (const Variable x : xs) {
      const Nodes others = other_parents_of_reversed(graph_, {op, x, y, into});
      families.push_back({x, others});
      families.push_back({x, united(others, {y})});
    }
    const std::vector<double> scores = scorer_.local(families, run);
    for (std::size_t k = 0; k < xs.size(); ++k) gained[k] += scores[2 * k] - scores[2 * k + 1];
  }
  return gained;
}

// Looks again at additions whose path has lost an edge.
void ClassGains::unblock(const std::vector<Edge>& lost) {
  NodeSet tails(n_);
  for (const Edge& edge : lost) tails.set(edge.from);
  for (Variable y = 0; y < n_; ++y) {
    auto& [stale, capped, cliques, moves, blocked] = at(Operator::add, y);
    if (stale) continue;
    std::erase_if(blocked, [&](Move& move) {
      Variable here = y;
      for (const Variable next : move.back) {
        if (tails.test(here) && std::find(lost.begin(), lost.end(), Edge{here, next}) != lost.end()) {
          most_at(Operator::add, y) = std::max(most_at(Operator::add, y), move.gain);
          moves.insert(std::upper_bound(moves.begin(), moves.end(), move), std::move(move));
          return true;
        }
        here = next;
      }
      return false;
    });
  }
}

void ClassGains::moved(const ClassMove& move, const EquivalenceClass::Changes& changes) {
  if (!changes.lost.empty()) unblock(changes.lost);
  for (const Variable v : changes.nodes) {
    for (const Operator op : kOperators) forget(op, v);
    // Half of what a reversal gains comes from the family of x.
    for (const Nodes* near : {&graph_.parents(v), &graph_.children(v), &graph_.neighbours(v)})
      for (const Variable y : *near) forget(Operator::reverse, y);
  }
  // What was adjacent is not among the additions.
  if (move.op == Operator::remove)
    for (const Variable end : {move.x, move.y}) additions_[end].clear();
  // Where x or y is a neighbour of a node, their being adjacent or not matters to it as well.
  for (const Variable end : {move.x, move.y})
    for (const Variable v : graph_.neighbours(end))
      for (const Operator op : {Operator::add, Operator::remove}) forget(op, v);
}

bool ClassGains::capped() const {
  return std::any_of(moves_.begin(), moves_.end(), [](const auto& nodes) {
    return std::any_of(nodes.begin(), nodes.end(), [](const auto& here) { return here.capped; });
  });
}

}  // namespace dagwright
