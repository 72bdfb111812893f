#include "dagwright/infer/relevance.hpp"

#include <numeric>

namespace dagwright {

namespace {

// Variables that some families tie together.
class Groups {
 public:
  explicit Groups(std::size_t n) : parent_(n) { std::iota(parent_.begin(), parent_.end(), 0u); }
  Variable find(Variable v) {
    while (parent_[v] != v) v = parent_[v] = parent_[parent_[v]];
    return v;
  }
  void join(Variable a, Variable b) { parent_[find(a)] = find(b); }

 private:
  std::vector<Variable> parent_;
};

}  // namespace

std::vector<Variable> relevant_families(const Network& network, const Question& question) {
  const std::size_t n = network.n_variables();
  std::vector<std::uint8_t> intervened(n, 0), observed(n, 0), wanted(n, 0);
  for (const Variable v : question.intervened) intervened[v] = observed[v] = 1;
  for (const Variable v : question.observed) observed[v] = 1;
  // Tables that nothing asked or observed depends on sum to one.
  std::vector<Variable> waiting(question.targets);
  if (question.every_variable) {
    waiting.resize(n);
    std::iota(waiting.begin(), waiting.end(), 0u);
  }
  waiting.insert(waiting.end(), question.observed.begin(), question.observed.end());
  waiting.insert(waiting.end(), question.soft.begin(), question.soft.end());
  while (!waiting.empty()) {
    const Variable v = waiting.back();
    waiting.pop_back();
    if (wanted[v] || intervened[v]) continue;
    wanted[v] = 1;
    for (const Variable parent : network.parents(v)) waiting.push_back(parent);
  }
  std::vector<Variable> out;
  if (question.probability_of_evidence || question.every_variable) {
    for (Variable v = 0; v < n; ++v) {
      if (wanted[v]) out.push_back(v);
    }
    return out;
  }
  Groups groups(n);
  for (Variable v = 0; v < n; ++v) {
    if (!wanted[v]) continue;
    Variable last = CliqueTree::kNone;
    for (const Variable u : network.family(v).scope) {
      if (observed[u]) continue;
      if (last != CliqueTree::kNone) groups.join(last, u);
      last = u;
    }
  }
  std::vector<std::uint8_t> asked(n, 0);
  for (const Variable v : question.targets) asked[groups.find(v)] = 1;
  for (Variable v = 0; v < n; ++v) {
    if (!wanted[v]) continue;
    for (const Variable u : network.family(v).scope) {
      if (observed[u]) continue;
      if (asked[groups.find(u)]) out.push_back(v);
      break;
    }
  }
  return out;
}

}  // namespace dagwright
