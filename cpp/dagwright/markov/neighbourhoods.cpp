#include "dagwright/markov/neighbourhoods.hpp"

#include <cmath>
#include <utility>

namespace dagwright {

namespace {

ChosenNeighbourhood choose_one(const Spins& spins, Variable target,
                               const std::vector<Variable>& candidates,
                               const ExtendedBic& criterion, const NeighbourhoodSettings& settings,
                               Run& run) {
  NeighbourhoodSettings of_fit = settings;
  of_fit.loss = NeighbourhoodLoss::logistic;
  of_fit.ridge = 0;
  const double price =
      0.5 * std::log(criterion.n_rows) + criterion.gamma * std::log(criterion.n_possible);
  NeighbourhoodSolver solver(spins, target, candidates, settings);
  const double largest = solver.largest_penalty();
  ChosenNeighbourhood chosen;
  std::vector<Variable> last;
  double best = 0, last_criterion = 0;
  std::size_t worse = 0;
  for (std::size_t k = 0; k < criterion.n_penalties; ++k) {
    const double share = static_cast<double>(k) / static_cast<double>(criterion.n_penalties);
    Neighbourhood found = solver.minimise(largest * std::pow(criterion.smallest, share), run);
    const bool is_new = k == 0 || found.variables != last;
    if (is_new) {
      NeighbourhoodSolver fit(spins, target, found.variables, of_fit);
      fit.start(found.field, found.couplings);
      const double loss = fit.minimise(0.0, run).loss;
      last_criterion = -criterion.n_rows * loss - price * static_cast<double>(found.variables.size());
      last = found.variables;
    }
    chosen.path.push_back({found.penalty, found.variables.size(), last_criterion});
    if (k == 0 || last_criterion > best) {
      best = last_criterion;
      chosen.best = std::move(found);
      worse = 0;
    } else if (is_new && ++worse == criterion.patience) {
      break;
    }
  }
  return chosen;
}

// fn(target) for all; what is done stays when the run is stopped.
template <class Fn>
void for_each_target(std::size_t n, Run& run, Fn&& fn) {
  try {
    run.parallel_for(n, [&](std::size_t target) { fn(static_cast<Variable>(target)); });
  } catch (const Stopped&) {
  }
}

}  // namespace

std::vector<std::vector<Neighbourhood>> neighbourhoods(const Spins& spins,
                                                       const Candidates& candidates,
                                                       const std::vector<double>& penalties,
                                                       const NeighbourhoodSettings& settings,
                                                       Run& run) {
  std::vector<std::vector<Neighbourhood>> found(spins.n_variables());
  for_each_target(found.size(), run, [&](Variable target) {
    NeighbourhoodSolver solver(spins, target, candidates[target], settings);
    std::vector<Neighbourhood> own;
    for (const double penalty : penalties) own.push_back(solver.minimise(penalty, run));
    found[target] = std::move(own);
  });
  return found;
}

std::vector<ChosenNeighbourhood> choose_neighbourhoods(const Spins& spins,
                                                       const Candidates& candidates,
                                                       const ExtendedBic& criterion,
                                                       const NeighbourhoodSettings& settings,
                                                       Run& run) {
  std::vector<ChosenNeighbourhood> found(spins.n_variables());
  for_each_target(found.size(), run, [&](Variable target) {
    found[target] = choose_one(spins, target, candidates[target], criterion, settings, run);
  });
  return found;
}

std::vector<NeighbourhoodGradient> neighbourhood_gradients(
    const Spins& spins, const std::vector<double>& fields, const Candidates& variables,
    const std::vector<std::vector<double>>& couplings, NeighbourhoodLoss loss, Run& run) {
  std::vector<NeighbourhoodGradient> found(spins.n_variables());
  for_each_target(found.size(), run, [&](Variable target) {
    found[target] = neighbourhood_gradient(spins, target, fields[target], variables[target],
                                           couplings[target], loss);
  });
  if (run.stopping()) found.clear();
  return found;
}

}  // namespace dagwright
