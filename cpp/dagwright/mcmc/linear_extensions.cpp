#include "dagwright/mcmc/linear_extensions.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <unordered_map>
#include <vector>

#include "dagwright/base/bit_sets.hpp"

namespace dagwright {

namespace {

constexpr std::size_t kMostSets = 1 << 16;
constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

// Of nodes that hang together; their parents are bits.
double count_connected(const std::vector<WideSet>& parents) {
  const auto n = static_cast<Variable>(parents.size());
  // The number of ways, less e^log_scale, in which each set can come first: sets of one size after the
  // other.
  std::unordered_map<WideSet, double> ways{{0, 1.0}};
  double log_scale = 0;
  std::size_t looked_at = 0;
  for (Variable size = 0; size < n; ++size) {
    std::unordered_map<WideSet, double> next;
    double largest = 0;
    for (const auto& [set, count] : ways) {
      for (Variable v = 0; v < n; ++v) {
        if ((set & bit_of<WideSet>(v)) != 0 || (parents[v] & ~set) != 0) continue;
        double& more = next[set | bit_of<WideSet>(v)];
        more += count;
        largest = std::max(largest, more);
      }
    }
    looked_at += next.size();
    if (looked_at > kMostSets) return kUnknown;
    for (auto& [set, count] : next) count /= largest;
    log_scale += std::log(largest);
    ways = std::move(next);
  }
  return log_scale + std::log(ways.begin()->second);
}

}  // namespace

double log_linear_extensions(const ParentLists& parents) {
  const std::size_t n = parents.size();
  std::vector<std::size_t> part(n);
  std::iota(part.begin(), part.end(), std::size_t{0});
  const auto root = [&](std::size_t v) {
    while (part[v] != v) v = part[v] = part[part[v]];
    return v;
  };
  for (std::size_t v = 0; v < n; ++v) {
    for (const Variable parent : parents[v]) part[root(v)] = root(parent);
  }
  double log_count = std::lgamma(static_cast<double>(n) + 1);  // parts may be mixed in any way
  for (std::size_t first = 0; first < n; ++first) {
    if (root(first) != first) continue;
    std::vector<std::size_t> members;
    std::vector<Variable> place(n);
    for (std::size_t v = 0; v < n; ++v) {
      if (root(v) != first) continue;
      place[v] = static_cast<Variable>(members.size());
      members.push_back(v);
    }
    if (members.size() > 64) return kUnknown;
    std::vector<WideSet> bits(members.size());
    for (std::size_t i = 0; i < members.size(); ++i) {
      for (const Variable parent : parents[members[i]]) bits[i] |= bit_of<WideSet>(place[parent]);
    }
    log_count += count_connected(bits) - std::lgamma(static_cast<double>(members.size()) + 1);
  }
  return log_count;
}

}  // namespace dagwright
