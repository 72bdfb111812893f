#include "dagwright/data/extension_counts.hpp"

#include <algorithm>

namespace dagwright {

void ExtensionCounts::put(Variable candidate, Arity arity, const Count* counts) {
  candidate_ = candidate;
  arity_ = arity;
  counts_ = counts;
  made_ = false;
}

// The candidate goes to its place among the parents, which are sorted.
const FamilyCounts& ExtensionCounts::family() const {
  if (counted_ != nullptr) return *counted_;
  if (made_) return family_;
  const auto& parents = base_->family.parents;
  const auto place = static_cast<std::size_t>(
      std::lower_bound(parents.begin(), parents.end(), candidate_) - parents.begin());
  shape_ = *base_;
  const auto at = static_cast<std::ptrdiff_t>(place);
  shape_.family.parents.insert(shape_.family.parents.begin() + at, candidate_);
  shape_.parent_arities.insert(shape_.parent_arities.begin() + at, arity_);
  std::vector<Count>& cells = family_.begin_dense(shape_);
  std::size_t after = base_->child_arity;  // cells of the variables behind the candidate
  for (std::size_t i = place; i < parents.size(); ++i) after *= base_->parent_arities[i];
  const std::size_t before = cells.size() / (after * arity_);
  for (std::size_t a = 0; a < before; ++a) {
    for (std::size_t b = 0; b < after; ++b) {
      for (std::size_t s = 0; s < arity_; ++s) {
        cells[(a * arity_ + s) * after + b] = counts_[(a * after + b) * arity_ + s];
      }
    }
  }
  family_.end_dense();
  made_ = true;
  return family_;
}

std::span<const Count> ExtensionCounts::cells() const {
  if (counted_ != nullptr) return counted_->is_dense() ? counted_->dense_cells() : std::span<const Count>();
  return {counts_, static_cast<std::size_t>(base_->n_cells()) * arity_};
}

std::span<const Count> ExtensionCounts::config_totals() const {
  if (counted_ != nullptr)
    return counted_->is_dense() ? counted_->dense_config_totals() : std::span<const Count>();
  const auto n_configs = static_cast<std::size_t>(base_->n_configs());
  totals_.resize(n_configs * arity_);
  const Count* cell = counts_;
  for (std::size_t config = 0; config < n_configs; ++config) {
    Count* totals = totals_.data() + config * arity_;
    for (std::size_t s = 0; s < arity_; ++s) totals[s] = *cell++;
    for (State state = 1; state < base_->child_arity; ++state)
      for (std::size_t s = 0; s < arity_; ++s) totals[s] += *cell++;
  }
  return totals_;
}

}  // namespace dagwright
