#include "dagwright/infer/propagation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <stdexcept>
#include <unordered_map>

#include "dagwright/base/rng.hpp"

namespace dagwright {

namespace {

constexpr std::size_t kFewTables = 8;

// Scales the largest value to [0.5, 1) by a power of two, which is returned.
double scale(std::vector<double>& values) {
  const double largest = *std::max_element(values.begin(), values.end());
  if (largest <= 0) return 0;
  int exponent = 0;
  std::frexp(largest, &exponent);
  if (exponent == 0) return 0;
  if (exponent < -1000) {  // two to the other power would be infinite
    for (double& value : values) value = std::ldexp(value, -exponent);
  } else {
    const double factor = std::ldexp(1.0, -exponent);
    for (double& value : values) value *= factor;
  }
  return exponent;
}

// From logs, if they are that, to numbers whose largest is 1.
void from_logs(std::vector<double>& values, bool logs) {
  if (!logs) return;
  const double largest = *std::max_element(values.begin(), values.end());
  for (double& value : values) value = std::exp(value - largest);
}

void normalize(std::vector<double>& values) {
  double total = 0;
  for (const double value : values) total += value;
  for (double& value : values) value /= total;
}

}  // namespace

Propagation::Propagation(std::shared_ptr<const CliqueTree> tree)
    : tree_(std::move(tree)),
      observed_(tree_->network().n_variables(), -1),
      likelihood_(tree_->network().n_variables()),
      plans_(tree_->cliques().size()),
      up_(plans_.size()),
      down_(plans_.size()),
      up_exponent_(plans_.size(), 0.0) {
  constexpr double kMostCells = 1e18;  // numbers of cells are 64 bits wide
  if (tree_->largest() > kMostCells) throw std::length_error("a clique has too many cells");
}

void Propagation::set(Evidence evidence) {
  const Network& network = tree_->network();
  const auto& cliques = tree_->cliques();
  std::vector<std::int32_t> observed(network.n_variables(), -1);
  for (const auto& [v, state] : evidence.states) {
    if (v >= network.n_variables() || state >= network.arity(v)) {
      throw std::invalid_argument("evidence on an unknown variable or state");
    }
    observed[v] = static_cast<std::int32_t>(state);
  }
  std::vector<std::vector<double>> likelihood(network.n_variables());
  for (auto& [v, values] : evidence.likelihoods) {
    if (v >= network.n_variables() || values.size() != network.arity(v)) {
      throw std::invalid_argument("a likelihood has one number a state");
    }
    if (likelihood[v].empty()) {
      likelihood[v] = std::move(values);
    } else {
      for (std::size_t s = 0; s < values.size(); ++s) likelihood[v][s] *= values[s];
    }
  }
  // A clique is made anew when one of its variables or of its families' has other evidence, and so is
  // what it sends; it sends on what its children send.
  const auto changed = [&](Variable v) {
    return observed[v] != observed_[v] || likelihood[v] != likelihood_[v];
  };
  std::vector<std::uint8_t> stale(cliques.size(), 0);
  for (std::uint32_t c = 0; c < cliques.size(); ++c) {  // children come first
    for (const Variable v : cliques[c].scope) {
      if (!changed(v)) continue;
      stale[c] = 1;
      if (likelihood[v].empty() != likelihood_[v].empty() || (observed[v] < 0) != is_free(v)) {
        plans_[c].valid = false;
      }
    }
    for (const Variable f : cliques[c].families) {
      for (const Variable v : network.family(f).scope) stale[c] |= observed[v] != observed_[v];
    }
    if (!stale[c]) continue;
    up_[c].valid = false;
    if (cliques[c].parent != CliqueTree::kNone) stale[cliques[c].parent] = 1;
  }
  observed_ = std::move(observed);
  likelihood_ = std::move(likelihood);
  if (logs_) {  // the new evidence may do without
    logs_ = false;
    forget_messages();
  }
  if (std::any_of(stale.begin(), stale.end(), [](std::uint8_t s) { return s != 0; })) {
    for (Message& message : down_) message.valid = false;
  }
}

double Propagation::cells() const {
  double total = 0;
  for (const auto& clique : tree_->cliques()) {
    double own = 1;
    for (const Variable v : clique.scope) own *= is_free(v) ? tree_->network().arity(v) : 1;
    total += own;
  }
  return total;
}

double Propagation::cells_of(std::span<const Variable> variables) const {
  double cells = 1;
  for (const Variable v : variables) cells *= tree_->network().arity(v);
  return cells;
}

View Propagation::view_of(const Plan& plan, std::span<const Variable> scope) const {
  std::vector<std::size_t> steps(plan.scope.size(), 0);
  std::size_t step = 1;
  for (std::size_t i = scope.size(); i-- > 0;) {
    const auto at = std::find(plan.scope.begin(), plan.scope.end(), scope[i]);
    if (at != plan.scope.end()) steps[static_cast<std::size_t>(at - plan.scope.begin())] = step;
    step *= tree_->network().arity(scope[i]);
  }
  return plan.walk->view(steps);
}

const Propagation::Plan& Propagation::plan(std::uint32_t c) {
  Plan& plan = plans_[c];
  if (plan.valid) return plan;
  const Network& network = tree_->network();
  const auto& clique = tree_->cliques()[c];
  const auto free_of = [&](std::span<const Variable> scope) {
    std::vector<Variable> out;
    for (const Variable v : scope) {
      if (is_free(v)) out.push_back(v);
    }
    return out;
  };
  plan = {};
  plan.scope = free_of(clique.scope);
  plan.n_own = free_of(std::span(clique.scope).first(clique.n_own)).size();
  std::vector<Arity> axes;
  for (const Variable v : plan.scope) axes.push_back(network.arity(v));
  plan.walk.emplace(std::move(axes));
  for (const Variable f : clique.families) {
    plan.families.push_back(view_of(plan, network.family(f).scope));
  }
  for (const std::uint32_t child : clique.children) {
    plan.children.push_back(view_of(plan, free_of(tree_->cliques()[child].shared())));
  }
  for (const Variable v : std::span(clique.scope).first(clique.n_own)) {
    if (likelihood_[v].empty() || !is_free(v)) continue;
    plan.with_likelihood.push_back(v);
    plan.likelihoods.push_back(view_of(plan, std::span(&v, 1)));
  }
  plan.up = view_of(plan, free_of(clique.shared()));
  plan.valid = true;
  return plan;
}

// Where the known states put the first cell of a table.
std::size_t Propagation::offset_of(std::span<const Variable> scope,
                                   std::span<const std::int32_t> states) const {
  std::size_t offset = 0, step = 1;
  for (std::size_t i = scope.size(); i-- > 0;) {
    if (states[scope[i]] >= 0) offset += step * static_cast<std::size_t>(states[scope[i]]);
    step *= tree_->network().arity(scope[i]);
  }
  return offset;
}

Propagation::Inputs Propagation::inputs(std::uint32_t c, bool with_down) {
  const Plan& own = plan(c);
  const auto& clique = tree_->cliques()[c];
  Inputs out;
  for (std::size_t i = 0; i < clique.families.size(); ++i) {
    const Variable f = clique.families[i];
    const std::size_t offset = offset_of(tree_->network().family(f).scope, observed_);
    out.tables.push_back({&own.families[i], values_of(f).data() + offset});
  }
  for (std::size_t i = 0; i < clique.children.size(); ++i) {
    out.tables.push_back({&own.children[i], up_[clique.children[i]].values.data()});
  }
  for (std::size_t i = 0; i < own.with_likelihood.size(); ++i) {
    out.tables.push_back({&own.likelihoods[i], likelihood_of(own.with_likelihood[i]).data()});
  }
  if (with_down && clique.parent != CliqueTree::kNone) {
    out.tables.push_back({&own.up, down_[c].values.data()});
  }
  if (out.tables.size() > kFewTables && !logs_) combine(own, out);
  return out;
}

// The product of hundreds of tables, of the children of one variable say, would be zero before it is
// summed. Those over the same variables are multiplied first, and scaled after every few.
void Propagation::combine(const Plan& plan, Inputs& inputs) const {
  std::map<std::vector<bool>, std::vector<Walk::Input>> groups;
  for (const Walk::Input& input : inputs.tables) {
    std::vector<bool> axes;
    for (const std::size_t step : input.view->steps) axes.push_back(step != 0);
    groups[axes].push_back(input);
  }
  inputs.tables.clear();
  for (const auto& [axes, members] : groups) {
    if (members.size() == 1) {
      inputs.tables.push_back(members[0]);
      continue;
    }
    std::vector<Variable> scope;
    std::vector<Arity> sizes;
    for (std::size_t i = 0; i < axes.size(); ++i) {
      if (!axes[i]) continue;
      scope.push_back(plan.scope[i]);
      sizes.push_back(tree_->network().arity(plan.scope[i]));
    }
    const Walk walk(std::move(sizes));
    const auto narrowed = [&](const Walk::Input& input) {
      std::vector<std::size_t> steps;
      for (std::size_t i = 0; i < axes.size(); ++i) {
        if (axes[i]) steps.push_back(input.view->steps[i]);
      }
      return walk.view(steps);
    };
    std::vector<double> product(walk.n_cells(), 1.0);
    Run alone;
    for (std::size_t begin = 0; begin < members.size(); begin += kFewTables) {
      const std::size_t end = std::min(begin + kFewTables, members.size());
      std::vector<View> views;
      std::vector<Walk::Input> some;
      views.reserve(end - begin + 2);
      for (std::size_t i = begin; i < end; ++i) {
        views.push_back(narrowed(members[i]));
        some.push_back({&views.back(), members[i].values});
      }
      const auto before = product;
      std::vector<std::size_t> compact(scope.size());
      std::size_t step = 1;
      for (std::size_t i = scope.size(); i-- > 0;) {
        compact[i] = step;
        step *= tree_->network().arity(scope[i]);
      }
      views.push_back(walk.view(compact));
      some.push_back({&views.back(), before.data()});
      std::fill(product.begin(), product.end(), 0.0);
      const Walk::Output out{&views.back(), product.data()};
      walk.run(some, std::span(&out, 1), {}, alone);
      inputs.exponent += scale(product);
    }
    inputs.products.push_back(std::move(product));
    inputs.views.push_back(std::make_unique<View>(view_of(plan, scope)));
    inputs.tables.push_back({inputs.views.back().get(), inputs.products.back().data()});
  }
}

const std::vector<double>& Propagation::values_of(Variable family) const {
  return logs_ ? log_families_[family] : tree_->network().family(family).values;
}

const std::vector<double>& Propagation::likelihood_of(Variable v) const {
  return logs_ ? log_likelihood_[v] : likelihood_[v];
}

void Propagation::forget_messages() {
  for (Message& message : up_) message.valid = false;
  for (Message& message : down_) message.valid = false;
}

// Whether a product of what the tree has may be too small for a double though none of its factors is zero.
bool Propagation::may_underflow() const {
  double smallest = 0;
  for (const Variable f : tree_->families()) smallest += std::log2(tree_->network().smallest(f));
  for (const auto& likelihood : likelihood_) {
    double least = 1;
    for (const double value : likelihood) {
      if (value > 0) least = std::min(least, value);
    }
    smallest += std::log2(least);
  }
  return smallest < -1000;
}

void Propagation::go_on_in_logs() {
  logs_ = true;
  forget_messages();
  const auto in_logs = [](const std::vector<double>& values) {
    std::vector<double> out;
    for (const double value : values) out.push_back(std::log(value));
    return out;
  };
  log_families_.resize(observed_.size());
  for (const Variable f : tree_->families()) {
    log_families_[f] = in_logs(tree_->network().family(f).values);
  }
  log_likelihood_.clear();
  for (const auto& likelihood : likelihood_) log_likelihood_.push_back(in_logs(likelihood));
}

void Propagation::collect(bool maximize_all, Run& run) {
  if (maximize_all != maximized_all_) {
    forget_messages();
    maximized_all_ = maximize_all;
  }
  send_up(run);
  if (logs_ || log_total() > -std::numeric_limits<double>::infinity() || !may_underflow()) return;
  go_on_in_logs();
  send_up(run);
}

void Propagation::send_up(Run& run) {
  const auto& cliques = tree_->cliques();
  for (std::uint32_t c = 0; c < cliques.size(); ++c) {
    if (up_[c].valid) continue;
    run.check_inside();
    const Plan& own = plan(c);
    auto& values = up_[c].values;
    const Arithmetic arithmetic{maximized_all_ || cliques[c].maximize, logs_};
    values.assign(static_cast<std::size_t>(cells_of(std::span(own.scope).subspan(own.n_own))),
                  arithmetic.nothing());
    const auto in = inputs(c, false);
    const Walk::Output out{&own.up, values.data()};
    own.walk->run(in.tables, std::span(&out, 1), arithmetic, run);
    up_exponent_[c] = logs_ ? 0 : in.exponent + scale(values);
    up_[c].valid = true;
  }
}

double Propagation::log_probability(Run& run) {
  collect(false, run);
  return log_total();
}

double Propagation::log_total() const {
  double log = 0;
  double exponent = 0;
  const auto& cliques = tree_->cliques();
  for (std::uint32_t c = 0; c < cliques.size(); ++c) {
    exponent += up_exponent_[c];
    if (cliques[c].parent != CliqueTree::kNone) continue;
    log += logs_ ? up_[c].values[0] : std::log(up_[c].values[0]);
  }
  for (const Variable f : tree_->constants()) {
    const Factor& factor = tree_->network().family(f);
    log += std::log(factor.values[offset_of(factor.scope, observed_)]);
  }
  for (Variable v = 0; v < observed_.size(); ++v) {
    if (!is_free(v) && !likelihood_[v].empty()) {
      log += std::log(likelihood_[v][static_cast<std::size_t>(observed_[v])]);
    }
  }
  return log + exponent * std::numbers::ln2;
}

void Propagation::collect_possible(bool maximize_all, Run& run) {
  collect(maximize_all, run);
  if (!(log_total() > -std::numeric_limits<double>::infinity())) throw ImpossibleEvidence();
}

void Propagation::make_down(std::uint32_t parent, std::span<const std::size_t> places, Run& run) {
  run.check_inside();
  const Plan& own = plan(parent);
  const auto& clique = tree_->cliques()[parent];
  const auto in = inputs(parent, true);
  const Arithmetic arithmetic{false, logs_};
  std::vector<Walk::Output> out;
  for (const std::size_t at : places) {
    const std::uint32_t child = clique.children[at];
    auto& values = down_[child].values;
    values.assign(up_[child].values.size(), arithmetic.nothing());
    out.push_back({&own.children[at], values.data()});
  }
  own.walk->run(in.tables, out, arithmetic, run);
  for (const std::size_t at : places) {
    const std::uint32_t child = clique.children[at];
    auto& values = down_[child].values;
    const auto& up = up_[child].values;
    // What came from the child is taken out again. Where that was zero, so is the child's own table.
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (up[i] <= arithmetic.nothing()) {
        values[i] = arithmetic.nothing();
      } else {
        values[i] = logs_ ? values[i] - up[i] : values[i] / up[i];
      }
    }
    if (!logs_) scale(values);
    down_[child].valid = true;
  }
}

