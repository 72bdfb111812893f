// The neighbours of one spin: its row of couplings, by a convex loss of the spin given the others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "dagwright/base/run.hpp"
#include "dagwright/markov/spin_kernels.hpp"
#include "dagwright/markov/spins.hpp"

namespace dagwright {

// With u = x_target * (field + sum of coupling * x): the mean over rows of log(1 + e^(-2u)), which is
// minus the log-likelihood of the target given the others; of e^-u, the interaction screening
// objective (Vuffray et al. 2016); and the log of that mean.
enum class NeighbourhoodLoss : std::uint8_t { logistic, rise, log_rise };

// Couplings are held within this, and fields within three times this: where there is no minimum, as that
// of log_rise for two spins that always agree, this stands for infinity.
inline constexpr double kLargestCoupling = 20;

struct NeighbourhoodSettings {
  NeighbourhoodLoss loss = NeighbourhoodLoss::logistic;
  double ridge = 0;         // half of it times the sum of squares of the couplings is added
  double tolerance = 1e-8;  // of the residual
  std::uint32_t max_steps = 200;
};

struct Neighbourhood {
  double penalty = 0;
  double field = 0;                 // infinite for a target that is constant
  std::vector<Variable> variables;  // those whose coupling is not 0, rising
  std::vector<double> couplings;
  double loss = 0;      // without penalty and ridge
  double residual = 0;  // the largest violation of the conditions of the minimum
  std::uint32_t steps = 0;
};

// Minimises loss + penalty * sum |coupling| + ridge / 2 * sum of squares; the field is free. A step goes
// towards the minimum of the quadratic model with the penalty (a proximal Newton step) over the couplings
// that are not 0 and those that want to be most; the gradient is that of all candidates, so nothing is
// left out in the end. The curvature is that of some rows as long as that is enough.
class NeighbourhoodSolver {
 public:
  NeighbourhoodSolver(const Spins& spins, Variable target, std::vector<Variable> candidates,
                      const NeighbourhoodSettings& settings);

  // From where the last call ended; at first from no couplings. Throws Stopped.
  Neighbourhood minimise(double penalty, Run& run);
  // Begins at these couplings, one a candidate.
  void start(double field, const std::vector<double>& couplings);
  // The smallest penalty at which no coupling is wanted.
  double largest_penalty() const;

 private:
  struct Model;  // gradient and curvature of the couplings that a step may change
  double evaluate(double field, const std::vector<double>& couplings);
  void find_gradient();
  double residual(double penalty) const;
  double residual_of_field() const;
  double residual_of(std::size_t candidate, double penalty) const;
  std::vector<std::size_t> free_couplings(double penalty) const;
  Model model_of(const std::vector<std::size_t>& free, std::size_t stride);
  double step_towards(const std::vector<double>& aim, const std::vector<std::size_t>& free,
                      double penalty);
  double objective(double loss, const std::vector<double>& couplings, double penalty) const;

  const Spins& spins_;
  const SpinKernels& kernels_;
  Variable target_;
  std::vector<Variable> candidates_;
  std::vector<const SpinWord*> columns_;
  NeighbourhoodSettings settings_;
  bool constant_ = false;
  double field_ = 0;
  std::vector<double> couplings_;  // one a candidate
  double loss_ = 0;
  double by_field_ = 0;              // derivatives of the loss, with the ridge
  std::vector<double> by_coupling_;
  std::vector<double> lean_, first_, second_;  // one a row
};

// The loss of a target at given couplings and its derivatives by the field and by each of the couplings.
struct NeighbourhoodGradient {
  double loss = 0;
  double by_field = 0;
  std::vector<double> by_coupling;
};
NeighbourhoodGradient neighbourhood_gradient(const Spins& spins, Variable target, double field,
                                             const std::vector<Variable>& variables,
                                             const std::vector<double>& couplings,
                                             NeighbourhoodLoss loss);

}  // namespace dagwright
