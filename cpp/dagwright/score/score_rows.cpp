#include "dagwright/score/score_rows.hpp"

#include <mutex>

namespace dagwright {

namespace {

// Of a row: its numbers, and what finding it takes.
std::size_t bytes_of_row(std::size_t n_variables) { return 128 + n_variables * sizeof(double); }

}  // namespace

ScoreRows::ScoreRows(std::size_t n_variables, std::size_t max_bytes)
    : n_variables_(n_variables), most_rows_(max_bytes / bytes_of_row(n_variables)) {}

std::shared_ptr<ScoreRow> ScoreRows::row(const Fingerprint& base) {
  Rows& rows = rows_.get();
  {
    const std::shared_lock lock(rows.mutex);
    if (const auto place = rows.by_base.find(base); place != rows.by_base.end()) return place->second;
  }
  auto made = std::make_shared<ScoreRow>(n_variables_);
  if (most_rows_ == 0) return made;
  const std::unique_lock lock(rows.mutex);
  if (rows.by_base.size() >= most_rows_) rows.by_base.clear();
  return rows.by_base.try_emplace(base, std::move(made)).first->second;
}

std::optional<double> ScoreRows::find(const Fingerprint& set, std::span<const Variable> members) const {
  Rows& rows = rows_.get();
  const std::shared_lock lock(rows.mutex);
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
  const std::shared_lock lock(rows.mutex);
  return rows.by_base.size() * bytes_of_row(n_variables_);
}

}  // namespace dagwright
