// Parents of one child, drawn by their weights.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <vector>

#include "dagwright/base/run.hpp"
#include "dagwright/posterior/family_weights.hpp"

namespace dagwright {

// For each of the numbers in [0, 1) a parent set among those that fit before the child; all sets are
// numbered without the child. `log_more(set)` is the log of a factor beside the weight.
std::vector<Set> draw_parents(const ChildWeights& child, Set before,
                              const std::function<double(Set)>& log_more,
                              std::span<const double> uniforms);

// The place of the first of the cumulative sums that is above the given number; the last that adds
// anything, if rounding led beyond it.
std::size_t drawn_place(const std::vector<double>& cumulative, double number);

// Numbers 0 .. n - 1 with the same key, together: what they share is then made once.
template <class Key>
std::vector<std::pair<Key, std::vector<std::size_t>>> grouped_by(const std::vector<Key>& keys) {
  std::map<Key, std::vector<std::size_t>> groups;
  for (std::size_t i = 0; i < keys.size(); ++i) groups[keys[i]].push_back(i);
  return {groups.begin(), groups.end()};
}

}  // namespace dagwright
