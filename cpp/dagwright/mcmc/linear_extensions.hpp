// How many orders a graph fits.
#pragma once

#include "dagwright/graph/order.hpp"

namespace dagwright {

// The log of the number of orders in which all parents come before their children. By going through the
// sets of nodes that can come first, part by part of the graph; NaN if these are too many.
double log_linear_extensions(const ParentLists& parents);

}  // namespace dagwright
