#include "dagwright/data/count_bitmap.hpp"

#include <algorithm>
#include <limits>

namespace dagwright {

namespace {
// Counts of rows are kept in 32 bits: half the memory to go through.
constexpr std::size_t kMostRows = std::numeric_limits<std::int32_t>::max();

// Most parts have a few cells: two at a time needs no preparation.
void subtract(const std::int32_t* part, std::size_t size, std::int32_t* rest) {
  std::size_t i = 0;
  for (; i + 2 <= size; i += 2) {
    rest[i] -= part[i];
    rest[i + 1] -= part[i + 1];
  }
  if (i < size) rest[i] -= part[i];
}
}  // namespace

bool can_count_bitmap(const Bitmaps& bitmaps, const Family& family) {
  return bitmaps.has_planes() && bitmaps.n_rows() <= kMostRows && bitmaps.has(family.child) &&
         std::all_of(family.parents.begin(), family.parents.end(),
                     [&](Variable parent) { return bitmaps.has(parent); });
}

void BitmapCounter::count(const FamilyShape& shape, FamilyCounts& out) {
  const std::size_t n = shape.family.parents.size() + 1;
  levels_.resize(n);
  std::size_t size = 1;
  for (std::size_t i = n; i-- > 0;) {
    const bool is_child = i + 1 == n;
    const Variable v = is_child ? shape.family.child : shape.family.parents[i];
    const Arity arity = is_child ? shape.child_arity : shape.parent_arities[i];
    levels_[i] = {v, arity, bitmaps_.left_out(v), size};
    size *= arity;
  }
  if (n > scratch_levels_) {
    scratch_levels_ = n;
    scratch_ = AlignedWords(n * kBlockWords);
  }
  cells_.resize(size);
  std::vector<Count>& sums = out.begin_dense(shape);
  const auto add_cells = [&](double weight) {
    for (std::size_t i = 0; i < size; ++i) sums[i] += weight * static_cast<double>(cells_[i]);
  };
  const std::size_t n_words = bitmaps_.n_words();
  if (bitmaps_.counts_all_rows()) {
    pairs_of_levels_.resize(n * n);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = i + 1; j < n; ++j) {
        pairs_of_levels_[i * n + j] = pairs_.find(levels_[i].variable, levels_[j].variable);
      }
    }
    // What is known of one or two variables is known for the whole table. It is put down to the first
    // block, the others have 0; as all here is linear the sum over blocks comes out right.
    const std::size_t end = n <= 2 ? 1 : n_words;
    for (std::size_t begin = 0; begin < end; begin += kBlockWords) {
      if (begin > 0) run_.check_inside();
      begin_block(begin);
      fill_all(0, begin_ == 0 ? static_cast<std::int32_t>(bitmaps_.n_rows()) : 0, cells_.data());
      add_cells(1.0);
    }
  } else {
    for (const auto& plane : bitmaps_.planes()) {
      for (std::size_t begin = 0; begin < n_words; begin += kBlockWords) {
        if (begin > 0) run_.check_inside();
        begin_block(begin);
        const Word* rows = plane.rows.data() + begin_;
        const auto here = static_cast<std::int32_t>(kernels_.and_count(rows, rows, size_));
        fill_rows(0, rows, here, cells_.data());
        add_cells(plane.weight);
      }
    }
  }
  out.end_dense();
}

// Each of these fills the table of the variables from `level` on, the last one fastest, of some rows
// whose number is `count`. Here: of all rows.
void BitmapCounter::fill_all(std::size_t level, std::int32_t count, std::int32_t* out) {
  const auto& [v, arity, left_out, size] = levels_[level];
  std::int32_t* rest = out + left_out * size;
  if (level + 1 == levels_.size()) {
    *rest = count;
  } else {
    fill_all(level + 1, count, rest);
  }
  for (State s = 0; s < arity; ++s) {
    if (s == left_out) continue;
    const auto n = begin_ == 0 ? static_cast<std::int32_t>(bitmaps_.rows_by_state(v)[s]) : 0;
    std::int32_t* part = out + s * size;
    if (level + 1 == levels_.size()) {
      *part = n;
    } else {
      fill_state(level + 1, level, s, n, part);
    }
    subtract(part, size, rest);
  }
}

