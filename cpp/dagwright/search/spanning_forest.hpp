// The maximum spanning forest of a graph whose edges come in rows, a few rows at a time.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "dagwright/base/types.hpp"
#include "dagwright/graph/edge.hpp"

namespace dagwright {

// An undirected edge, a < b.
struct Link {
  Variable a, b;
  double weight;
};

// Heavier links go first, equal ones in the order of their nodes. No two links are equal, so there is
// one best forest, whatever the order in which the rows come.
class SpanningForest {
 public:
  // Has these links already, which make no cycle and are never given up.
  SpanningForest(std::size_t n, const std::vector<Edge>& kept);

  // Adds the links of the nodes v in [begin, end) with all w > v: their weights are at
  // (v - begin) * n + w, NaN where there is none. A best forest of all links seen is kept; no link
  // that is not in the best forest of some of them is in that of all of them.
  void add_rows(Variable begin, Variable end, const std::vector<double>& weights);

  const std::vector<Link>& links() const { return links_; }

  // Each tree directed away from its root: `root` in its own, the smallest node in the others.
  ParentLists directed(std::optional<Variable> root) const;

 private:
  std::size_t n_;
  std::vector<Link> links_;
};

}  // namespace dagwright
