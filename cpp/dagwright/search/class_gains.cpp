#include "dagwright/search/class_gains.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <limits>
#include <tuple>
#include <utility>

#include "dagwright/search/empty_graph_gains.hpp"

namespace dagwright {

namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
constexpr std::array kOperators = {Operator::add, Operator::remove, Operator::reverse};
// Cliques among the neighbours of one node double with each further member of the largest one.
constexpr std::size_t kMostCliques = 4096;
// Of all nodes together, or one for each pair: 512 MiB, and up to three times as much for the moves made of
// them.
constexpr std::size_t kMostAdditions = std::size_t{1} << 25;

// Families of removals and reversals that are scored together, or a few more.
constexpr std::size_t kFamiliesAtOnce = 1024;

// Most nodes have no more others that gain alone.
constexpr std::size_t kUsualGaining = 16;

// The clock is not asked for every move.
constexpr std::size_t kMovesPerPoll = 16;

// Additions that are looked at for what will follow from them, for each thread that counts ahead.
constexpr std::size_t kAdditionsAhead = 32;

void unite(std::span<const Variable> a, std::span<const Variable> b, Nodes& all) {
  all.clear();
  all.reserve(a.size() + b.size());
  std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(all));
}

Nodes united(std::span<const Variable> a, std::span<const Variable> b) {
  Nodes all;
  unite(a, b, all);
  return all;
}

// The nodes with v, or without it if it is among them.
void toggle(Variable v, const Nodes& nodes, Nodes& toggled) {
  toggled.clear();
  toggled.reserve(nodes.size() + 1);
  std::set_symmetric_difference(nodes.begin(), nodes.end(), &v, &v + 1, std::back_inserter(toggled));
}

}  // namespace

ClassGains::ClassGains(const Scorer& scorer, const Constraints& constraints,
                       const EquivalenceClass& graph, GainsAhead& ahead)
    : scorer_(scorer),
      constraints_(constraints),
      graph_(graph),
      ahead_(ahead),
      n_(graph.size()),
      limits_edges_(constraints.limits_edges()),
      most_{LargestOf(n_), LargestOf(n_), LargestOf(n_)},
      additions_(n_),
      likely_(graph),
      tails_(n_) {
  for (auto& nodes : moves_) nodes.resize(n_);
  for (Variable y = 0; y < n_; ++y) {
    forget(Operator::add, y);
    if (graph.parents(y).empty() && graph.children(y).empty() && graph.neighbours(y).empty()) continue;
    for (const Operator op : {Operator::remove, Operator::reverse}) forget(op, y);
  }
}

void ClassGains::forget(Operator op, Variable y) {
  if (std::exchange(at(op, y).stale, true)) return;
  stale_[static_cast<std::size_t>(op)].push_back(y);
}

void ClassGains::note_most(Operator op, Variable y) {
  const NodeMoves& here = at(op, y);
  most_[static_cast<std::size_t>(op)].set(
      y, here.n_seen < here.moves.size() ? here.moves[here.n_seen].gain : LargestOf::kNone);
}

std::optional<ClassGains::Best> ClassGains::best_move(std::span<const Operator> kinds, double least,
                                                      double tolerance, const Legal& legal,
                                                      Run& run) {
  refresh(kinds, run);
  double above = least;
  std::optional<Best> best;
  ClassMove move;  // here, so that its memory is used again
  for (std::size_t n_seen = 0;; ++n_seen) {
    if (n_seen % kMovesPerPoll == 0) run.poll();
    if (run.stopping()) throw Stopped{run.reason()};
    const auto [op, y] = next(kinds);
    if (!(most_of(op).number() > above)) break;
    NodeMoves& here = at(op, y);
    const Move seen = here.moves[here.n_seen];
    move.op = op;
    move.x = seen.x;
    move.y = y;
    move.into = here.cliques[seen.into];
    const bool closes = !cycle_.closes_none(graph_, move, back_);
    if (closes && op == Operator::add) {
      set_aside(y);
      continue;
    }
    look_further(op, y);
    if (closes) continue;
    if (best && std::tie(best->move.op, best->move.y, best->move.x, best->move.into) <
                    std::tie(move.op, move.y, move.x, move.into))
      continue;
    if (!legal(move)) continue;
    // Gains that dwarf the score have rounding of their own.
    if (!best) above = std::max(least, seen.gain - std::max(tolerance, 1e-12 * seen.gain));
    best = Best{move, seen.gain, seen.score};
  }
  look_again();
  if (best && ahead_.n_helpers() > 0) expect_best(*best, run);
  return best;
}

