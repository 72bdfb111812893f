#include "dagwright/score/score_rows.hpp"

#include <mutex>

#include "dagwright/base/wait_awake.hpp"

namespace dagwright {

namespace {

// Of a row: its numbers, and what finding it takes.
std::size_t bytes_of_row(std::size_t n_variables) { return 128 + n_variables * sizeof(double); }

}  // namespace

ScoreRows::ScoreRows(std::size_t n_variables, std::size_t max_bytes)
    : n_variables_(n_variables), most_rows_(max_bytes / bytes_of_row(n_variables)) {}

void ScoreRows::find_rows(std::span<const Fingerprint> bases,
                          std::span<std::shared_ptr<ScoreRow>* const> found) {
  Rows& rows = rows_.get();
  const std::unique_lock lock = locked_awake(rows.mutex);
  for (std::size_t i = 0; i < bases.size(); ++i) {
    if (const auto place = rows.by_base.find(bases[i]); place != rows.by_base.end()) {
      *found[i] = place->second;
      continue;
    }
    *found[i] = std::make_shared<ScoreRow>(n_variables_);
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
    const double number = place->second->at(v);
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
