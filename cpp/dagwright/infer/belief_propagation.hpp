// Belief propagation between variables and families: exact where they form a tree, else an
// approximation that may or may not settle.
#pragma once

#include <span>
#include <vector>

#include "dagwright/base/run.hpp"
#include "dagwright/infer/propagation.hpp"

namespace dagwright {

struct Beliefs {
  std::vector<std::vector<double>> marginals;  // of the variables asked for
  std::size_t iterations = 0;
  double change = 0;  // the largest of any message in the last iteration
};

// Messages go all at once; each new one is mixed with `damping` parts of the old one. Ends when no
// message changes by more than `tolerance`. Throws ImpossibleEvidence when all states of a variable
// become impossible.
Beliefs belief_propagation(const Network& network, const Evidence& evidence,
                           std::span<const Variable> intervened, std::span<const Variable> variables,
                           std::size_t max_iterations, double tolerance, double damping, Run& run);

}  // namespace dagwright
