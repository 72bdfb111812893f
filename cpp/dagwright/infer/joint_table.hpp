// The joint distribution of a few variables of a network, without evidence.
#pragma once

#include <memory>
#include <vector>

#include "dagwright/infer/network.hpp"

namespace dagwright {

// The last variable runs fastest. The same set gives the same numbers to the last bit, in whatever order
// its variables come.
std::vector<double> joint_table(std::shared_ptr<const Network> network,
                                const std::vector<Variable>& variables);

}  // namespace dagwright