// Where the highest of the gains not seen yet is.
std::pair<Operator, Variable> ClassGains::next(std::span<const Operator> kinds) const {
  const auto most = std::max_element(kinds.begin(), kinds.end(), [&](Operator a, Operator b) {
    return most_of(a).number() < most_of(b).number();
  });
  return {*most, static_cast<Variable>(most_of(*most).place())};
}

// The first addition at y that was not seen yet, which closes the path `back_`.
void ClassGains::set_aside(Variable y) {
  NodeMoves& here = at(Operator::add, y);
  const auto place = here.moves.begin() + static_cast<std::ptrdiff_t>(here.n_seen);
  here.blocked.push_back({*place, back_});
  here.moves.erase(place);
  note_most(Operator::add, y);
}

void ClassGains::look_further(Operator op, Variable y) {
  if (at(op, y).n_seen++ == 0) looked_at_.emplace_back(op, y);
  note_most(op, y);
}

// All additions at y, where one of them is expected or cannot be.
void ClassGains::leave_out(Variable y) {
  looked_at_.emplace_back(Operator::add, y);
  most_[static_cast<std::size_t>(Operator::add)].set(y, LargestOf::kNone);
}

void ClassGains::look_again() {
  for (const auto& [op, y] : looked_at_) {
    at(op, y).n_seen = 0;
    note_most(op, y);
  }
  looked_at_.clear();
}

// An addition may still be legal then: a node that points at y may be on the path.
bool ClassGains::may_close_cycle(Variable x, Variable y) const {
  return graph_.leads_to(y, x).value_or(false);
}

// What will be asked for when the best additions are made, one after the other. Removals and reversals are mostly not
// the best.
void ClassGains::expect_next(Run& run) {
  if (!ahead_.wants_more()) return;
  likely_.clear();
  LikelyAddition next;
  for (std::size_t i = 0; i < kAdditionsAhead * ahead_.n_helpers() && !ahead_.expects_enough(); ++i) {
    const double most = most_of(Operator::add).number();
    if (!likely_.take_follower(most, next)) {
      if (!(most > 0)) break;
      if (!take_best_left(next)) continue;
    }
    if (!likely_.stays(next)) continue;
    const Fingerprint key = key_after(next);
    GainsAhead::Question* const known = ahead_.find(key);
    if (known == nullptr && may_close_cycle(next.x, next.y)) continue;
    known != nullptr ? ahead_.expect(*known) : expect_after(next, run);
    likely_.add(next);
    if (known == nullptr || !known->settle()) continue;
    for (std::size_t k = 0; k < known->n_asked; ++k)
      likely_.add_follower(next, known->asked[k].family.family(), known->gaining[k]);
  }
  look_again();
  ahead_.begin();
}

// Makes `addition` the best of those at nodes that are not left out, and leaves out its node. False if it closes a
// cycle: then the next one at this node may be asked for.
bool ClassGains::take_best_left(LikelyAddition& addition) {
  const auto y = static_cast<Variable>(most_of(Operator::add).place());
  const NodeMoves& here = at(Operator::add, y);
  const Move& move = here.moves[here.n_seen];
  const Nodes& into = here.cliques[move.into];
  if (may_close_cycle(move.x, y) && !cycle_.closes_none(graph_, {Operator::add, move.x, y, into}, back_)) {
    set_aside(y);
    return false;
  }
  addition.when = addition.gain = move.gain;
  addition.score = move.score;
  addition.x = move.x;
  addition.y = y;
  unite(graph_.parents(y), into, others_of_addition_);
  addition.others = others_of_addition_;
  leave_out(y);
  return true;
}

// If another move is the best one after all, that is what others begin with.
void ClassGains::expect_best(const Best& best, Run& run) {
  const auto& [op, x, y, into] = best.move;
  if (op != Operator::add) return;
  unite(graph_.parents(y), into, others_of_addition_);
  const LikelyAddition addition{.score = best.score, .x = x, .y = y, .others = others_of_addition_};
  if (ahead_.find(key_after(addition)) != nullptr) return;
  expect_after(addition, run);
  ahead_.begin_before_others();
}

Fingerprint ClassGains::key_after(const LikelyAddition& addition) {
  return GainsAhead::key_of(addition.y, {addition.others, {&addition.x, 1}});
}

