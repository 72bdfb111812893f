#include "dagwright/markov/factor_belief_propagation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "dagwright/base/anderson.hpp"

namespace dagwright {

namespace {

constexpr double kNever = -std::numeric_limits<double>::infinity();
constexpr std::size_t kBlock = 256;  // factors, or variables, that one thread takes at a time
constexpr std::size_t kPlainIterations = 100;  // before what is slow is accelerated
constexpr std::size_t kMemory = 8;
constexpr double kWorse = 10;  // times the least inconsistency so far: acceleration leads astray

// A sum of exponentials that neither overflows nor loses what is small beside nothing larger.
class LogSum {
 public:
  void add(double log) {
    if (log == kNever) return;
    if (log <= largest_) {
      sum_ += std::exp(log - largest_);
    } else {
      sum_ = sum_ * std::exp(largest_ - log) + 1;
      largest_ = log;
    }
  }
  double value() const { return sum_ > 0 ? largest_ + std::log(sum_) : kNever; }

 private:
  double largest_ = kNever;
  double sum_ = 0;
};

// Goes through the cells of a factor, the last variable fastest.
class Cells {
 public:
  Cells(const FactorScopes& scopes, std::size_t f)
      : scopes_(scopes), scope_(scopes.scope(f)), states_(scope_.size(), 0) {}
  State state(std::size_t i) const { return states_[i]; }
  void next() {
    for (std::size_t i = states_.size(); i-- > 0;) {
      if (++states_[i] < scopes_.arity(scope_[i])) return;
      states_[i] = 0;
    }
  }

