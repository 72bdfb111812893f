#include "dagwright/data/count_bitmap.hpp"

#include <algorithm>

namespace dagwright {

namespace {
constexpr double kMostCells = 256;
}  // namespace

bool prefers_bitmap(const FamilyShape& shape) { return shape.n_cells() <= kMostCells; }

bool can_count_bitmap(const Bitmaps& bitmaps, const Family& family) {
  return bitmaps.has_planes() && bitmaps.has(family.child) &&
         std::all_of(family.parents.begin(), family.parents.end(),
                     [&](Variable parent) { return bitmaps.has(parent); });
}

void BitmapCounter::count(const FamilyShape& shape, FamilyCounts& out) {
  variables_ = shape.family.parents;
  variables_.push_back(shape.family.child);
  arities_ = shape.parent_arities;
  arities_.push_back(shape.child_arity);
  sizes_.assign(variables_.size() + 1, 1);
  for (std::size_t i = variables_.size(); i-- > 0;) sizes_[i] = sizes_[i + 1] * arities_[i];
  cells_.resize(sizes_[0]);
  if (variables_.size() > scratch_levels_) {
    scratch_levels_ = variables_.size();
    scratch_ = AlignedWords(scratch_levels_ * kBlockWords);
  }
  std::vector<Count>& sums = out.begin_dense(shape);
  if (bitmaps_.counts_all_rows()) {
    add(nullptr, 1.0, sums);
  } else {
    for (const auto& plane : bitmaps_.planes()) add(plane.rows.data(), plane.weight, sums);
  }
  out.end_dense();
}

// Adds the counts of these rows, or of all rows when null, times `weight`.
void BitmapCounter::add(const Word* rows, double weight, std::vector<Count>& sums) {
  for (std::size_t begin = 0; begin < bitmaps_.n_words(); begin += kBlockWords) {
    if (begin > 0) run_.check_inside();
    begin_ = begin;
    size_ = std::min(kBlockWords, bitmaps_.n_words() - begin);
    if (rows == nullptr) {
      fill(0, nullptr, static_cast<std::int64_t>(begin == 0 ? bitmaps_.n_rows() : 0),
           cells_.data());
    } else {
      const Word* block = rows + begin;
      const auto n = static_cast<std::int64_t>(kernels_.and_count(block, block, size_));
      fill(0, block, n, cells_.data());
    }
    for (std::size_t i = 0; i < cells_.size(); ++i) {
      sums[i] += weight * static_cast<double>(cells_[i]);
    }
  }
}

// Null rows are all rows: their counts are known for the whole table at once. They are put down to
// the first block, the others have 0; as all here is linear the sum over blocks comes out right.
std::int64_t BitmapCounter::known(Variable v, State s) const {
  return begin_ == 0 ? static_cast<std::int64_t>(bitmaps_.rows_by_state(v)[s]) : 0;
}

// Fills the table of the variables from this level on, the last one fastest.
void BitmapCounter::fill(std::size_t level, const Word* rows, std::int64_t count,
                         std::int64_t* out) {
  if (level == variables_.size()) {
    *out = count;
    return;
  }
  const Variable v = variables_[level];
  const State left_out = bitmaps_.left_out(v);
  const std::size_t size = sizes_[level + 1];
  std::int64_t* rest = out + left_out * size;
  fill(level + 1, rows, count, rest);
  for (State s = 0; s < arities_[level]; ++s) {
    if (s == left_out) continue;
    std::int64_t* part = out + s * size;
    const Word* state = bitmaps_.state(v, s) + begin_;
    if (level + 1 == variables_.size()) {
      *part = rows == nullptr
                  ? known(v, s)
                  : static_cast<std::int64_t>(kernels_.and_count(rows, state, size_));
      *rest -= *part;
      continue;
    }
    if (rows == nullptr) {
      fill(level + 1, state, known(v, s), part);
    } else {
      Word* inside = scratch_.data() + level * kBlockWords;
      const auto n = static_cast<std::int64_t>(kernels_.and_store(rows, state, inside, size_));
      if (n == 0) {
        std::fill_n(part, size, 0);
        continue;
      }
      fill(level + 1, inside, n, part);
    }
    for (std::size_t i = 0; i < size; ++i) rest[i] -= part[i];
  }
}

}  // namespace dagwright
