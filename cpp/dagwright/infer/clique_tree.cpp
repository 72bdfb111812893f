#include "dagwright/infer/clique_tree.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "dagwright/infer/elimination_order.hpp"
#include "dagwright/infer/relevance.hpp"

namespace dagwright {

namespace {

void sort_out(std::vector<std::vector<std::uint32_t>>& lists) {
  for (auto& list : lists) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }
}

}  // namespace

CliqueTree::CliqueTree(std::shared_ptr<const Network> network, const Question& question, Run& run)
    : network_(std::move(network)) {
  const std::size_t n = network_->n_variables();
  for (const auto* group :
       {&question.targets, &question.observed, &question.intervened, &question.soft}) {
    for (const Variable v : *group) {
      if (v >= n) throw std::invalid_argument("an unknown variable");
    }
  }
  families_ = relevant_families(*network_, question);
  std::vector<std::uint8_t> observed(n, 0);
  for (const Variable v : question.observed) observed[v] = 1;
  for (const Variable v : question.intervened) observed[v] = 1;

  for (const Variable v : question.targets) {
    if (observed[v]) throw std::invalid_argument("a target is observed");
  }

  // The variables of the tree get numbers of their own.
  std::vector<std::uint32_t> number(n, kNone);
  std::vector<Variable> variables;
  const auto take = [&](Variable v) {
    if (observed[v] || number[v] != kNone) return;
    number[v] = static_cast<std::uint32_t>(variables.size());
    variables.push_back(v);
  };
  for (const Variable f : families_) {
    for (const Variable v : network_->family(f).scope) take(v);
  }
  for (const Variable v : question.targets) take(v);
  for (const Variable v : question.soft) take(v);

  InteractionGraph graph;
  graph.neighbors.resize(variables.size());
  for (const Variable v : variables) graph.arities.push_back(network_->arity(v));
  std::vector<std::uint32_t> members;
  const auto join_all = [&] {
    for (const std::uint32_t a : members) {
      for (const std::uint32_t b : members) {
        if (a != b) graph.neighbors[a].push_back(b);
      }
    }
  };
  for (const Variable f : families_) {
    members.clear();
    for (const Variable v : network_->family(f).scope) {
      if (!observed[v]) members.push_back(number[v]);
    }
    join_all();
  }
  std::vector<std::uint8_t> stages(variables.size(), 0);
  members.clear();
  for (const Variable v : question.targets) {
    members.push_back(number[v]);
    stages[number[v]] = 1;
  }
  if (!question.maximize_targets) join_all();
  sort_out(graph.neighbors);

  const Elimination elimination = best_elimination(graph, stages, run);
  std::vector<std::uint32_t> position(variables.size());
  for (std::uint32_t i = 0; i < elimination.order.size(); ++i) position[elimination.order[i]] = i;

  // One clique a variable at first, with its later neighbours in the order of elimination. A clique that
  // its child contains is merged into the child, if both are summed or both maximised.
  const std::size_t size = variables.size();
  std::vector<std::vector<std::uint32_t>> later(size);  // places in the order, not numbers
  for (std::uint32_t i = 0; i < size; ++i) {
    for (const std::uint32_t u : elimination.later[i]) later[i].push_back(position[u]);
    std::sort(later[i].begin(), later[i].end());
  }
  const auto stage_at = [&](std::uint32_t place) { return stages[elimination.order[place]]; };
  const bool one_stage = !question.maximize_targets;
  std::vector<std::uint32_t> clique_at(size, kNone);
  home_.assign(n, kNone);
  for (std::uint32_t i = 0; i < size; ++i) {
    std::uint32_t own = clique_at[i];
    if (own == kNone) {
      own = static_cast<std::uint32_t>(cliques_.size());
      Clique clique;
      clique.scope.push_back(variables[elimination.order[i]]);
      for (const std::uint32_t place : later[i]) {
        clique.scope.push_back(variables[elimination.order[place]]);
      }
      clique.maximize = question.maximize_targets && stage_at(i) == 1;
      cliques_.push_back(std::move(clique));
    }
    cliques_[own].n_own++;
    home_[variables[elimination.order[i]]] = own;
    if (!later[i].empty()) {
      const std::uint32_t next = later[i].front();
      if (clique_at[next] == kNone && later[next].size() + 1 == later[i].size() &&
          (one_stage || stage_at(i) == stage_at(next))) {
        clique_at[next] = own;
      }
    }
  }
  for (std::uint32_t i = 0; i < size; ++i) order_.push_back(variables[elimination.order[i]]);
  // The parent eliminates the first shared variable. Merging made some parents come before their
  // children; the last variable that each eliminates puts that right.
  for (std::uint32_t c = 0; c < cliques_.size(); ++c) {
    const auto shared = cliques_[c].shared();
    if (!shared.empty()) cliques_[c].parent = home_[shared.front()];
  }
  std::vector<std::uint32_t> sorted(cliques_.size());
  std::iota(sorted.begin(), sorted.end(), 0u);
  const auto last_own = [&](std::uint32_t c) {
    return position[number[cliques_[c].scope[cliques_[c].n_own - 1]]];
  };
  std::sort(sorted.begin(), sorted.end(),
            [&](std::uint32_t a, std::uint32_t b) { return last_own(a) < last_own(b); });
  std::vector<std::uint32_t> renamed(cliques_.size());
  std::vector<Clique> in_order;
  for (const std::uint32_t c : sorted) {
    renamed[c] = static_cast<std::uint32_t>(in_order.size());
    in_order.push_back(std::move(cliques_[c]));
  }
  cliques_ = std::move(in_order);
  for (auto& home : home_) {
    if (home != kNone) home = renamed[home];
  }
  for (std::uint32_t c = 0; c < cliques_.size(); ++c) {
    if (cliques_[c].parent == kNone) continue;
    cliques_[c].parent = renamed[cliques_[c].parent];
    cliques_[cliques_[c].parent].children.push_back(c);
  }

  // A family is multiplied where the first of its variables goes: that clique has them all.
  for (const Variable f : families_) {
    std::uint32_t first = kNone;
    for (const Variable v : network_->family(f).scope) {
      if (!observed[v]) first = std::min(first, position[number[v]]);
    }
    if (first == kNone) {
      constants_.push_back(f);
    } else {
      cliques_[home_[variables[elimination.order[first]]]].families.push_back(f);
    }
  }

  if (!question.targets.empty() && !question.maximize_targets) {
    double answer = sizeof(double);
    for (const Variable v : question.targets) answer *= network_->arity(v);
    bytes_ += answer;
  }
  for (const Clique& clique : cliques_) {
    double all = 1.0, message = 1.0, own = 1.0;
    for (std::size_t i = 0; i < clique.scope.size(); ++i) {
      all *= network_->arity(clique.scope[i]);
      (i < clique.n_own ? own : message) *= network_->arity(clique.scope[i]);
    }
    cells_ += all;
    // Each way all tables are multiplied, and what comes out is summed.
    const auto tables = static_cast<double>(clique.families.size() + clique.children.size());
    operations_ += all * (2 * tables + 3);
    largest_ = std::max(largest_, all);
    bytes_ += 2 * sizeof(double) * message;
    own_bytes_ = std::max(own_bytes_, sizeof(double) * own);
  }
}

}  // namespace dagwright