const Propagation::Message& Propagation::down(std::uint32_t c, Run& run) {
  // From the nearest clique above that has its message.
  std::vector<std::uint32_t> path;
  const auto& cliques = tree_->cliques();
  for (std::uint32_t at = c; cliques[at].parent != CliqueTree::kNone && !down_[at].valid;
       at = cliques[at].parent) {
    path.push_back(at);
  }
  for (std::size_t i = path.size(); i-- > 0;) {
    const auto& siblings = cliques[cliques[path[i]].parent].children;
    const auto place = static_cast<std::size_t>(
        std::find(siblings.begin(), siblings.end(), path[i]) - siblings.begin());
    make_down(cliques[path[i]].parent, std::span(&place, 1), run);
  }
  return down_[c];
}

std::vector<double> Propagation::from_clique(std::uint32_t c, std::span<const Variable> variables,
                                             Run& run) {
  down(c, run);
  const Plan& own = plan(c);
  const Arithmetic arithmetic{false, logs_};
  std::vector<double> values(static_cast<std::size_t>(cells_of(variables)), arithmetic.nothing());
  const View view = view_of(own, variables);
  const Walk::Output out{&view, values.data() + offset_of(variables, observed_)};
  const Inputs in = inputs(c, true);
  own.walk->run(in.tables, std::span(&out, 1), arithmetic, run);
  from_logs(values, logs_);
  normalize(values);
  return values;
}

