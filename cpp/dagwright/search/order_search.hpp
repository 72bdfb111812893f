// Search over orders of the variables: for a given order the best graph is found by itself, child by
// child, so that far fewer local optima are in the way than among graphs.
#pragma once

#include <cstdint>

#include "dagwright/base/run.hpp"
#include "dagwright/graph/constraints.hpp"
#include "dagwright/score/scorer.hpp"
#include "dagwright/search/parent_sets.hpp"
#include "dagwright/search/restarts.hpp"
#include "dagwright/search/search.hpp"

namespace dagwright {

struct OrderSearch {
  std::size_t chains = 8;        // walks over orders, side by side
  std::size_t patience = 100;    // rounds without a better graph, before more sets are scored
  std::size_t enrichments = 2;   // how often in vain, before the end
  std::size_t candidates = 24;   // of a child to begin with, where not all variables fit
  std::size_t all_sets = 2000;   // of a child: as large sets are all scored as so many allow
  std::size_t best_sets = 20;    // of a child: so many more are expanded at first and each time
};

// `start` satisfies the constraints. Never worse than hill climbing from there. Restarts begin there
// too, with other random numbers; the best of all is returned.
Found order_search(const Scorer& scorer, const Constraints& constraints, const Dag& start,
                   const OrderSearch& spec, const Restarts& restarts, Run& run);

}  // namespace dagwright
