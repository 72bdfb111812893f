// The equivalence class of a DAG: compelled edges are directed, reversible ones undirected.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "dagwright/graph/constraints.hpp"
#include "dagwright/graph/dag.hpp"
#include "dagwright/graph/edge.hpp"

namespace dagwright {

struct Cpdag {
  std::size_t n = 0;
  std::vector<Edge> directed;    // compelled; sorted
  std::vector<Edge> undirected;  // reversible, the smaller number in `from`; sorted
  bool operator==(const Cpdag&) const = default;
};

Cpdag cpdag_of(const ParentLists& parents);
inline Cpdag cpdag_of(const Dag& dag) { return cpdag_of(dag.parent_lists()); }

// A DAG with the same skeleton and v-structures that keeps every directed edge (Dor & Tarsi
// 1992), as parent lists; none when there is no such DAG. At most one edge between two nodes.
std::optional<ParentLists> consistent_extension(const Cpdag& pdag);

// The same among the DAGs that satisfy the constraints on directions and on the size of families; which
// pairs are joined is given.
std::optional<ParentLists> consistent_extension(const Cpdag& pdag, const Constraints& constraints);

}  // namespace dagwright
