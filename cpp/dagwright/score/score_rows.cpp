#include "dagwright/score/score_rows.hpp"

#include <algorithm>
#include <limits>
#include <mutex>

#include "dagwright/base/wait_awake.hpp"

namespace dagwright {

namespace {

// Rows take their memory in blocks: asking for that of each one takes longer than filling it.
constexpr std::size_t kBytesOfABlock = 64 * 1024;

// Of a row: its numbers, and what finding it takes.
std::size_t bytes_of_row(std::size_t n_variables) { return 128 + n_variables * sizeof(double); }

}  // namespace

ScoreRows::ScoreRows(std::size_t n_variables, std::size_t max_bytes)
    : n_variables_(n_variables),
      most_rows_(max_bytes / bytes_of_row(n_variables)),
      rows_of_block_(std::clamp<std::size_t>(kBytesOfABlock / bytes_of_row(n_variables), 1,
                                             std::max<std::size_t>(most_rows_, 1))) {}

ScoreRow ScoreRows::new_row(Rows& rows) const {
  if (rows.n_in_block == rows_of_block_) rows.block = nullptr;
  if (rows.block == nullptr) {
    rows.block = std::make_shared_for_overwrite<double[]>(rows_of_block_ * n_variables_);
    rows.n_in_block = 0;
  }
  double* const numbers = rows.block.get() + rows.n_in_block++ * n_variables_;
  std::fill_n(numbers, n_variables_, std::numeric_limits<double>::quiet_NaN());
  return ScoreRow(rows.block, numbers);
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

std::optional<double> ScoreRows::find(const Fingerprint& set, std::span<const Variable> members) const {
  Rows& rows = rows_.get();
  const std::unique_lock lock = locked_awake(rows.mutex);
  if (rows.by_base.empty()) return std::nullopt;
  for (const Variable v : members) {
    const auto place = rows.by_base.find(set - Fingerprint::of_member(v));
    if (place == rows.by_base.end()) continue;
    const double number = place->second.at(v);
    if (!std::isnan(number)) return number;
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
