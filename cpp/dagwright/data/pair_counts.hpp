// The table of two variables. There are millions of them, so this is a light view of memory that the
// counter uses again for the next pair.
#pragma once

#include <cstddef>
#include <functional>
#include <span>

#include "dagwright/base/types.hpp"
#include "dagwright/data/family_counts.hpp"

namespace dagwright {

class PairCounts {
 public:
  // The count of state s of the first variable and t of the second at s * second_arity + t.
  PairCounts(const Count* cells, Arity first_arity, Arity second_arity)
      : cells_(cells), first_arity_(first_arity), second_arity_(second_arity) {}
  // The second variable is the child, the first its only parent.
  explicit PairCounts(const FamilyCounts& family) : family_(&family) {}

  // The family of the second variable given the first, where that is what was counted, or null.
  const FamilyCounts* family() const { return family_; }

  // All cells, with zeros, where it is no such family.
  std::span<const Count> cells() const { return {cells_, std::size_t{first_arity_} * second_arity_}; }

  // fn(count, s, t) for every observed cell, the first variable's states slowest.
  template <class Fn>
  void for_each_cell(Fn&& fn) const {
    if (family_ == nullptr) {
      const Count* cell = cells_;
      for (State s = 0; s < first_arity_; ++s) {
        for (State t = 0; t < second_arity_; ++t, ++cell) {
          if (*cell > 0) fn(*cell, s, t);
        }
      }
    } else if (family_->is_dense()) {
      family_->for_each_cell([&](Count count, std::size_t config, State state) {
        fn(count, static_cast<State>(config), state);
      });
    } else {
      family_->for_each_cell([&](Count count, std::size_t config, State state) {
        fn(count, family_->config_states(config).front(), state);
      });
    }
  }

 private:
  const Count* cells_ = nullptr;
  Arity first_arity_ = 0;
  Arity second_arity_ = 0;
  const FamilyCounts* family_ = nullptr;
};

// use(v, w, counts) for the variables v < w, on any thread of the run.
using UsePair = std::function<void(Variable, Variable, const PairCounts&)>;

}  // namespace dagwright
