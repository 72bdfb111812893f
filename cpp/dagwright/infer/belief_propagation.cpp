#include "dagwright/infer/belief_propagation.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "dagwright/infer/walk.hpp"

namespace dagwright {

namespace {

void normalize(std::vector<double>& values) {
  double total = 0;
  for (const double value : values) total += value;
  if (!(total > 0)) throw ImpossibleEvidence();
  for (double& value : values) value /= total;
}

// A family without what is observed.
struct Node {
  std::vector<Variable> scope;
  std::vector<View> views;  // one a variable, onto its message
  View table;
  const double* values;
  Walk walk;
};

struct Edge {
  std::size_t node, place;
};

}  // namespace

Beliefs belief_propagation(const Network& network, const Evidence& evidence,
                           std::span<const Variable> intervened, std::span<const Variable> variables,
                           std::size_t max_iterations, double tolerance, double damping, Run& run) {
  const std::size_t n = network.n_variables();
  std::vector<std::int32_t> observed(n, -1);
  std::vector<std::uint8_t> cut(n, 0);
  for (const auto& [v, state] : evidence.states) observed[v] = static_cast<std::int32_t>(state);
  for (const Variable v : intervened) cut[v] = 1;
  std::vector<std::vector<double>> own(n);  // what is known of each variable without its families
  for (Variable v = 0; v < n; ++v) own[v].assign(network.arity(v), 1.0);
  for (const auto& [v, likelihood] : evidence.likelihoods) {
    for (std::size_t s = 0; s < likelihood.size(); ++s) own[v][s] *= likelihood[s];
  }

  std::vector<Node> nodes;
  std::vector<std::vector<Edge>> edges(n);
  for (Variable f = 0; f < n; ++f) {
    if (cut[f]) continue;
    const Factor& family = network.family(f);
    std::vector<Variable> scope;
    std::vector<Arity> axes;
    std::vector<std::size_t> steps;
    std::size_t offset = 0, step = family.values.size();
    for (const Variable v : family.scope) {
      step /= network.arity(v);
      if (observed[v] >= 0) {
        offset += step * static_cast<std::size_t>(observed[v]);
        continue;
      }
      edges[v].push_back({nodes.size(), scope.size()});
      scope.push_back(v);
      axes.push_back(network.arity(v));
      steps.push_back(step);
    }
    Walk walk(std::move(axes));
    Node node{scope, {}, walk.view(steps), family.values.data() + offset, walk};
    if (scope.empty() && !(*node.values > 0)) {
      throw ImpossibleEvidence();
    }
    for (std::size_t i = 0; i < scope.size(); ++i) {
      std::vector<std::size_t> along(scope.size(), 0);
      along[i] = 1;
      node.views.push_back(walk.view(along));
    }
    nodes.push_back(std::move(node));
  }

  std::vector<std::vector<std::vector<double>>> to_variable(nodes.size()), to_node;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    for (const Variable v : nodes[i].scope) {
      const Arity r = network.arity(v);
      to_variable[i].emplace_back(r, 1.0 / r);
    }
  }
  to_node = to_variable;

  // All messages to v but one are multiplied: those before it times those after it.
  const auto send_from = [&](Variable v) {
    const auto& around = edges[v];
    std::vector<double> before = own[v];
    for (std::size_t k = 0; k < around.size(); ++k) {
      to_node[around[k].node][around[k].place] = before;
      const auto& message = to_variable[around[k].node][around[k].place];
      for (std::size_t s = 0; s < before.size(); ++s) before[s] *= message[s];
      normalize(before);
    }
    std::vector<double> after(before.size(), 1.0);
    for (std::size_t k = around.size(); k-- > 0;) {
      auto& sent = to_node[around[k].node][around[k].place];
      for (std::size_t s = 0; s < sent.size(); ++s) sent[s] *= after[s];
      normalize(sent);
      const auto& message = to_variable[around[k].node][around[k].place];
      for (std::size_t s = 0; s < after.size(); ++s) after[s] *= message[s];
      normalize(after);
    }
    return before;
  };

  Beliefs out;
  std::vector<double> changes(nodes.size());
  for (out.iterations = 0; out.iterations < max_iterations;) {
    ++out.iterations;
    for (Variable v = 0; v < n; ++v) {
      if (observed[v] < 0) send_from(v);
    }
    run.parallel_for(nodes.size(), [&](std::size_t i) {
      Node& node = nodes[i];
      changes[i] = 0;
      for (std::size_t k = 0; k < node.scope.size(); ++k) {
        std::vector<Walk::Input> in{{&node.table, node.values}};
        for (std::size_t j = 0; j < node.scope.size(); ++j) {
          if (j != k) in.push_back({&node.views[j], to_node[i][j].data()});
        }
        std::vector<double> message(to_variable[i][k].size(), 0.0);
        const Walk::Output to{&node.views[k], message.data()};
        Run alone = run.inner();
        node.walk.run(in, std::span(&to, 1), {}, alone);
        normalize(message);
        for (std::size_t s = 0; s < message.size(); ++s) {
          const double old = to_variable[i][k][s];
          message[s] = (1 - damping) * message[s] + damping * old;
          changes[i] = std::max(changes[i], std::abs(message[s] - old));
        }
        to_variable[i][k] = std::move(message);
      }
    });
    out.change = changes.empty() ? 0.0 : *std::max_element(changes.begin(), changes.end());
    if (out.change <= tolerance) break;
  }
  for (const Variable v : variables) {
    if (observed[v] >= 0) {
      std::vector<double> certain(network.arity(v), 0.0);
      certain[static_cast<std::size_t>(observed[v])] = 1.0;
      out.marginals.push_back(std::move(certain));
    } else {
      auto belief = send_from(v);
      normalize(belief);
      out.marginals.push_back(std::move(belief));
    }
  }
  return out;
}

}  // namespace dagwright