 private:
  const FactorScopes& scopes_;
  std::span<const Variable> scope_;
  std::vector<State> states_;
};

// What a variable says to a factor: its belief without the factor's message.
double without(double belief, double message) { return belief == kNever ? kNever : belief - message; }

}  // namespace

FactorBeliefPropagation::FactorBeliefPropagation(FactorScopes scopes, std::vector<double> shares)
    : scopes_(std::move(scopes)),
      shares_(std::move(shares)),
      places_(scopes_.n_factors()),
      around_(scopes_.n_variables()),
      weights_(scopes_.n_variables()),
      log_sums_(scopes_.n_variables()) {
  if (shares_.size() != scopes_.n_factors()) throw std::invalid_argument("one share a factor is needed");
  std::size_t n_messages = 0, n_states = 0;
  for (std::size_t f = 0; f < scopes_.n_factors(); ++f) {
    if (!(shares_[f] > 0 && shares_[f] <= 1)) {
      throw std::invalid_argument("a share must be above 0 and at most 1");
    }
    if (scopes_.scope(f).size() < 2) continue;
    wide_.push_back(f);
    for (const Variable v : scopes_.scope(f)) {
      places_[f].push_back(n_messages);
      around_[v].push_back(n_messages);
      weights_[v].push_back(shares_[f]);
      n_messages += scopes_.arity(v);
    }
  }
  for (const Arity arity : scopes_.arities()) {
    own_places_.push_back(n_states);
    n_states += arity;
  }
  messages_.assign(n_messages, 0.0);
  own_.resize(n_states);
  logs_.resize(n_states);
}

void FactorBeliefPropagation::gather(Variable v) {
  double* logs = logs_.data() + own_places_[v];
  LogSum sum;
  for (State s = 0; s < scopes_.arity(v); ++s) {
    double log = own_[own_places_[v] + s];
    for (std::size_t k = 0; k < around_[v].size(); ++k) {
      log += weights_[v][k] * messages_[around_[v][k] + s];
    }
    logs[s] = log;
    sum.add(log);
  }
  log_sums_[v] = sum.value();
  if (log_sums_[v] == kNever) throw ImpossibleFactors();
}

// The log of the sum over all cells of the factor; with `cells` also the belief of each.
double FactorBeliefPropagation::log_sum(std::size_t f, std::span<const double> log_values,
                                        double* cells) const {
  const auto scope = scopes_.scope(f);
  LogSum sum;
  std::vector<double> logs(scopes_.n_cells(f));
  Cells at(scopes_, f);
  for (std::size_t cell = 0; cell < logs.size(); ++cell, at.next()) {
    double log = log_values[scopes_.first_cell(f) + cell] / shares_[f];
    for (std::size_t i = 0; i < scope.size(); ++i) {
      log += without(logs_[own_places_[scope[i]] + at.state(i)],
                     messages_[places_[f][i] + at.state(i)]);
    }
    logs[cell] = log;
    sum.add(log);
  }
  if (cells != nullptr) {
    for (std::size_t cell = 0; cell < logs.size(); ++cell) {
      cells[cell] = std::exp(logs[cell] - sum.value());
    }
  }
  return sum.value();
}

// New messages of a factor to its variables; returns how far their beliefs are from the factor's.
double FactorBeliefPropagation::send(std::size_t f, std::span<const double> log_values,
                                     double damping) {
  const auto scope = scopes_.scope(f);
  std::vector<std::vector<LogSum>> sums(scope.size());
  for (std::size_t i = 0; i < scope.size(); ++i) sums[i].resize(scopes_.arity(scope[i]));
  LogSum total;
  Cells at(scopes_, f);
  for (std::size_t cell = 0; cell < scopes_.n_cells(f); ++cell, at.next()) {
    double log = log_values[scopes_.first_cell(f) + cell] / shares_[f];
    for (std::size_t i = 0; i < scope.size(); ++i) {
      log += without(logs_[own_places_[scope[i]] + at.state(i)],
                     messages_[places_[f][i] + at.state(i)]);
    }
    if (log == kNever) continue;
    total.add(log);
    for (std::size_t i = 0; i < scope.size(); ++i) sums[i][at.state(i)].add(log);
  }
  if (total.value() == kNever) throw ImpossibleFactors();
  double inconsistency = 0;
  for (std::size_t i = 0; i < scope.size(); ++i) {
    const double* logs = logs_.data() + own_places_[scope[i]];
    double* message = messages_.data() + places_[f][i];
    double total_log = 0;
    std::size_t n_finite = 0;
    for (std::size_t s = 0; s < sums[i].size(); ++s) {
      const double said = sums[i][s].value();
      const double known = logs[s] - log_sums_[scope[i]];
      inconsistency =
          std::max(inconsistency, std::abs(std::exp(said - total.value()) - std::exp(known)));
      if (known == kNever) continue;  // for other reasons: what this factor says changes nothing
      const double fresh = said == kNever ? kNever : said - without(logs[s], message[s]);
      message[s] = fresh == kNever ? kNever : (1 - damping) * fresh + damping * message[s];
      if (message[s] == kNever) continue;
      total_log += message[s];
      ++n_finite;
    }
    for (std::size_t s = 0; s < sums[i].size(); ++s) {
      message[s] -= total_log / static_cast<double>(n_finite);
    }
  }
  return inconsistency;
}

FactorBeliefs FactorBeliefPropagation::propagate(std::span<const double> log_values,
                                                 std::size_t max_iterations, double tolerance,
                                                 double damping, Run& run) {
  if (log_values.size() != scopes_.n_cells()) throw std::invalid_argument("one number a cell is needed");
  std::fill(messages_.begin(), messages_.end(), 0.0);
  std::fill(own_.begin(), own_.end(), 0.0);
  double constant = 0;
  for (std::size_t f = 0; f < scopes_.n_factors(); ++f) {
    const auto scope = scopes_.scope(f);
    const double* values = log_values.data() + scopes_.first_cell(f);
    if (scope.empty()) constant += *values;
    if (scope.size() != 1) continue;
    for (State s = 0; s < scopes_.arity(scope[0]); ++s) own_[own_places_[scope[0]] + s] += values[s];
  }
  if (constant == kNever) throw ImpossibleFactors();
  const auto in_blocks = [&run](std::size_t n, const auto& work) {
    run.parallel_for((n + kBlock - 1) / kBlock, [&](std::size_t block) {
      for (std::size_t i = block * kBlock; i < std::min(n, (block + 1) * kBlock); ++i) work(i);
    });
  };
  const std::size_t n = scopes_.n_variables();
  const auto gather_all = [&] {
    in_blocks(n, [&](std::size_t v) { gather(static_cast<Variable>(v)); });
  };
  FactorBeliefs out;
  std::vector<double> apart(wide_.size(), 0.0);
  gather_all();
  Anderson acceleration(kMemory);
  double least = std::numeric_limits<double>::infinity();
  while (out.iterations < max_iterations) {
    ++out.iterations;
    const bool accelerate = out.iterations > kPlainIterations;
    const auto before = accelerate ? messages_ : std::vector<double>();
    in_blocks(wide_.size(), [&](std::size_t i) { apart[i] = send(wide_[i], log_values, damping); });
    out.inconsistency = apart.empty() ? 0.0 : *std::max_element(apart.begin(), apart.end());
    if (out.inconsistency <= tolerance) {
      gather_all();
      break;
    }
    if (accelerate) {
      if (out.inconsistency > kWorse * least) {
        acceleration.forget();
        least = out.inconsistency;
      } else if (std::find(messages_.begin(), messages_.end(), kNever) == messages_.end()) {
        acceleration.step(before, messages_);
        least = std::min(least, out.inconsistency);
      }
    }
    gather_all();
  }

  out.cells.resize(scopes_.n_cells());
  out.marginals.resize(logs_.size());
  std::vector<double> log_sums(scopes_.n_factors());
  in_blocks(scopes_.n_factors(), [&](std::size_t f) {
    double* cells = out.cells.data() + scopes_.first_cell(f);
    const auto scope = scopes_.scope(f);
    if (scope.size() > 1) {
      log_sums[f] = log_sum(f, log_values, cells);
    } else if (scope.empty()) {
      *cells = 1;
    } else {
      for (State s = 0; s < scopes_.arity(scope[0]); ++s) {
        cells[s] = std::exp(logs_[own_places_[scope[0]] + s] - log_sums_[scope[0]]);
      }
    }
  });
  out.log_z = constant;
  for (Variable v = 0; v < n; ++v) {
    out.log_z += log_sums_[v];
    for (State s = 0; s < scopes_.arity(v); ++s) {
      const std::size_t place = own_places_[v] + s;
      out.marginals[place] = std::exp(logs_[place] - log_sums_[v]);
    }
  }
  // Equal to energy plus entropy where beliefs agree, and its error is of second order in the messages'.
  for (const std::size_t f : wide_) {
    double gain = log_sums[f];
    for (const Variable v : scopes_.scope(f)) gain -= log_sums_[v];
    out.log_z += shares_[f] * gain;
  }
  return out;
}

}  // namespace dagwright
