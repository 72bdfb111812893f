// Moves between equivalence classes of DAGs: one edge is added to, removed from or reversed in some
// member of the class, and the class of the outcome is where the move leads.
//
// Chickering (JMLR 2002) for additions and removals, Hauser & Buhlmann (JMLR 2012) for reversals. They
// name a move by the neighbours of y whose edges change (T, H); here it is named by the neighbours that
// point at y in the members it applies to, which is the same for all three: `into` is NA + T where an
// edge is added and NA - H where one is removed, with NA the neighbours of y that are adjacent to x.
#pragma once

#include <cstddef>
#include <vector>

#include "dagwright/graph/cpdag.hpp"
#include "dagwright/search/equivalence_class.hpp"
#include "dagwright/search/node_lists.hpp"
#include "dagwright/search/search.hpp"

namespace dagwright {

// Adds, removes or reverses so that x -> y appears (add, reverse) or disappears (remove), in the members
// in which the parents of y are its compelled parents and `into`.
struct ClassMove {
  Operator op = Operator::add;
  Variable x = 0;
  Variable y = 0;
  Nodes into;  // sorted; a clique of neighbours of y, without x
  bool operator==(const ClassMove&) const = default;
};

// Makes `cliques` those of at most `largest` neighbours of y, smaller ones first, at most `most` of them. The
// first is empty. A member of the class in which exactly these point at y exists for cliques only.
void find_cliques(const EquivalenceClass& graph, Variable y, std::size_t largest, std::size_t most,
                  NodeLists& cliques);

// Makes `found` the x for which the move has some member to apply to, and one whose outcome is another class,
// as far as the edges near y say; `into` is one of the cliques. Sorted.
void find_candidates(const EquivalenceClass& graph, Operator op, Variable y, const Nodes& into,
                     Nodes& found);
// Whether x is one of them where an edge is added.
bool can_add(const EquivalenceClass& graph, Variable x, Variable y, const Nodes& into);

// The rest of what makes a move legal: a new edge closes no cycle, in one of the members at least. If it
// does, `back` is a shortest path along directed and undirected edges that it would close, y left out.
class ClosedCycle {
 public:
  bool closes_none(const EquivalenceClass& graph, const ClassMove& move, Nodes& back);

 private:
  // Kept for their memory.
  std::vector<Variable> came_from_;
  Nodes waiting_;
};

// All legal moves of a kind.
std::vector<ClassMove> class_moves(const EquivalenceClass& graph, Operator op);

// The class that a legal move leads to.
Cpdag moved(const EquivalenceClass& graph, const ClassMove& move);

// The parents that x has, beside y or without it, in the members whose edge y -> x a move reverses.
void other_parents_of_reversed(const EquivalenceClass& graph, const ClassMove& move, Nodes& parents);

}  // namespace dagwright