// Which additions will be asked for once this one was made, as far as that can be told from the edges near it.
void ClassGains::expect_after(const LikelyAddition& addition, Run& run) {
  const auto& [when, gain, score, x, y, others] = addition;
  if (others.size() + 1 >= constraints_.max_parents()) return;
  ahead_.expect_new(run, [&](auto&& add) {
    const auto add_family = [&](Variable child, std::span<const Variable> parents, Variable parent, double known) {
      GainsAhead::Expected& expected = add();
      expected.family.child = child;
      unite(parents, {&parent, 1}, expected.family.parents);
      find_no_candidates(expected.family, expected.except);
      expected.score = known;
    };
    add_family(y, others, x, score);
    // The edge may stay reversible: then y may be a parent of x too.
    const Nodes& of_x = graph_.parents(x);
    const auto adjacent_to = [&](Variable v) {
      return [this, v](Variable w) { return graph_.adjacent(w, v); };
    };
    if (std::all_of(others.begin(), others.end(), adjacent_to(x)) &&
        std::all_of(of_x.begin(), of_x.end(), adjacent_to(y)) &&
        of_x.size() + 1 < constraints_.max_parents())
      add_family(x, of_x, y, kUnknown);
  });
}

// If there are no edges yet, all additions are those of pairs.
void ClassGains::fill_of_empty_graph(Run& run) {
  if (graph_.n_edges() > 0 || !scorer_.counts_pairs_together()) return;
  std::vector<Gaining*> alone(n_);
  for (Variable y = 0; y < n_; ++y) {
    alone[y] = &additions_[y][{}];
    alone[y]->scores.reserve(kUsualGaining);
  }
  const auto note = [&](Variable x, Variable y, double gain) {
    alone[y]->scores.emplace_back(x, gain);
    alone[y]->only_differences = true;
  };
  empty_graph_gains(scorer_, run, [&](Variable begin, Variable end, const auto& forward, const auto& backward) {
    for (Variable v = begin; v < end; ++v) {
      for (Variable w = v + 1; w < n_; ++w) {
        const std::size_t at = std::size_t{v - begin} * n_ + w;
        if (!(forward[at] > 0 || backward[at] > 0) || !may_join(v, w)) continue;
        if (forward[at] > 0) note(v, w, forward[at]);
        if (backward[at] > 0) note(w, v, backward[at]);
      }
    }
  });
}

bool ClassGains::may_join(Variable x, Variable y) const {
  return constraints_.allowed(x, y) || constraints_.allowed(y, x);
}

void ClassGains::refresh(std::span<const Operator> kinds, Run& run) {
  auto& stale = refreshed_;
  stale.clear();
  for (const Operator op : kinds) {
    Nodes& nodes = stale_[static_cast<std::size_t>(op)];
    std::sort(nodes.begin(), nodes.end());
    for (const Variable y : nodes) stale.emplace_back(op, y);
  }
  for (const auto& [op, y] : stale) find_cliques(op, y);
  const auto sort_moves = [&](Operator op, Variable y) {
    auto& moves = at(op, y).moves;
    if (!std::is_sorted(moves.begin(), moves.end())) std::sort(moves.begin(), moves.end());
    note_most(op, y);
  };
  for (const auto& [op, y] : stale) {
    if (op != Operator::add) continue;
    find_additions(y, at(op, y), run);
    sort_moves(op, y);
  }
  const bool adds = std::find(kinds.begin(), kinds.end(), Operator::add) != kinds.end();
  if (adds && ahead_.n_helpers() > 0) expect_next(run);
  find_others(stale, run);  // additions tell about most of these
  for (const auto& [op, y] : stale)
    if (op != Operator::add) sort_moves(op, y);
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
    dagwright::find_cliques(graph_, y, most_parents - parents, kMostCliques + 1, here.cliques);
  here.capped = here.cliques.size() > kMostCliques;
  if (here.capped) here.cliques.pop_back();
}

// The family, and what may not be joined to its child. What is joined to it is a candidate all the same:
// removals and reversals will ask for most of these.
void ClassGains::find_no_candidates(const Family& family, Nodes& nodes) const {
  unite(family.parents, {&family.child, 1}, nodes);
  if (!limits_edges_) return;
  Nodes others;
  for (Variable x = 0; x < n_; ++x)
    if (!may_join(x, family.child)) others.push_back(x);
  nodes = united(nodes, others);
}

