#include "dagwright/search/class_moves.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace dagwright {

namespace {

bool contains(const Nodes& sorted, Variable v) {
  return std::binary_search(sorted.begin(), sorted.end(), v);
}

bool all_adjacent(const EquivalenceClass& graph, const Nodes& nodes, Variable x) {
  return std::all_of(nodes.begin(), nodes.end(),
                     [&](Variable node) { return graph.adjacent(node, x); });
}

// Every neighbour of y that is adjacent to x points at y.
bool common_neighbours_point_at(const EquivalenceClass& graph, Variable x, Variable y,
                                const Nodes& into) {
  const Nodes& near = graph.neighbours(y);
  return std::all_of(near.begin(), near.end(), [&](Variable w) {
    return !graph.adjacent(w, x) || contains(into, w);
  });
}

void find_addable(const EquivalenceClass& graph, Variable y, const Nodes& into, Nodes& found) {
  for (Variable x = 0; x < graph.size(); ++x)
    if (can_add(graph, x, y, into)) found.push_back(x);
}

// The edge x -> y or x - y is there, and x is adjacent to all that point at y.
void find_removable(const EquivalenceClass& graph, Variable y, const Nodes& into, Nodes& found) {
  for (const Variable x : graph.parents(y))
    if (all_adjacent(graph, into, x)) found.push_back(x);
  for (const Variable x : graph.neighbours(y))
    if (!contains(into, x) && all_adjacent(graph, into, x)) found.push_back(x);
  std::sort(found.begin(), found.end());
}

// For x - y: among the neighbours of y, no path leads from those of `into` that are not adjacent to x
// to those adjacent to x that are not in `into`, unless by a node that is both.
bool separated(const EquivalenceClass& graph, Variable x, Variable y, const Nodes& into) {
  const Nodes& near = graph.neighbours(y);
  std::vector<bool> seen(near.size());
  Nodes waiting;
  for (std::size_t i = 0; i < near.size(); ++i) {
    if (!contains(into, near[i])) continue;
    seen[i] = true;
    if (!graph.adjacent(near[i], x)) waiting.push_back(near[i]);
  }
  while (!waiting.empty()) {
    const Variable here = waiting.back();
    waiting.pop_back();
    for (std::size_t i = 0; i < near.size(); ++i) {
      if (seen[i] || near[i] == x || !graph.adjacent(here, near[i])) continue;
      if (graph.adjacent(near[i], x)) return false;
      seen[i] = true;
      waiting.push_back(near[i]);
    }
  }
  return true;
}

void find_reversible(const EquivalenceClass& graph, Variable y, const Nodes& into, Nodes& found) {
  for (const Variable x : graph.neighbours(y)) {
    // Were all of `into` adjacent to x, the reversed edge would be covered and the class the same.
    if (!contains(into, x) && !all_adjacent(graph, into, x) && separated(graph, x, y, into))
      found.push_back(x);
  }
  for (const Variable x : graph.children(y))
    if (common_neighbours_point_at(graph, x, y, into)) found.push_back(x);
  std::sort(found.begin(), found.end());
}

}  // namespace

void find_cliques(const EquivalenceClass& graph, Variable y, std::size_t largest, std::size_t most,
                  NodeLists& cliques) {
  const Nodes& near = graph.neighbours(y);
  cliques.clear();
  cliques.add_empty();
  // Each clique is the one before its largest member was added, so that it comes up once.
  for (std::size_t i = 0; i < cliques.size() && cliques[i].size() < largest; ++i) {
    const auto later = cliques[i].empty()
                           ? near.begin()
                           : std::upper_bound(near.begin(), near.end(), cliques[i].back());
    for (auto w = later; w != near.end(); ++w) {
      if (!all_adjacent(graph, cliques[i], *w)) continue;
      if (cliques.size() == most) return;
      cliques.add_longer(i, *w);
    }
  }
}

bool can_add(const EquivalenceClass& graph, Variable x, Variable y, const Nodes& into) {
  return x != y && !graph.adjacent(x, y) && common_neighbours_point_at(graph, x, y, into);
}

void find_candidates(const EquivalenceClass& graph, Operator op, Variable y, const Nodes& into,
                     Nodes& found) {
  found.clear();
  switch (op) {
    case Operator::add:
      return find_addable(graph, y, into, found);
    case Operator::remove:
      return find_removable(graph, y, into, found);
    case Operator::reverse:
      return find_reversible(graph, y, into, found);
  }
}

