#include "dagwright/score/scorer.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "dagwright/score/penalized.hpp"

namespace dagwright {

namespace {

// Beyond this a product of arities is too near to infinity to divide by.
constexpr double kMostConfigs = 1e300;

// A child marked as such, so that a family has another fingerprint than the set of its members.
Fingerprint of_child(Variable child) {
  return Fingerprint::of_member(child + (std::uint64_t{1} << 32));
}

}  // namespace

Scorer::Scorer(std::shared_ptr<const CountSource> source, std::shared_ptr<const Score> score,
               std::shared_ptr<const StructurePrior> prior, std::size_t cache_bytes)
    : source_(std::move(source)),
      score_(std::move(score)),
      prior_(std::move(prior)),
      cache_(cache_bytes) {}

void Scorer::check(Variable child, std::span<const Variable> parents) const {
  const std::size_t n = n_variables();
  if (child >= n) throw std::out_of_range("no such variable");
  double configs = 1.0;
  for (std::size_t i = 0; i < parents.size(); ++i) {
    if (parents[i] >= n) throw std::out_of_range("no such variable");
    if (parents[i] == child || (i > 0 && parents[i - 1] >= parents[i])) {
      throw std::invalid_argument("parents are sorted, distinct and other than the child");
    }
    configs *= arities()[parents[i]];
  }
  if (configs > kMostConfigs) {
    throw FamilyError({child, {parents.begin(), parents.end()}},
                      "has more than 1e300 configurations of its parents");
  }
}

std::vector<double> Scorer::local(std::span<const Family> families, Run& run) const {
  FamilyBatch batch;
  std::size_t n_parents = 0;
  for (const Family& family : families) n_parents += family.parents.size();
  batch.reserve(families.size(), n_parents);
  for (const Family& family : families) batch.add(family.child, family.parents);
  return score(batch, run, [&](const std::vector<std::size_t>& missing,
                               const CountSource::Use& use) {
    if (missing.size() == families.size()) return source_->count(families, run, use);
    std::vector<Family> to_count;
    to_count.reserve(missing.size());
    for (const std::size_t i : missing) to_count.push_back(families[i]);
    source_->count(to_count, run, use);
  });
}

std::vector<double> Scorer::gains(const Family& family, std::span<const Variable> candidates,
                                  Run& run) const {
  FamilyBatch batch;
  batch.reserve(candidates.size() + 1, (candidates.size() + 1) * (family.parents.size() + 1));
  batch.add(family.child, family.parents);
  for (const Variable candidate : candidates) batch.add_toggled(family, candidate);
  std::vector<double> scores = score(batch, run, [&](const std::vector<std::size_t>& missing,
                                                     const CountSource::Use& use) {
    // Additions are counted all against one family; the few others one by one.
    std::vector<Variable> added;
    std::vector<Family> others;
    std::vector<std::size_t> added_places, other_places;
    for (std::size_t k = 0; k < missing.size(); ++k) {
      const std::size_t i = missing[k];
      if (batch.parents(i).size() > family.parents.size()) {
        added.push_back(candidates[i - 1]);
        added_places.push_back(k);
      } else {
        others.push_back(batch.family(i));
        other_places.push_back(k);
      }
    }
    if (!others.empty()) {
      source_->count(others, run, [&](std::size_t j, const FamilyCounts& counts) {
        use(other_places[j], counts);
      });
    }
    source_->count_extensions(family, added, run, [&](std::size_t j, const FamilyCounts& counts) {
      use(added_places[j], counts);
    });
  });
  const double before = scores.front();
  scores.erase(scores.begin());
  for (double& score : scores) score -= before;
  return scores;
}

std::vector<double> Scorer::score(const FamilyBatch& batch, Run& run,
                                  const CountMissing& count_missing) const {
  for (std::size_t i = 0; i < batch.size(); ++i) check(batch.child(i), batch.parents(i));
  std::vector<double> scores(batch.size());
  if (const auto* set_score = dynamic_cast<const SetScore*>(score_.get())) {
    score_sets(*set_score, batch, scores, count_missing);
  } else {
    score_families(batch, scores, count_missing);
  }
  for (std::size_t i = 0; i < batch.size(); ++i) {
    if (!std::isfinite(scores[i])) {
      throw FamilyError(batch.family(i), "has the score " + std::to_string(scores[i]));
    }
    if (!prior_) continue;
    const double log_prior = prior_->local(batch.family(i));
    if (!std::isfinite(log_prior)) {
      throw FamilyError(batch.family(i), "has the log prior " + std::to_string(log_prior));
    }
    scores[i] += log_prior;
  }
  run.progress.families_scored += batch.size();
  return scores;
}

void Scorer::score_sets(const SetScore& score, const FamilyBatch& batch, std::span<double> out,
                        const CountMissing& count_missing) const {
  struct Prints {
    Fingerprint joint, parents;
  };
  std::vector<Prints> prints(batch.size());
  std::vector<SetScore::Values> values(batch.size());
  std::vector<std::size_t> missing;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    const Fingerprint parents = Fingerprint::of_set(batch.parents(i));
    prints[i] = {parents + Fingerprint::of_member(batch.child(i)), parents};
  }
  {
    const std::lock_guard lock(mutex_);
    asked_ += batch.size();
    // The cache is far larger than the processor's: all places are called for before the first visit.
    for (const Prints& print : prints) {
      cache_.prefetch(print.joint);
      cache_.prefetch(print.parents);
    }
    for (std::size_t i = 0; i < batch.size(); ++i) {
      const auto joint = cache_.find(prints[i].joint);
      const auto parents = joint ? cache_.find(prints[i].parents) : std::nullopt;
      if (joint && parents) {
        values[i] = {*joint, *parents};
      } else {
        missing.push_back(i);
      }
    }
    counted_ += missing.size();
  }
  if (!missing.empty()) {
    count_missing(missing, [&](std::size_t k, const FamilyCounts& counts) {
      values[missing[k]] = score.set_values(counts);
    });
    const std::lock_guard lock(mutex_);
    for (const std::size_t i : missing) {
      cache_.insert(prints[i].joint, values[i].joint);
      cache_.insert(prints[i].parents, values[i].parents);
    }
  }
  for (std::size_t i = 0; i < batch.size(); ++i) {
    double n_parameters = arities()[batch.child(i)] - 1.0;
    for (const Variable parent : batch.parents(i)) n_parameters *= arities()[parent];
    out[i] = values[i].joint - values[i].parents +
             score.family_term(n_parameters, source_->total());
  }
}