std::vector<std::vector<double>> Propagation::marginals(std::span<const Variable> variables,
                                                        Run& run) {
  collect_possible(false, run);
  const Arithmetic arithmetic{false, logs_};
  const auto& cliques = tree_->cliques();
  const Network& network = tree_->network();
  // Where each variable is taken from: the smallest message with it, or else the clique it goes in.
  std::vector<std::uint32_t> source(network.n_variables(), CliqueTree::kNone);
  std::vector<double> size(network.n_variables(), std::numeric_limits<double>::infinity());
  std::vector<std::uint8_t> wanted(network.n_variables(), 0);
  for (const Variable v : variables) wanted[v] = is_free(v);
  for (std::uint32_t c = 0; c < cliques.size(); ++c) {
    const double cells = static_cast<double>(up_[c].values.size());
    for (const Variable v : cliques[c].shared()) {
      if (wanted[v] && cells < size[v]) {
        size[v] = cells;
        source[v] = c;
      }
    }
  }
  std::vector<std::uint8_t> needs_down(cliques.size(), 0);  // a message from above
  std::vector<std::vector<Variable>> inside(cliques.size());
  for (Variable v = 0; v < network.n_variables(); ++v) {
    if (!wanted[v]) continue;
    std::uint32_t c = source[v];
    if (c == CliqueTree::kNone) {
      c = tree_->home(v);
      if (c == CliqueTree::kNone) throw std::invalid_argument("the tree was made without it");
      inside[c].push_back(v);
    }
    for (; c != CliqueTree::kNone && !needs_down[c]; c = cliques[c].parent) needs_down[c] = 1;
  }
  std::vector<std::vector<double>> by_variable(network.n_variables());
  for (std::uint32_t c = static_cast<std::uint32_t>(cliques.size()); c-- > 0;) {  // parents first
    const auto& clique = cliques[c];
    std::vector<std::size_t> missing;
    for (std::size_t at = 0; at < clique.children.size(); ++at) {
      const std::uint32_t child = clique.children[at];
      if (needs_down[child] && !down_[child].valid) missing.push_back(at);
    }
    if (missing.empty() && inside[c].empty()) continue;
    if (!missing.empty()) make_down(c, missing, run);
    if (inside[c].empty()) continue;
    const Plan& own = plan(c);
    std::vector<View> views;
    views.reserve(inside[c].size());
    std::vector<Walk::Output> out;
    for (const Variable v : inside[c]) {
      by_variable[v].assign(network.arity(v), arithmetic.nothing());
      views.push_back(view_of(own, std::span(&v, 1)));
      out.push_back({&views.back(), by_variable[v].data()});
    }
    const Inputs in = inputs(c, true);
    own.walk->run(in.tables, out, arithmetic, run);
    for (const Variable v : inside[c]) from_logs(by_variable[v], logs_);
  }
  std::vector<std::vector<double>> result;
  for (const Variable v : variables) {
    if (!is_free(v)) {
      std::vector<double> certain(network.arity(v), 0.0);
      certain[static_cast<std::size_t>(observed_[v])] = 1.0;
      result.push_back(std::move(certain));
      continue;
    }
    auto& values = by_variable[v];
    const std::uint32_t c = source[v];
    if (values.empty()) {  // up times down is the posterior of what is shared
      values.assign(network.arity(v), 0.0);
      std::size_t step = up_[c].values.size();
      for (const Variable u : cliques[c].shared()) {
        if (!is_free(u)) continue;
        step /= network.arity(u);
        if (u == v) break;
      }
      std::vector<double> both = up_[c].values;
      for (std::size_t i = 0; i < both.size(); ++i) {
        both[i] = logs_ ? both[i] + down_[c].values[i] : both[i] * down_[c].values[i];
      }
      from_logs(both, logs_);
      for (std::size_t i = 0; i < both.size(); ++i) values[i / step % network.arity(v)] += both[i];
    }
    result.push_back(values);
    normalize(result.back());
  }
  return result;
}

