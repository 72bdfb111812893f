#include "dagwright/score/score_rows.hpp"

#include <algorithm>
#include <limits>
#include <mutex>

#include "dagwright/base/wait_awake.hpp"

namespace dagwright {

namespace {

// Rows take their memory in blocks: asking for that of each one takes longer than filling it.
constexpr std::size_t kBytesOfABlock = 64 * 1024;

// Of a row: its words, and what finding it takes.
std::size_t bytes_of_row(std::size_t n_variables) {
  return 128 + (ScoreRow::n_marks(n_variables) + n_variables) * sizeof(ScoreRow::Word);
}

}  // namespace

ScoreRows::ScoreRows(std::size_t n_variables, std::size_t max_bytes)
    : n_variables_(n_variables),
      most_rows_(max_bytes / bytes_of_row(n_variables)),
      rows_of_block_(std::clamp<std::size_t>(kBytesOfABlock / bytes_of_row(n_variables), 1,
                                             std::max<std::size_t>(most_rows_, 1))) {}

void ScoreRow::make_unknown(Variable v) const {
  const auto unknown = std::bit_cast<Word>(std::numeric_limits<double>::quiet_NaN());
  const std::size_t begin = v / kChunk * kChunk;
  for (std::size_t i = begin; i < std::min(begin + kChunk, n_variables_); ++i)
    std::atomic_ref(numbers_[i]).store(unknown, std::memory_order_relaxed);
  std::atomic_ref(marks_[v / kMarked]).fetch_or(Word{1} << (v / kChunk % 64), std::memory_order_release);
}

ScoreRow ScoreRows::new_row(Rows& rows) const {
  const std::size_t n_marks = ScoreRow::n_marks(n_variables_);
  if (rows.n_in_block == rows_of_block_) rows.block = nullptr;
  if (rows.block == nullptr) {
    // All marks, then all numbers: who makes a row does not touch the memory of those who fill it.
    rows.block = std::make_shared_for_overwrite<ScoreRow::Word[]>(rows_of_block_ * (n_marks + n_variables_));
    std::fill_n(rows.block.get(), rows_of_block_ * n_marks, ScoreRow::Word{0});
    rows.n_in_block = 0;
  }
  const std::size_t i = rows.n_in_block++;
  ScoreRow::Word* const begin = rows.block.get();
  return ScoreRow(rows.block, begin + i * n_marks, begin + rows_of_block_ * n_marks + i * n_variables_,
                  n_variables_);
}

void ScoreRows::find_rows(std::span<const Fingerprint> bases,
                          std::span<ScoreRow* const> found) {
  Rows& rows = rows_.get();
  const std::unique_lock lock = locked_awake(rows.mutex);
  for (std::size_t i = 0; i < bases.size(); ++i) {
    if (const auto place = rows.by_base.find(bases[i]); place != rows.by_base.end()) {
      *found[i] = place->second;
      continue;
    }
    *found[i] = new_row(rows);
    if (most_rows_ == 0) continue;
    if (rows.by_base.size() >= most_rows_) rows.by_base.clear();
    rows.by_base.try_emplace(bases[i], *found[i]);
  }
}

ScoreRows::Use::Use(Rows& rows) : rows_(rows), lock_(locked_awake(rows.mutex)) {}

ScoreRows::Use ScoreRows::use() const { return Use(rows_.get()); }

std::optional<double> ScoreRows::Use::find(
    const Fingerprint& set, std::initializer_list<std::span<const Variable>> members) const {
  if (rows_.by_base.empty()) return std::nullopt;
  for (const auto& some : members) {
    for (const Variable v : some) {
      const auto place = rows_.by_base.find(set - Fingerprint::of_member(v));
      if (place == rows_.by_base.end()) continue;
      const double number = place->second.at(v);
      if (!std::isnan(number)) return number;
    }
  }
  return std::nullopt;
}

std::size_t ScoreRows::size() const { return bytes() / bytes_of_row(n_variables_) * n_variables_; }

std::size_t ScoreRows::bytes() const {
  Rows& rows = rows_.get();
  const std::unique_lock lock = locked_awake(rows.mutex);
  return rows.by_base.size() * bytes_of_row(n_variables_);
}

}  // namespace dagwright
