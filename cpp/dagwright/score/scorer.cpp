#include "dagwright/score/scorer.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "dagwright/score/penalized.hpp"

namespace dagwright {

namespace {

// Beyond this a product of arities is too near to infinity to divide by.
constexpr double kMostConfigs = 1e300;

// Keys of the cache, written over the last one to spare the memory.
void joint_key(const Family& family, std::vector<Variable>& key) {
  key = family.parents;
  key.insert(std::lower_bound(key.begin(), key.end(), family.child), family.child);
}

void family_key(const Family& family, std::vector<Variable>& key) {
  key.assign(1, family.child);
  key.insert(key.end(), family.parents.begin(), family.parents.end());
}

}  // namespace

Scorer::Scorer(std::shared_ptr<const CountSource> source, std::shared_ptr<const Score> score,
               std::shared_ptr<const StructurePrior> prior, std::size_t cache_bytes)
    : source_(std::move(source)),
      score_(std::move(score)),
      prior_(std::move(prior)),
      cache_(cache_bytes) {}

void Scorer::check(const Family& family) const {
  const std::size_t n = n_variables();
  if (family.child >= n) throw std::out_of_range("no such variable");
  double configs = 1.0;
  for (std::size_t i = 0; i < family.parents.size(); ++i) {
    const Variable parent = family.parents[i];
    if (parent >= n) throw std::out_of_range("no such variable");
    if (parent == family.child || (i > 0 && family.parents[i - 1] >= parent)) {
      throw std::invalid_argument("parents are sorted, distinct and other than the child");
    }
    configs *= arities()[parent];
  }
  if (configs > kMostConfigs) {
    throw FamilyError(family, "has more than 1e300 configurations of its parents");
  }
}

std::vector<double> Scorer::local(std::span<const Family> families, Run& run) const {
  for (const Family& family : families) check(family);
  return score(families, run, [&](const std::vector<std::size_t>& missing,
                                  const CountSource::Use& use) {
    std::vector<Family> to_count;
    to_count.reserve(missing.size());
    for (const std::size_t i : missing) to_count.push_back(families[i]);
    source_->count(to_count, run, use);
  });
}

std::vector<double> Scorer::gains(const Family& family, std::span<const Variable> candidates,
                                  Run& run) const {
  std::vector<Family> families;
  families.reserve(candidates.size() + 1);
  families.push_back(family);
  for (const Variable candidate : candidates) {
    Family& toggled = families.emplace_back(family);
    const auto place =
        std::lower_bound(toggled.parents.begin(), toggled.parents.end(), candidate);
    if (place != toggled.parents.end() && *place == candidate) {
      toggled.parents.erase(place);
    } else {
      toggled.parents.insert(place, candidate);
    }
  }
  for (const Family& toggled : families) check(toggled);
  std::vector<double> scores = score(families, run, [&](const std::vector<std::size_t>& missing,
                                                        const CountSource::Use& use) {
    // Additions are counted all against one family; the few others one by one.
    std::vector<Variable> added;
    std::vector<Family> others;
    std::vector<std::size_t> added_places, other_places;
    for (std::size_t k = 0; k < missing.size(); ++k) {
      const std::size_t i = missing[k];
      if (families[i].parents.size() > family.parents.size()) {
        added.push_back(candidates[i - 1]);
        added_places.push_back(k);
      } else {
        others.push_back(families[i]);
        other_places.push_back(k);
      }
    }
    source_->count(others, run, [&](std::size_t j, const FamilyCounts& counts) {
      use(other_places[j], counts);
    });
    source_->count_extensions(family, added, run, [&](std::size_t j, const FamilyCounts& counts) {
      use(added_places[j], counts);
    });
  });
  const double before = scores.front();
  scores.erase(scores.begin());
  for (double& score : scores) score -= before;
  return scores;
}

std::vector<double> Scorer::score(std::span<const Family> families, Run& run,
                                  const CountMissing& count_missing) const {
  std::vector<double> scores(families.size());
  if (const auto* set_score = dynamic_cast<const SetScore*>(score_.get())) {
    score_sets(*set_score, families, scores, count_missing);
  } else {
    score_families(families, scores, count_missing);
  }
  for (std::size_t i = 0; i < families.size(); ++i) {
    if (!std::isfinite(scores[i])) {
      throw FamilyError(families[i], "has the score " + std::to_string(scores[i]));
    }
    if (!prior_) continue;
    const double log_prior = prior_->local(families[i]);
    if (!std::isfinite(log_prior)) {
      throw FamilyError(families[i], "has the log prior " + std::to_string(log_prior));
    }
    scores[i] += log_prior;
  }
  run.progress.families_scored += families.size();
  return scores;
}

void Scorer::score_sets(const SetScore& score, std::span<const Family> families,
                        std::span<double> out, const CountMissing& count_missing) const {
  std::vector<SetScore::Values> values(families.size());
  std::vector<std::size_t> missing;
  std::vector<Variable> key;
  {
    const std::lock_guard lock(mutex_);
    asked_ += families.size();
    for (std::size_t i = 0; i < families.size(); ++i) {
      joint_key(families[i], key);
      const auto joint = cache_.find(key);
      const auto parents = joint ? cache_.find(families[i].parents) : std::nullopt;
      if (joint && parents) {
        values[i] = {*joint, *parents};
      } else {
        missing.push_back(i);
      }
    }
    counted_ += missing.size();
  }
  count_missing(missing, [&](std::size_t k, const FamilyCounts& counts) {
    values[missing[k]] = score.set_values(counts);
  });
  {
    const std::lock_guard lock(mutex_);
    for (const std::size_t i : missing) {
      joint_key(families[i], key);
      cache_.insert(key, values[i].joint);
      cache_.insert(families[i].parents, values[i].parents);
    }
  }
  for (std::size_t i = 0; i < families.size(); ++i) {
    out[i] = values[i].joint - values[i].parents +
             score.family_term(n_parameters(families[i]), source_->total());
  }
}

void Scorer::score_families(std::span<const Family> families, std::span<double> out,
                            const CountMissing& count_missing) const {
  std::vector<std::size_t> missing;
  std::vector<Variable> key;
  {
    const std::lock_guard lock(mutex_);
    asked_ += families.size();
    for (std::size_t i = 0; i < families.size(); ++i) {
      family_key(families[i], key);
      if (const auto score = cache_.find(key)) {
        out[i] = *score;
      } else {
        missing.push_back(i);
      }
    }
    counted_ += missing.size();
  }
  count_missing(missing, [&](std::size_t k, const FamilyCounts& counts) {
    out[missing[k]] = score_->local(counts);
  });
  const std::lock_guard lock(mutex_);
  for (const std::size_t i : missing) {
    family_key(families[i], key);
    cache_.insert(key, out[i]);
  }
}

double Scorer::n_parameters(const Family& family) const {
  double product = arities()[family.child] - 1.0;
  for (const Variable parent : family.parents) product *= arities()[parent];
  return product;
}

double Scorer::entropy(std::vector<Variable> variables, Run& run) const {
  std::sort(variables.begin(), variables.end());
  variables.erase(std::unique(variables.begin(), variables.end()), variables.end());
  if (variables.empty()) return 0.0;
  Family family;
  family.child = variables.back();
  variables.pop_back();
  family.parents = std::move(variables);
  check(family);
  double sum = 0;
  source_->count(std::span(&family, 1), run, [&](std::size_t, const FamilyCounts& counts) {
    sum = entropy_sums(counts).joint;
  });
  const double n = total();
  return n > 0 ? std::max(0.0, std::log(n) - sum / n) : 0.0;
}

double Scorer::upper_bound(const Family& family, Run& run) const {
  check(family);
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
