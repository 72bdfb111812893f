// Chow and Liu: the best tree, or the best forest.
#pragma once

#include <optional>

#include "dagwright/base/run.hpp"
#include "dagwright/graph/constraints.hpp"
#include "dagwright/score/scorer.hpp"
#include "dagwright/search/search.hpp"

namespace dagwright {

struct ChowLiu {
  std::optional<Variable> root;  // of its tree; other trees have the root that is best or first
  // False: the tree of greatest mutual information, which is that of greatest likelihood. True: the
  // forest of greatest score.
  bool forest = false;
};

// The constraints allow at most one parent a node, none to the root, and some graph satisfies them.
// When the run stops, the best forest of the pairs seen so far.
Found chow_liu(const Scorer& scorer, const Constraints& constraints, const ChowLiu& spec, Run& run);

// The tree of greatest mutual information whatever the constraints, as far as the run lets it come.
ParentLists unconstrained_tree(const Scorer& scorer, Run& run);

// Its nodes, parents before children.
std::vector<Variable> chow_liu_order(const Scorer& scorer, Run& run);

}  // namespace dagwright
