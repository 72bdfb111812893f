// Belief propagation between variables and factors, plain or reweighted: exact where they form a tree,
// else an approximation of marginals and of log Z.
#pragma once

#include <cstddef>
#include <span>
#include <stdexcept>
#include <vector>

#include "dagwright/base/run.hpp"
#include "dagwright/markov/factor_scopes.hpp"

namespace dagwright {

// The factors leave no states that can be.
struct ImpossibleFactors : std::runtime_error {
  ImpossibleFactors() : std::runtime_error("the factors make every row impossible") {}
};

struct FactorBeliefs {
  std::vector<double> marginals;  // of all variables, one after the other
  std::vector<double> cells;      // the belief of every factor, cell by cell
  double log_z = 0;
  std::size_t iterations = 0;
  // The largest difference between a variable's belief and what the belief of a factor says of it.
  double inconsistency = 0;
};

// With `shares` of 1 this is loopy belief propagation, whose log Z is Bethe's: entropy is that of the
// variables less the information within each factor. A share below 1 counts that much of a factor's
// information. If shares are those of random sets of factors without loop, the entropy is never too low,
// so that log Z, once messages are settled, is an upper bound (Wainwright, Jaakkola and Willsky 2005).
class FactorBeliefPropagation {
 public:
  // Throws std::invalid_argument if a share is not above 0 and at most 1.
  FactorBeliefPropagation(FactorScopes scopes, std::vector<double> shares);

  // All messages go at once, each mixed, in logs, with `damping` parts of the one before it; if they are
  // slow to settle, they are made of several iterations (Anderson's acceleration), which changes where
  // they go but not where they can settle. Ends when the beliefs agree within `tolerance`. Numbers may
  // be -infinity. Throws ImpossibleFactors, and Stopped.
  FactorBeliefs propagate(std::span<const double> log_values, std::size_t max_iterations,
                          double tolerance, double damping, Run& run);

 private:
  double send(std::size_t f, std::span<const double> log_values, double damping);
  void gather(Variable v);
  double log_sum(std::size_t f, std::span<const double> log_values, double* cells) const;

  FactorScopes scopes_;
  std::vector<double> shares_;
  std::vector<std::size_t> wide_;                    // factors of more than one variable
  std::vector<std::vector<std::size_t>> places_;     // by factor and place in its scope: of the message
  std::vector<std::vector<std::size_t>> around_;     // by variable: places of the messages to it
  std::vector<std::vector<double>> weights_;         // their factors' shares
  std::vector<std::size_t> own_places_;              // by variable, in own_ and logs_
  std::vector<double> messages_;                     // to variables, in logs, the mean of each is 0
  std::vector<double> own_;                          // what the factors of one variable say
  std::vector<double> logs_;                         // beliefs of variables, in logs, not normalized
  std::vector<double> log_sums_;                     // of these, by variable
};

}  // namespace dagwright
