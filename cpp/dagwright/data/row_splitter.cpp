#include "dagwright/data/row_splitter.hpp"

#include <algorithm>
#include <bit>

#include "dagwright/data/count_bitmap.hpp"

namespace dagwright {

namespace {
// With fewer rows than one for so many words of a bitmap, looking at the rows is faster than at the words.
constexpr std::size_t kWordsPerRow = 8;

// Room is made for the bitmaps of so many cells at a time.
constexpr std::size_t kCellsAtOnce = 16;
}  // namespace

void RowSplitter::begin(const std::vector<Variable>& variables, const std::vector<Arity>& arities) {
  levels_.clear();
  std::size_t n_cells = 1;
  for (std::size_t i = variables.size(); i-- > 0;) {
    levels_.push_back({variables[i], arities[i], n_cells});
    n_cells *= arities[i];
  }
  if (levels_.size() <= scratch_levels_) return;
  const std::size_t words = std::min(kBlockWords, bitmaps_.n_words());
  scratch_ = AlignedWords(2 * 2 * levels_.size() * words);  // for twice as many, so that it is rarely made anew
  scratch_levels_ = 2 * levels_.size();
}

void RowSplitter::split(const Word* rows, std::size_t begin, std::size_t size) {
  begin_ = begin;
  size_ = size;
  cells_.clear();
  rows_.clear();
  counts_.clear();
  rare_cells_.clear();
  rare_rows_.clear();
  const Word* block = rows + begin;
  descend(0, block, bitmaps_.kernels().and_count(block, block, size), 0);
}

void RowSplitter::descend(std::size_t level, const Word* rows, std::uint64_t count,
                          std::size_t cell) {
  if (count == 0) return;
  if (level == levels_.size()) {
    keep(cell, rows, count);
    return;
  }
  const auto [variable, arity, stride] = levels_[level];
  const State left_out = bitmaps_.left_out(variable);
  const std::size_t words = std::min(kBlockWords, bitmaps_.n_words());
  Word* inside = scratch_.data() + 2 * level * words;
  Word* outside = inside + words;
  for (State s = 0; s < arity && count > 0; ++s) {
    if (s == left_out) continue;
    const std::uint64_t n = bitmaps_.kernels().split(rows, bitmaps_.state(variable, s) + begin_,
                                                     inside, outside, size_);
    descend(level + 1, inside, n, cell + s * stride);
    rows = outside;
    count -= n;
  }
  descend(level + 1, rows, count, cell + left_out * stride);
}

void RowSplitter::keep(std::size_t cell, const Word* rows, std::uint64_t count) {
  const auto number = static_cast<std::uint32_t>(cell);
  if (count * kWordsPerRow <= size_) {
    const auto begin = static_cast<std::uint32_t>(rare_rows_.size());
    for (std::size_t i = 0; i < size_; ++i) {
      for (Word word = rows[i]; word != 0; word &= word - 1) {
        rare_rows_.push_back(static_cast<std::uint32_t>(64 * i) +
                             static_cast<std::uint32_t>(std::countr_zero(word)));
      }
    }
    rare_cells_.push_back({number, begin, static_cast<std::uint32_t>(rare_rows_.size())});
    return;
  }
  Word* kept = room_for(rows_.size());
  std::copy_n(rows, size_, kept);
  cells_.push_back(number);
  rows_.push_back(kept);
  counts_.push_back(count);
}

Word* RowSplitter::room_for(std::size_t i) {
  const std::size_t words = std::min(kBlockWords, bitmaps_.n_words());
  if (i / kCellsAtOnce == kept_.size()) kept_.emplace_back(kCellsAtOnce * words);
  return kept_[i / kCellsAtOnce].data() + i % kCellsAtOnce * words;
}

}  // namespace dagwright
