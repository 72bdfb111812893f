// Counting one family with bitmaps.
#pragma once

#include <vector>

#include "dagwright/base/run.hpp"
#include "dagwright/data/bitmaps.hpp"
#include "dagwright/data/family_counts.hpp"

namespace dagwright {

// Rows are taken in blocks of this many words, so that partial results stay in the fastest cache.
inline constexpr std::size_t kBlockWords = 512;

// Whether its table is small enough for bitmaps to be faster than a histogram.
bool prefers_bitmap(const FamilyShape& shape);

// Whether all variables of the family have bitmaps.
bool can_count_bitmap(const Bitmaps& bitmaps, const Family& family);

// Counts families one after the other; its memory is used again. One for each thread.
//
// The rows of the state that is left out are never looked at: they are all rows minus those of the
// other states, which is one subtraction a cell. What remains to count are the conjunctions of other
// states; those of a single variable are known from the start.
class BitmapCounter {
 public:
  BitmapCounter(const Bitmaps& bitmaps, Run& run)
      : bitmaps_(bitmaps), kernels_(bitmaps.kernels()), run_(run) {}

  // Every variable of the family has bitmaps. Throws Stopped when the run ends before all is counted.
  void count(const FamilyShape& shape, FamilyCounts& out);

 private:
  void add(const Word* rows, double weight, std::vector<Count>& sums);
  std::int64_t known(Variable v, State s) const;
  void fill(std::size_t level, const Word* rows, std::int64_t count, std::int64_t* out);

  const Bitmaps& bitmaps_;
  const Kernels& kernels_;
  Run& run_;
  std::vector<Variable> variables_;
  std::vector<Arity> arities_;
  std::vector<std::size_t> sizes_;  // cells of the variables from each level on
  AlignedWords scratch_;
  std::size_t scratch_levels_ = 0;
  std::vector<std::int64_t> cells_;
  std::size_t begin_ = 0;
  std::size_t size_ = 0;
};

}  // namespace dagwright
