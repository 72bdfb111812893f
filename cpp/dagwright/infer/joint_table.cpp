#include "dagwright/infer/joint_table.hpp"

#include <algorithm>
#include <utility>

#include "dagwright/infer/propagation.hpp"

namespace dagwright {

std::vector<double> joint_table(std::shared_ptr<const Network> network,
                                const std::vector<Variable>& variables) {
  if (variables.empty()) return {1.0};
  Question question;
  question.targets = variables;
  question.probability_of_evidence = false;
  std::sort(question.targets.begin(), question.targets.end());
  Run run;
  const auto tree = std::make_shared<const CliqueTree>(network, question, run);
  Propagation propagation(tree);
  const auto sorted = propagation.joint(question.targets, run);
  if (question.targets == variables) return sorted;
  // From the sorted axes to those asked for.
  std::vector<std::size_t> step(network->n_variables(), 0);
  std::size_t size = 1;
  for (std::size_t i = variables.size(); i-- > 0;) {
    step[variables[i]] = size;
    size *= network->arity(variables[i]);
  }
  std::vector<double> out(size);
  std::vector<State> states(variables.size(), 0);
  std::size_t place = 0;
  for (const double value : sorted) {
    out[place] = value;
    for (std::size_t i = variables.size(); i-- > 0;) {
      const Variable v = question.targets[i];
      place += step[v];
      if (++states[i] < network->arity(v)) break;
      place -= step[v] * network->arity(v);
      states[i] = 0;
    }
  }
  return out;
}

}  // namespace dagwright