void Scorer::score_families(const FamilyBatch& batch, std::span<double> out,
                            const CountMissing& count_missing) const {
  std::vector<Fingerprint> prints(batch.size());
  std::vector<std::size_t> missing;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    prints[i] = Fingerprint::of_set(batch.parents(i)) + of_child(batch.child(i));
  }
  {
    const std::lock_guard lock(mutex_);
    asked_ += batch.size();
    for (const Fingerprint& print : prints) cache_.prefetch(print);
    for (std::size_t i = 0; i < batch.size(); ++i) {
      if (const auto score = cache_.find(prints[i])) {
        out[i] = *score;
      } else {
        missing.push_back(i);
      }
    }
    counted_ += missing.size();
  }
  if (!missing.empty()) {
    count_missing(missing, [&](std::size_t k, const FamilyCounts& counts) {
      out[missing[k]] = score_->local(counts);
    });
    const std::lock_guard lock(mutex_);
    for (const std::size_t i : missing) cache_.insert(prints[i], out[i]);
  }
}

double Scorer::entropy(std::vector<Variable> variables, Run& run) const {
  std::sort(variables.begin(), variables.end());
  variables.erase(std::unique(variables.begin(), variables.end()), variables.end());
  if (variables.empty()) return 0.0;
  Family family;
  family.child = variables.back();
  variables.pop_back();
  family.parents = std::move(variables);
  check(family.child, family.parents);
  double sum = 0;
  source_->count(std::span(&family, 1), run, [&](std::size_t, const FamilyCounts& counts) {
    sum = entropy_sums(counts).joint;
  });
  const double n = total();
  return n > 0 ? std::max(0.0, std::log(n) - sum / n) : 0.0;
}

double Scorer::upper_bound(const Family& family, Run& run) const {
  check(family.child, family.parents);
  double bound = 0;
  source_->count(std::span(&family, 1), run, [&](std::size_t, const FamilyCounts& counts) {
    bound = score_->upper_bound(counts);
  });
  return prior_ ? bound + prior_->upper_bound(family) : bound;
}

ScorerStats Scorer::stats() const {
  const std::lock_guard lock(mutex_);
  return {asked_, counted_, cache_.size(), cache_.bytes()};
}

}  // namespace dagwright