bool Propagation::in_one_clique(std::span<const Variable> variables) const {
  std::uint32_t first = CliqueTree::kNone;  // of those that are not observed, the first to go
  for (const Variable v : variables) {
    if (is_free(v)) first = std::min(first, tree_->home(v));
  }
  if (first == CliqueTree::kNone) return true;
  const auto& scope = tree_->cliques()[first].scope;
  return std::all_of(variables.begin(), variables.end(), [&](Variable v) {
    return !is_free(v) || std::find(scope.begin(), scope.end(), v) != scope.end();
  });
}

std::vector<double> Propagation::joint(std::span<const Variable> variables, Run& run) {
  if (!in_one_clique(variables)) throw std::invalid_argument("they are in different cliques");
  collect_possible(false, run);
  std::uint32_t first = CliqueTree::kNone;
  for (const Variable v : variables) {
    if (is_free(v)) first = std::min(first, tree_->home(v));
  }
  if (first == CliqueTree::kNone) {  // nothing is left to ask
    std::vector<double> values(static_cast<std::size_t>(cells_of(variables)), 0.0);
    values[offset_of(variables, observed_)] = 1.0;
    return values;
  }
  return from_clique(first, variables, run);
}

std::vector<double> Propagation::own_table(std::uint32_t c, std::span<const std::int32_t> states,
                                           bool maximize, Run& run) {
  const auto& cliques = tree_->cliques();
  const Plan& own = plan(c);
  Plan rest;
  rest.scope.assign(own.scope.begin(), own.scope.begin() + static_cast<std::ptrdiff_t>(own.n_own));
  std::vector<Arity> axes;
  for (const Variable v : rest.scope) axes.push_back(tree_->network().arity(v));
  rest.walk.emplace(std::move(axes));
  Inputs in;
  const auto add = [&](std::span<const Variable> scope, const std::vector<double>& values) {
    in.views.push_back(std::make_unique<View>(view_of(rest, scope)));
    in.tables.push_back({in.views.back().get(), values.data() + offset_of(scope, states)});
  };
  for (const Variable f : cliques[c].families) {
    add(tree_->network().family(f).scope, values_of(f));
  }
  for (const std::uint32_t child : cliques[c].children) {
    std::vector<Variable> shared;  // as the message has them: without the evidence
    for (const Variable v : cliques[child].shared()) {
      if (is_free(v)) shared.push_back(v);
    }
    add(shared, up_[child].values);
  }
  for (const Variable v : own.with_likelihood) add(std::span(&v, 1), likelihood_of(v));
  if (in.tables.size() > kFewTables && !logs_) combine(rest, in);
  const Arithmetic arithmetic{maximize, logs_};
  std::vector<double> table(rest.walk->n_cells(), arithmetic.nothing());
  const View whole = view_of(rest, rest.scope);
  const Walk::Output out{&whole, table.data()};
  rest.walk->run(in.tables, std::span(&out, 1), arithmetic, run);
  from_logs(table, logs_);
  return table;
}

