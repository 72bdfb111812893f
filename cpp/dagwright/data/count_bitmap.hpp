// Counting one family with bitmaps.
#pragma once

#include <vector>

#include "dagwright/base/run.hpp"
#include "dagwright/data/bitmaps.hpp"
#include "dagwright/data/family_counts.hpp"
#include "dagwright/data/batch_pairs.hpp"

namespace dagwright {

// Rows are taken in blocks of this many words, so that partial results stay in the fastest cache.
inline constexpr std::size_t kBlockWords = 512;

// Whether all variables of the family have bitmaps.
bool can_count_bitmap(const Bitmaps& bitmaps, const Family& family);

// Counts families one after the other; its memory is used again. One for each thread.
//
// The rows of the state that is left out are never looked at: they are all rows minus those of the
// other states, which is one subtraction a cell. What remains to count are the conjunctions of other
// states; those of one or two variables are known before.
class BitmapCounter {
 public:
  BitmapCounter(const Bitmaps& bitmaps, const BatchPairs& pairs, Run& run)
      : bitmaps_(bitmaps), pairs_(pairs), kernels_(bitmaps.kernels()), run_(run) {}

  // Every variable of the family has bitmaps, and every pair of them is among the pairs. Throws Stopped
  // when the run ends before all is counted.
  void count(const FamilyShape& shape, FamilyCounts& out);

 private:
  // Of the variables of the family, the parents first, the child last.
  struct Level {
    Variable variable;
    Arity arity;
    State left_out;
    std::size_t size;  // cells of the variables behind it
  };
  void fill_all(std::size_t level, std::int32_t count, std::int32_t* out);
  void fill_state(std::size_t level, std::size_t first, State state, std::int32_t count,
                  std::int32_t* out);
  void fill_rows(std::size_t level, const Word* rows, std::int32_t count, std::int32_t* out);
  void put_last(std::int32_t count, std::int32_t* out) const;
  void begin_block(std::size_t begin);
  Word* scratch(std::size_t level) { return scratch_.data() + level * kBlockWords; }

  const Bitmaps& bitmaps_;
  const BatchPairs& pairs_;
  const Kernels& kernels_;
  Run& run_;
  std::vector<Level> levels_;
  std::vector<BatchPairs::OfPair> pairs_of_levels_;  // at first * levels + second
  AlignedWords scratch_;
  std::size_t scratch_levels_ = 0;
  std::vector<std::int32_t> cells_;
  std::size_t begin_ = 0;  // the block
  std::size_t size_ = 0;
  std::vector<const Word*> last_;     // the bitmaps of the last variable in it
  std::vector<std::uint64_t> found_;  // what was counted of these, and of all rows
};

}  // namespace dagwright