void ClassGains::find_additions(Variable y, NodeMoves& here, Run& run) {
  Additions known = std::exchange(additions_[y], {});
  std::size_t n_kept = 0;
  for (std::uint32_t i = 0; i < here.cliques.size(); ++i) {
    if (n_kept > std::max(n_, kMostAdditions / n_)) {
      here.capped = true;
      break;
    }
    const Nodes& into = here.cliques[i];
    Family& family = family_;
    family.child = y;
    unite(graph_.parents(y), into, family.parents);
    auto node = known.extract(family.parents);
    if (node.empty()) {
      find_no_candidates(family, except_);
      known[family.parents] = ahead_.gaining(family, except_, run);
      node = known.extract(family.parents);
    }
    const auto& [before, scores, only_differences] = node.mapped();
    for (const auto& [x, score] : scores)
      if (can_add(graph_, x, y, into))
        here.moves.push_back({score - before, only_differences ? kUnknown : score, x, i});
    n_kept += static_cast<std::size_t>(std::count_if(
        scores.begin(), scores.end(), [&](const auto& of_x) { return !graph_.adjacent(of_x.first, y); }));
    additions_[y].insert(std::move(node));
  }
}

// Of many nodes together: most of these families are known, and looking for them one by one takes longer.
void ClassGains::find_others(std::span<const std::pair<Operator, Variable>> stale, Run& run) {
  auto& others = others_;
  others.clear();
  n_families_ = 0;
  for (const auto& [op, y] : stale) {
    if (op == Operator::add) continue;
    const auto& cliques = at(op, y).cliques;
    for (std::uint32_t i = 0; i < cliques.size(); ++i) {
      find_candidates(graph_, op, y, cliques[i], xs_);
      if (xs_.empty()) continue;
      if (n_families_ > kFamiliesAtOnce) score_others(others, run);
      const std::size_t before = next_family(y);
      unite(graph_.parents(y), cliques[i], families_[before].parents);
      for (const Variable x : xs_) {
        if (op == Operator::remove && (!constraints_.may_remove(x, y) || !constraints_.may_remove(y, x)))
          continue;
        const std::size_t after = next_family(y);
        others.push_back({op, y, x, i, before, after});
        toggle(x, families_[before].parents, families_[after].parents);
        if (op != Operator::reverse) continue;
        const std::size_t without = next_family(x), with = next_family(x);
        other_parents_of_reversed(graph_, {op, x, y, cliques[i]}, families_[without].parents);
        toggle(y, families_[without].parents, families_[with].parents);
      }
    }
  }
  score_others(others, run);
}

// Puts those that gain among the moves.
void ClassGains::score_others(std::vector<Other>& others, Run& run) {
  run.check_inside();
  const auto scores = scorer_.local(std::span(families_).first(std::exchange(n_families_, 0)), batch_, run);
  for (const auto& [op, y, x, into, before, after] : others) {
    double gain = scores[after] - scores[before];
    if (op == Operator::remove) {
      // A neighbour is not in this family: what removing it gains is what adding it loses.
      const Nodes& compelled = graph_.parents(y);
      if (!std::binary_search(compelled.begin(), compelled.end(), x)) gain = -gain;
    } else {
      gain += scores[after + 1] - scores[after + 2];
    }
    if (gain > 0) at(op, y).moves.push_back({gain, kUnknown, x, into});
  }
  others.clear();
}

// The place of one more family to be scored, whose parents are to be written over.
std::size_t ClassGains::next_family(Variable child) {
  if (families_.size() == n_families_) families_.emplace_back();
  families_[n_families_].child = child;
  return n_families_++;
}

// Looks again at additions whose path has lost an edge.
void ClassGains::unblock(const std::vector<Edge>& lost) {
  NodeSet& tails = tails_;
  tails.clear();
  for (const Edge& edge : lost) tails.set(edge.from);
  const auto lost_edge = [&](Variable from, const Nodes& path) {
    for (const Variable next : path) {
      if (tails.test(from) && std::find(lost.begin(), lost.end(), Edge{from, next}) != lost.end())
        return true;
      from = next;
    }
    return false;
  };
  for (Variable y = 0; y < n_; ++y) {
    NodeMoves& here = at(Operator::add, y);
    if (here.stale || here.blocked.empty()) continue;
    const std::size_t n_before = here.moves.size();
    std::erase_if(here.blocked, [&](const Blocked& blocked) {
      if (!lost_edge(y, blocked.back)) return false;
      here.moves.insert(std::upper_bound(here.moves.begin(), here.moves.end(), blocked.move), blocked.move);
      return true;
    });
    if (here.moves.size() > n_before) note_most(Operator::add, y);
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