bool ClosedCycle::closes_none(const EquivalenceClass& graph, const ClassMove& move, Nodes& back) {
  const auto& [op, x, y, into] = move;
  back.clear();
  const bool compelled = op == Operator::reverse && contains(graph.children(y), x);
  if (op != Operator::add && !compelled) return true;  // the edges near y said all
  if (op == Operator::add && !graph.leads_to(y, x).value_or(true)) return true;
  // Every path from y to x along directed and undirected edges, the reversed one aside, must meet a
  // node that points at y, or one that x points at once its undirected edges have a direction.
  constexpr Variable kNew = static_cast<Variable>(-1);
  auto& came_from = came_from_;
  came_from.assign(graph.size(), kNew);
  for (const Variable v : into) came_from[v] = v;
  if (compelled)
    for (const Variable v : graph.neighbours(x)) came_from[v] = v;
  auto& waiting = waiting_;
  waiting.clear();
  const auto visit = [&](Variable from, const Nodes& nodes) {
    for (const Variable v : nodes) {
      if (came_from[v] != kNew) continue;
      came_from[v] = from;
      waiting.push_back(v);
    }
  };
  came_from[y] = y;
  if (compelled) came_from[x] = x;  // not by the edge itself
  visit(y, graph.children(y));
  visit(y, graph.neighbours(y));
  if (compelled) came_from[x] = kNew;
  for (std::size_t i = 0; i < waiting.size() && came_from[x] == kNew; ++i) {
    visit(waiting[i], graph.children(waiting[i]));
    visit(waiting[i], graph.neighbours(waiting[i]));
  }
  if (came_from[x] == kNew) return true;
  std::size_t length = 0;
  for (Variable v = x; v != y; v = came_from[v]) ++length;
  back.reserve(length);
  for (Variable v = x; v != y; v = came_from[v]) back.push_back(v);
  std::reverse(back.begin(), back.end());
  return false;
}

std::vector<ClassMove> class_moves(const EquivalenceClass& graph, Operator op) {
  constexpr std::size_t any = std::numeric_limits<std::size_t>::max();
  std::vector<ClassMove> moves;
  NodeLists cliques;
  ClosedCycle cycle;
  Nodes xs, back;
  for (Variable y = 0; y < graph.size(); ++y) {
    find_cliques(graph, y, any, any, cliques);
    for (std::size_t i = 0; i < cliques.size(); ++i) {
      const Nodes& into = cliques[i];
      find_candidates(graph, op, y, into, xs);
      for (const Variable x : xs) {
        ClassMove move{op, x, y, into};
        if (cycle.closes_none(graph, move, back)) moves.push_back(std::move(move));
      }
    }
  }
  return moves;
}

void other_parents_of_reversed(const EquivalenceClass& graph, const ClassMove& move, Nodes& parents) {
  parents = graph.parents(move.x);
  if (contains(parents, move.y)) {  // compelled: the neighbours of x are its children then
    parents.erase(std::lower_bound(parents.begin(), parents.end(), move.y));
    return;
  }
  for (const Variable w : move.into)
    if (graph.adjacent(w, move.x)) parents.push_back(w);
  std::sort(parents.begin(), parents.end());
}

// The undirected edges near x and y get the direction that they have in the members the move applies
// to. Then every v-structure of the outcome has its two edges directed, so that any consistent
// extension of this graph is in the outcome's class.
Cpdag moved(const EquivalenceClass& graph, const ClassMove& move) {
  const Variable x = move.x, y = move.y;
  const bool turned = move.op == Operator::reverse;
  const bool was_reversible = contains(graph.neighbours(y), x);
  const auto points_at_y = [&](Variable w) { return contains(move.into, w); };
  const auto points_at_x = [&](Variable w) { return was_reversible && points_at_y(w); };

  Cpdag pdag{graph.size(), {}, {}};
  const auto direct = [&](Variable w, Variable end, bool inwards) {
    pdag.directed.push_back(inwards ? Edge{w, end} : Edge{end, w});
  };
  for (Variable a = 0; a < graph.size(); ++a) {
    for (const Variable b : graph.children(a))
      if (!(a == x && b == y) && !(a == y && b == x)) pdag.directed.push_back({a, b});
    for (const Variable b : graph.neighbours(a)) {
      if (b < a || (a == std::min(x, y) && b == std::max(x, y))) continue;
      const bool at_y = a == y || b == y;
      const bool at_x = a == x || b == x;
      const Variable w = (at_y ? y : x) == a ? b : a;  // the other end, if one is at x or y
      if (at_y) {
        direct(w, y, points_at_y(w));
      } else if (at_x && turned) {
        direct(w, x, points_at_x(w));
      } else if (at_x && move.op == Operator::remove && contains(graph.neighbours(y), w) &&
                 !points_at_y(w)) {
        direct(w, x, false);
      } else {
        pdag.undirected.push_back({a, b});
      }
    }
  }
  if (move.op != Operator::remove) pdag.directed.push_back({x, y});
  return cpdag_of(consistent_extension(pdag).value());
}

}  // namespace dagwright
