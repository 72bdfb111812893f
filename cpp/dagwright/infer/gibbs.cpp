#include "dagwright/infer/gibbs.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>

#include "dagwright/base/rng.hpp"

namespace dagwright {

namespace {

// The families that have a variable, and how far a step of its state goes in each one's table.
struct Use {
  Variable family;
  std::size_t step;
};

}  // namespace

Rows gibbs(const Network& network, std::size_t chains, std::size_t warmup, std::size_t n_rows,
           std::uint64_t seed, const Evidence& evidence, std::span<const Variable> intervened,
           std::span<const Variable> keep, Run& run) {
  const std::size_t n = network.n_variables();
  std::vector<std::uint8_t> cut(n, 0), known(n, 0);
  for (const Variable v : intervened) cut[v] = known[v] = 1;
  for (const auto& [v, state] : evidence.states) known[v] = 1;
  std::vector<std::vector<Use>> uses(n);
  for (Variable f = 0; f < n; ++f) {
    if (cut[f]) continue;
    std::size_t step = 1;
    const auto& scope = network.family(f).scope;
    for (std::size_t i = scope.size(); i-- > 0;) {
      uses[scope[i]].push_back({f, step});
      step *= network.arity(scope[i]);
    }
  }
  std::vector<std::vector<double>> likelihood(n);
  for (const auto& [v, values] : evidence.likelihoods) likelihood[v] = values;

  Rows out;
  out.codes.assign(keep.size(), std::vector<std::uint16_t>(chains * n_rows));
  std::vector<Variable> everything(n);
  std::iota(everything.begin(), everything.end(), 0u);
  const std::size_t n_starts = std::clamp<std::size_t>((1 << 22) / n, 16, 4096);
  const Rows starts =
      sample_rows(network, chains * n_starts, seed ^ 0x5EEDULL, evidence, intervened, everything, run);

  run.parallel_for(chains, [&](std::size_t chain) {
    Rng rng(seed, chain);
    std::size_t start = chain * n_starts;
    if (!starts.log_weights.empty()) {
      // By weight, not the heaviest: zeros may cut the states into parts, and chains shall start in all.
      const auto logs = std::span(starts.log_weights).subspan(start, n_starts);
      const double largest = *std::max_element(logs.begin(), logs.end());
      if (!(largest > -std::numeric_limits<double>::infinity())) throw ImpossibleEvidence();
      double total = 0;
      for (const double log : logs) total += std::exp(log - largest);
      double draw = rng.uniform() * total;
      std::size_t chosen = 0;
      for (std::size_t i = 0; i < n_starts && draw >= 0; ++i) {
        const double weight = std::exp(logs[i] - largest);
        if (weight > 0) chosen = i;
        draw -= weight;
      }
      start += chosen;
    }
    std::vector<std::size_t> state(n), cell(n, 0);  // cell: where each family's table is
    for (Variable v = 0; v < n; ++v) state[v] = starts.codes[v][start];
    for (Variable v = 0; v < n; ++v) {
      for (const Use& use : uses[v]) cell[use.family] += use.step * state[v];
    }
    std::vector<double> weight;
    for (std::size_t sweep = 0; sweep < warmup + n_rows; ++sweep) {
      run.check_inside();
      for (Variable v = 0; v < n; ++v) {
        if (known[v]) continue;
        const Arity r = network.arity(v);
        weight.assign(r, 1.0);
        if (!likelihood[v].empty()) weight = likelihood[v];
        double total = 0, largest = 0;
        for (const Use& use : uses[v]) {
          const double* row =
              network.family(use.family).values.data() + cell[use.family] - use.step * state[v];
          largest = 0;
          for (Arity s = 0; s < r; ++s) {
            weight[s] *= row[s * use.step];
            largest = std::max(largest, weight[s]);
          }
          if (largest < 1e-200 && largest > 0) {  // a variable may have thousands of children
            for (double& w : weight) w /= largest;
          }
        }
        for (const double w : weight) total += w;
        const double draw = rng.uniform() * total;
        double sum = 0;
        std::size_t next = state[v];
        for (Arity s = 0; s < r; ++s) {
          if (weight[s] <= 0) continue;
          next = s;
          sum += weight[s];
          if (draw < sum) break;
        }
        for (const Use& use : uses[v]) {
          cell[use.family] += use.step * next;
          cell[use.family] -= use.step * state[v];
        }
        state[v] = next;
      }
      if (sweep < warmup) continue;
      for (std::size_t k = 0; k < keep.size(); ++k) {
        out.codes[k][chain * n_rows + sweep - warmup] = static_cast<std::uint16_t>(state[keep[k]]);
      }
    }
  });
  return out;
}

}  // namespace dagwright
