#include "dagwright/score/bde.hpp"

#include <cmath>
#include <stdexcept>
#include <utility>

#include "dagwright/base/order_free_sum.hpp"
#include "dagwright/score/log_gamma.hpp"

namespace dagwright {

BDe::Marginal marginals_of(std::vector<double> joint, std::vector<Arity> arities) {
  double cells = 1.0;
  for (const Arity arity : arities) cells *= arity;
  if (cells != static_cast<double>(joint.size())) {
    throw std::invalid_argument("the joint distribution has another shape than the data");
  }
  return [joint = std::move(joint), arities = std::move(arities)](
             const std::vector<Variable>& variables) {
    // How far one step of each of all variables moves in the marginal table.
    std::vector<std::size_t> stride(arities.size(), 0);
    std::size_t size = 1;
    for (std::size_t i = variables.size(); i-- > 0;) {
      stride[variables[i]] = size;
      size *= arities[variables[i]];
    }
    std::vector<double> sums(size, 0.0);
    std::vector<State> states(arities.size(), 0);
    std::size_t place = 0;
    for (const double probability : joint) {
      sums[place] += probability;
      for (std::size_t v = arities.size(); v-- > 0;) {  // count up like an odometer
        place += stride[v];
        if (++states[v] < arities[v]) break;
        place -= stride[v] * arities[v];
        states[v] = 0;
      }
    }
    return sums;
  };
}

SetScore::Values BDe::set_values(const FamilyCounts& counts) const {
  const FamilyShape& shape = counts.shape();
  constexpr double kMostCells = 5e7;  // of the prior's table, which is full
  if (shape.n_cells() > kMostCells) return {std::nan(""), 0.0};
  std::vector<Variable> variables = shape.family.parents;
  const std::vector<double> prior_of_parents = marginal_(variables);
  variables.push_back(shape.family.child);
  const std::vector<double> prior = marginal_(variables);
  const auto row_of = [&](std::size_t config) {
    const std::vector<State> states = counts.config_states(config);
    std::size_t row = 0;
    for (std::size_t i = 0; i < states.size(); ++i) row = row * shape.parent_arities[i] + states[i];
    return row;
  };
  OrderFreeSum joint, parents;
  counts.for_each_cell([&](Count c, std::size_t config, State state) {
    joint.add(LogGammaRatio(ess_ * prior[row_of(config) * shape.child_arity + state])(c));
  });
  counts.for_each_config([&](Count c, std::size_t config) {
    parents.add(LogGammaRatio(ess_ * prior_of_parents[row_of(config)])(c));
  });
  return {joint.value(), parents.value()};
}

}  // namespace dagwright