std::vector<std::pair<Variable, State>> Propagation::most_probable(bool all, Run& run) {
  collect_possible(all, run);
  auto states = observed_;  // what is settled so far
  std::vector<std::pair<Variable, State>> best;
  const auto& cliques = tree_->cliques();
  for (std::uint32_t c = static_cast<std::uint32_t>(cliques.size()); c-- > 0;) {  // parents first
    if (!all && !cliques[c].maximize) continue;
    const Plan& own = plan(c);
    if (own.n_own == 0) continue;
    const auto table = own_table(c, states, true, run);
    auto at = static_cast<std::size_t>(std::max_element(table.begin(), table.end()) - table.begin());
    for (std::size_t i = own.n_own; i-- > 0;) {
      const Arity r = tree_->network().arity(own.scope[i]);
      states[own.scope[i]] = static_cast<std::int32_t>(at % r);
      best.emplace_back(own.scope[i], static_cast<State>(at % r));
      at /= r;
    }
  }
  return best;
}

std::vector<std::vector<std::uint16_t>> Propagation::sample(std::size_t n_rows, std::uint64_t seed,
                                                            std::span<const Variable> keep,
                                                            Run& run) {
  collect_possible(false, run);
  const auto& cliques = tree_->cliques();
  for (std::uint32_t c = 0; c < cliques.size(); ++c) plan(c);  // threads only read from here on
  // A block of rows has all variables; what is kept for its states has a bound too.
  const std::size_t block_size = std::clamp<std::size_t>((1 << 22) / observed_.size(), 16, 4096);
  constexpr std::size_t kMostKept = 1 << 20;
  std::vector<std::vector<std::uint16_t>> codes(keep.size(), std::vector<std::uint16_t>(n_rows));
  run.parallel_for((n_rows + block_size - 1) / block_size, [&](std::size_t b) {
    Run alone = run.inner();
    const std::size_t begin = b * block_size, size = std::min(block_size, n_rows - begin);
    Rng rng(seed, b);
    std::vector<std::vector<std::int32_t>> rows(size, observed_);
    for (std::uint32_t c = static_cast<std::uint32_t>(cliques.size()); c-- > 0;) {  // parents first
      const Plan& own = plan(c);
      if (own.n_own == 0) continue;
      const auto shared = std::span(own.scope).subspan(own.n_own);
      run.check_inside();
      std::unordered_map<std::size_t, std::vector<double>> sums;  // by the states of what is shared
      std::size_t kept = 0;
      for (auto& states : rows) {
        if (kept > kMostKept) {
          sums.clear();
          kept = 0;
        }
        auto [found, is_new] = sums.try_emplace(offset_of(shared, states));
        std::vector<double>& table = found->second;
        if (is_new) {
          table = own_table(c, states, false, alone);
          double sum = 0;
          for (double& value : table) value = sum += value;
          kept += table.size();
        }
        const double draw = rng.uniform() * table.back();
        auto at = static_cast<std::size_t>(
            std::upper_bound(table.begin(), table.end(), draw) - table.begin());
        for (std::size_t i = own.n_own; i-- > 0;) {
          const Arity r = tree_->network().arity(own.scope[i]);
          states[own.scope[i]] = static_cast<std::int32_t>(at % r);
          at /= r;
        }
      }
    }
    for (std::size_t k = 0; k < keep.size(); ++k) {
      for (std::size_t i = 0; i < size; ++i) {
        codes[k][begin + i] = static_cast<std::uint16_t>(rows[i][keep[k]]);
      }
    }
  });
  return codes;
}

}  // namespace dagwright
