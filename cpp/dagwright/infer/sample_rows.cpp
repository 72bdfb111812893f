#include "dagwright/infer/sample_rows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "dagwright/base/rng.hpp"

namespace dagwright {

namespace {

constexpr std::size_t kBlock = 4096;

// The sums of each row of a table, so that a state is drawn by comparing.
std::vector<double> cumulated(const Network& network, Variable v) {
  std::vector<double> out = network.family(v).values;
  const Arity r = network.arity(v);
  for (std::size_t row = 0; row < out.size(); row += r) {
    double sum = 0;
    std::size_t last = row;  // the last state that can be: rounding must not lead beyond it
    for (std::size_t i = row; i < row + r; ++i) {
      if (out[i] > 0) last = i;
      sum += out[i];
      out[i] = sum;
    }
    for (std::size_t i = last; i < row + r; ++i) out[i] = 2.0;
  }
  return out;
}

// Variables that are kept, or that these depend on, or that give rows their weight.
std::vector<std::uint8_t> needed(const Network& network, const Evidence& evidence,
                                 std::span<const Variable> intervened,
                                 std::span<const Variable> keep) {
  std::vector<std::uint8_t> out(network.n_variables(), 0), cut(network.n_variables(), 0);
  for (const Variable v : intervened) cut[v] = 1;
  std::vector<Variable> waiting(keep.begin(), keep.end());
  for (const auto& [v, state] : evidence.states) waiting.push_back(v);
  for (const auto& [v, likelihood] : evidence.likelihoods) waiting.push_back(v);
  while (!waiting.empty()) {
    const Variable v = waiting.back();
    waiting.pop_back();
    if (out[v]) continue;
    out[v] = 1;
    if (cut[v]) continue;
    for (const Variable parent : network.parents(v)) waiting.push_back(parent);
  }
  return out;
}

}  // namespace

Rows sample_rows(const Network& network, std::size_t n_rows, std::uint64_t seed,
                 const Evidence& evidence, std::span<const Variable> intervened,
                 std::span<const Variable> keep, Run& run) {
  const std::size_t n = network.n_variables();
  std::vector<std::int32_t> observed(n, -1);
  std::vector<std::uint8_t> cut(n, 0);
  for (const auto& [v, state] : evidence.states) observed[v] = static_cast<std::int32_t>(state);
  for (const Variable v : intervened) cut[v] = 1;
  const auto wanted = needed(network, evidence, intervened, keep);
  std::vector<std::vector<double>> sums(n);
  for (Variable v = 0; v < n; ++v) {
    if (wanted[v] && observed[v] < 0) sums[v] = cumulated(network, v);
  }
  Rows out;
  out.codes.resize(keep.size());
  for (auto& codes : out.codes) codes.resize(n_rows);
  const bool weighted = !evidence.likelihoods.empty() || evidence.states.size() > intervened.size();
  if (weighted) out.log_weights.assign(n_rows, 0.0);

  run.parallel_for((n_rows + kBlock - 1) / kBlock, [&](std::size_t b) {
    const std::size_t begin = b * kBlock, size = std::min(kBlock, n_rows - begin);
    Rng rng(seed, b);
    std::vector<std::vector<std::uint16_t>> block(n);
    std::vector<std::uint32_t> config(size);
    for (const Variable v : network.topological_order()) {
      if (!wanted[v]) continue;
      block[v].resize(size);
      std::uint16_t* codes = block[v].data();
      if (observed[v] >= 0) std::fill_n(codes, size, static_cast<std::uint16_t>(observed[v]));
      if (cut[v]) continue;
      std::fill(config.begin(), config.end(), 0);
      for (const Variable parent : network.parents(v)) {
        const std::uint32_t r = network.arity(parent);
        const std::uint16_t* from = block[parent].data();
        for (std::size_t i = 0; i < size; ++i) config[i] = config[i] * r + from[i];
      }
      const std::size_t r = network.arity(v);
      if (observed[v] >= 0) {
        const double* table = network.family(v).values.data() + observed[v];
        for (std::size_t i = 0; i < size; ++i) {
          out.log_weights[begin + i] += std::log(table[config[i] * r]);
        }
        continue;
      }
      const double* table = sums[v].data();
      for (std::size_t i = 0; i < size; ++i) {
        const double draw = rng.uniform();
        const double* row = table + config[i] * r;
        std::uint32_t state = 0;
        if (r <= 8) {  // without a branch that the processor would have to guess
          for (std::size_t s = 0; s + 1 < r; ++s) state += draw >= row[s];
        } else {
          state = static_cast<std::uint32_t>(std::upper_bound(row, row + r, draw) - row);
        }
        codes[i] = static_cast<std::uint16_t>(state);
      }
    }
    for (const auto& [v, likelihood] : evidence.likelihoods) {
      for (std::size_t i = 0; i < size; ++i) {
        out.log_weights[begin + i] += std::log(likelihood[block[v][i]]);
      }
    }
    for (std::size_t k = 0; k < keep.size(); ++k) {
      std::copy(block[keep[k]].begin(), block[keep[k]].end(), out.codes[k].begin() + begin);
    }
  });
  return out;
}

}  // namespace dagwright