// Of the rows with one state of one variable, that of the level `first`.
void BitmapCounter::fill_state(std::size_t level, std::size_t first, State state,
                               std::int32_t count, std::int32_t* out) {
  const auto& [v, arity, left_out, size] = levels_[level];
  const BatchPairs::OfPair pair = pairs_of_levels_[first * levels_.size() + level];
  std::int32_t* rest = out + left_out * size;
  if (level + 1 == levels_.size()) {
    *rest = count;
  } else {
    fill_state(level + 1, first, state, count, rest);
  }
  for (State s = 0; s < arity; ++s) {
    if (s == left_out) continue;
    const std::int32_t n = pair(state, s);
    const std::int32_t here = begin_ == 0 ? n : 0;
    std::int32_t* part = out + s * size;
    if (level + 1 == levels_.size()) {
      *part = here;
      *rest -= here;
      continue;
    }
    if (n == 0) {
      std::fill_n(part, size, 0);
      continue;
    }
    const Word* one = bitmaps_.state(levels_[first].variable, state) + begin_;
    const Word* other = bitmaps_.state(v, s) + begin_;
    if (level + 2 == levels_.size()) {
      kernels_.and_count_within(one, other, last_.data(), last_.size(), size_, found_.data());
      put_last(here, part);
    } else {
      Word* inside = scratch(level);
      kernels_.and_only(one, other, inside, size_);
      fill_rows(level + 1, inside, here, part);
    }
    subtract(part, size, rest);
  }
}

// Of the rows in a bitmap.
void BitmapCounter::fill_rows(std::size_t level, const Word* rows, std::int32_t count,
                              std::int32_t* out) {
  const auto& [v, arity, left_out, size] = levels_[level];
  if (level + 1 == levels_.size()) {
    std::fill(found_.begin(), found_.end(), std::uint64_t{0});
    kernels_.and_count_many(last_.data(), last_.size(), &rows, 1, size_, found_.data());
    put_last(count, out);
    return;
  }
  std::int32_t* rest = out + left_out * size;
  fill_rows(level + 1, rows, count, rest);
  for (State s = 0; s < arity; ++s) {
    if (s == left_out) continue;
    std::int32_t* part = out + s * size;
    const Word* state = bitmaps_.state(v, s) + begin_;
    if (level + 2 == levels_.size()) {
      last_.push_back(rows);  // all rows there, counted with the others
      kernels_.and_count_within(rows, state, last_.data(), last_.size(), size_, found_.data());
      last_.pop_back();
      put_last(static_cast<std::int32_t>(found_[last_.size()]), part);
    } else {
      Word* inside = scratch(level);
      const auto n = static_cast<std::int32_t>(kernels_.and_store(rows, state, inside, size_));
      if (n == 0) {
        std::fill_n(part, size, 0);
        continue;
      }
      fill_rows(level + 1, inside, n, part);
    }
    subtract(part, size, rest);
  }
}

// The row of the last variable: what was found of its states, and the rest of so many rows.
void BitmapCounter::put_last(std::int32_t count, std::int32_t* out) const {
  const auto& [v, arity, left_out, size] = levels_.back();
  const std::uint64_t* found = found_.data();
  for (State s = 0; s < arity; ++s) {
    if (s == left_out) continue;
    out[s] = static_cast<std::int32_t>(*found++);
    count -= out[s];
  }
  out[left_out] = count;
}

// The bitmaps of the last variable's states, for one block.
void BitmapCounter::begin_block(std::size_t begin) {
  begin_ = begin;
  size_ = std::min(kBlockWords, bitmaps_.n_words() - begin);
  const auto& [v, arity, left_out, size] = levels_.back();
  last_.clear();
  for (State s = 0; s < arity; ++s)
    if (s != left_out) last_.push_back(bitmaps_.state(v, s) + begin);
  found_.resize(last_.size() + 1);
}

}  // namespace dagwright
