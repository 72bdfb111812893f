// The tables of pairs of variables, counted once for all families of a batch in which they occur.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dagwright/base/run.hpp"
#include "dagwright/data/bitmaps.hpp"

namespace dagwright {

// How many rows have a state of one and a state of the other variable, weights aside.
class BatchPairs {
 public:
  // Of every pair within each of these sets; all their variables have bitmaps.
  BatchPairs(const Bitmaps& bitmaps, std::span<const Family* const> families, Run& run);

  struct OfPair {
    const std::int32_t* counts;
    std::size_t first_step, second_step;  // from one state to the next
    std::int32_t operator()(State first, State second) const {
      return counts[first * first_step + second * second_step];
    }
  };
  OfPair find(Variable first, Variable second) const;

 private:
  struct Slot {
    std::uint64_t key = 0;  // larger << 32 | smaller, which is never 0
    std::size_t begin = 0;  // in counts_: at state of the smaller * arity of the larger + state
  };
  std::size_t place(std::uint64_t key) const;
  void count(const Slot& slot);

  const Bitmaps& bitmaps_;
  std::vector<Slot> slots_;  // a hash table, at most half full
  std::vector<std::int32_t> counts_;
};

}  // namespace dagwright
