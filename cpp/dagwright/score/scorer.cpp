#include "dagwright/score/scorer.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "dagwright/score/toggled_scores.hpp"
#include "dagwright/score/penalized.hpp"

namespace dagwright {

Scorer::Scorer(std::shared_ptr<const CountSource> source, std::shared_ptr<const Score> score,
               std::shared_ptr<const StructurePrior> prior, std::size_t cache_bytes)
    : source_(std::move(source)),
      score_(std::move(score)),
      prior_(std::move(prior)),
      cache_bytes_(cache_bytes),
      cache_(cache_bytes / 2),
      rows_(source_->n_variables(), cache_bytes / 2) {}

Scorer::Asked Scorer::ask(const Family& family) const {
  const auto& [child, parents] = family;
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
    throw FamilyError(family, "has more than 1e300 configurations of its parents");
  }
  return {child, Fingerprint::of_set(parents), configs * (arities()[child] - 1.0)};
}

std::vector<double> Scorer::local(std::span<const Family> families, Run& run) const {
  Batch batch;
  local(families, batch, run);
  return std::move(batch.scores);
}

std::span<const double> Scorer::local(std::span<const Family> families, Batch& batch, Run& run) const {
  batch.asked.clear();
  batch.asked.reserve(families.size());
  for (const Family& family : families) batch.asked.push_back(ask(family));
  batch.families = families;
  score(batch, run);
  return batch.scores;
}

double Scorer::local(const Family& family, Run& run) const {
  const auto* set_score = dynamic_cast<const SetScore*>(score_.get());
  if (set_score == nullptr) return local(std::span(&family, 1), run).front();
  const Asked asked = ask(family);
  const auto values = known_values(family, asked.parents);
  if (!values) return local(std::span(&family, 1), run).front();
  double score[] = {values->joint - values->parents +
                    set_score->family_term(asked.n_parameters, total())};
  ++asked_;
  finish(score, [&](std::size_t) { return family; }, run);
  return score[0];
}

// What the caches have of a family; `parents` is the fingerprint of these.
std::optional<SetScore::Values> Scorer::known_values(const Family& family,
                                                     const Fingerprint& parents) const {
  const Fingerprint joint = parents + Fingerprint::of_member(family.child);
  {
    const ScoreCache::Use cache = cache_.use();
    const auto of_joint = cache.find(joint);
    const auto of_parents = of_joint ? cache.find(parents) : std::nullopt;
    if (of_joint && of_parents) return SetScore::Values{*of_joint, *of_parents};
  }
  return values_in_rows(rows_.use(), family, joint, parents);
}

std::optional<SetScore::Values> Scorer::values_in_rows(const ScoreRows::Use& rows, const Family& family,
                                                       const Fingerprint& joint, const Fingerprint& parents) {
  const auto of_parents = rows.find(parents, {family.parents});
  if (!of_parents) return std::nullopt;
  const auto of_joint = rows.find(joint, {family.parents, {&family.child, 1}});
  if (!of_joint) return std::nullopt;
  return SetScore::Values{*of_joint, *of_parents};
}

std::vector<double> Scorer::gains(const Family& family, std::span<const Variable> candidates,
                                  Run& run) const {
  const double before = local(family, run);
  std::vector<double> gains = toggled_scores(family, candidates, run);
  for (double& gain : gains) gain -= before;
  return gains;
}

std::vector<double> Scorer::toggled_scores(const Family& family, std::span<const Variable> candidates,
                                           Run& run) const {
  std::vector<double> scores(candidates.size());
  const std::size_t n_parts = source_->parts_worth_a_thread(family, candidates.size(), run.threads());
  const ToggledFamily base(*this, family, candidates.size());
  const auto count_part = [&](std::size_t part, Run& run_of_part) {
    const std::size_t begin = candidates.size() * part / n_parts;
    const std::size_t size = candidates.size() * (part + 1) / n_parts - begin;
    ToggledScores toggled(*this);
    toggled.begin(base);
    toggled.count(candidates.subspan(begin, size), std::span(scores).subspan(begin, size), run_of_part);
  };
  if (n_parts <= 1) {
    count_part(0, run);
  } else {
    run.parallel_for(n_parts, [&](std::size_t part) {
      Run inner = run.inner();
      count_part(part, inner);
    });
  }
  return scores;
}

std::vector<double> Scorer::toggled_few(const Family& family, std::span<const Variable> candidates,
                                        Run& run) const {
  const auto is_parent = [&](Variable v) {
    return std::binary_search(family.parents.begin(), family.parents.end(), v);
  };
  Batch batch;
  batch.asked.reserve(candidates.size());
  const Asked base = ask(family);
  for (const Variable x : candidates) {
    if (is_parent(x) || x >= n_variables() || x == family.child ||
        base.n_parameters * arities()[x] > kMostConfigs) {
      batch.asked.push_back(ask(toggled(family, x)));
    } else {
      batch.asked.push_back({family.child, base.parents + Fingerprint::of_member(x),
                             base.n_parameters * arities()[x]});
    }
  }
  batch.make_family = [&](std::size_t i) { return toggled(family, candidates[i]); };
  batch.count = [&](const std::vector<std::size_t>& missing, const CountSource::Use& use) {
    // Additions are counted all against one family; the few others one by one.
    std::vector<Variable> added;
    std::vector<Family> others;
    std::vector<std::size_t> added_places, other_places;
    for (std::size_t k = 0; k < missing.size(); ++k) {
      const Variable x = candidates[missing[k]];
      if (is_parent(x)) {
        others.push_back(toggled(family, x));
        other_places.push_back(k);
      } else {
        added.push_back(x);
        added_places.push_back(k);
      }
    }
    if (!others.empty()) {
      source_->count(others, run, [&](std::size_t j, const FamilyCounts& counts) {
        use(other_places[j], counts);
      });
    }
    source_->count_extensions(family, added, run, [&](std::size_t j, const ExtensionCounts& counts) {
      use(added_places[j], counts.family());
    });
  };
  score(batch, run);
  return std::move(batch.scores);
}

void Scorer::score(Batch& batch, Run& run) const {
  batch.scores.resize(batch.asked.size());
  batch.missing.clear();
  asked_ += batch.asked.size();
  if (const auto* set_score = dynamic_cast<const SetScore*>(score_.get())) {
    score_sets(*set_score, batch, run);
  } else {
    score_families(batch, run);
  }
  finish(batch.scores, [&](std::size_t i) { return batch.family(i); }, run);
}

void Scorer::count_missing(Batch& batch, const CountSource::Use& use, Run& run) const {
  counted_ += batch.missing.size();
  if (batch.families.empty()) return batch.count(batch.missing, use);
  if (batch.missing.size() == batch.families.size()) return source_->count(batch.families, run, use);
  batch.to_count.clear();
  for (const std::size_t i : batch.missing) batch.to_count.push_back(batch.families[i]);
  source_->count(batch.to_count, run, use);
}

void Scorer::finish(std::span<double> scores, const std::function<Family(std::size_t)>& family,
                    Run& run) const {
  for (std::size_t i = 0; i < scores.size(); ++i) {
    if (!std::isfinite(scores[i]))
      throw FamilyError(family(i), "has the score " + std::to_string(scores[i]));
    if (prior_) scores[i] += finite_log_prior(family(i));
  }
  run.progress.families_scored += scores.size();
}

void Scorer::score_sets(const SetScore& score, Batch& batch, Run& run) const {
  const auto& asked = batch.asked;
  auto& joints = batch.keys;
  auto& values = batch.values;
  auto& missing = batch.missing;
  joints.resize(asked.size());
  values.resize(asked.size());
  for (std::size_t i = 0; i < asked.size(); ++i) {
    joints[i] = asked[i].parents + Fingerprint::of_member(asked[i].child);
  }
  {
    const ScoreCache::Use cache = cache_.use();
    // The cache is far larger than the processor's: all places are called for before the first visit.
    for (std::size_t i = 0; i < asked.size(); ++i) {
      cache.prefetch(joints[i]);
      cache.prefetch(asked[i].parents);
    }
    for (std::size_t i = 0; i < asked.size(); ++i) {
      const auto joint = cache.find(joints[i]);
      const auto parents = joint ? cache.find(asked[i].parents) : std::nullopt;
      if (joint && parents) {
        values[i] = {*joint, *parents};
      } else {
        missing.push_back(i);
      }
    }
  }
  auto& found = batch.found;
  found = missing;
  if (!missing.empty()) find_in_rows(batch);
  if (!missing.empty()) {
    count_missing(
        batch,
        [&](std::size_t k, const FamilyCounts& counts) { values[missing[k]] = score.set_values(counts); }, run);
  }
  if (!found.empty()) {
    cache_.make_room(2 * found.size());
    ScoreCache::Use cache = cache_.use();
    for (const std::size_t i : found) {
      cache.prefetch(joints[i]);
      cache.prefetch(asked[i].parents);
    }
    for (const std::size_t i : found) {
      cache.insert(joints[i], values[i].joint);
      cache.insert(asked[i].parents, values[i].parents);
    }
  }
  for (std::size_t i = 0; i < asked.size(); ++i) {
    batch.scores[i] = values[i].joint - values[i].parents +
                      score.family_term(asked[i].n_parameters, source_->total());
  }
}

// The values of those that are missing, which then are not any more.
void Scorer::find_in_rows(Batch& batch) const {
  const ScoreRows::Use rows = rows_.use();
  if (rows.empty()) return;
  std::erase_if(batch.missing, [&](std::size_t i) {
    const Fingerprint& joint = batch.keys[i];
    const Fingerprint& parents = batch.asked[i].parents;
    const auto known = batch.families.empty() ? values_in_rows(rows, batch.family(i), joint, parents)
                                              : values_in_rows(rows, batch.families[i], joint, parents);
    if (known) batch.values[i] = *known;
    return known.has_value();
  });
}

void Scorer::score_families(Batch& batch, Run& run) const {
  auto& keys = batch.keys;
  auto& missing = batch.missing;
  auto& scores = batch.scores;
  keys.clear();
  for (const Asked& asked : batch.asked) keys.push_back(asked.parents + Fingerprint::of_child(asked.child));
  {
    const ScoreCache::Use cache = cache_.use();
    for (const Fingerprint& key : keys) cache.prefetch(key);
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (const auto score = cache.find(keys[i])) {
        scores[i] = *score;
      } else {
        missing.push_back(i);
      }
    }
  }
  if (missing.empty()) return;
  count_missing(
      batch,
      [&](std::size_t k, const FamilyCounts& counts) { scores[missing[k]] = score_->local(counts); }, run);
  cache_.make_room(missing.size());
  ScoreCache::Use cache = cache_.use();
  for (const std::size_t i : missing) cache.insert(keys[i], scores[i]);
}

double Scorer::entropy(std::vector<Variable> variables, Run& run) const {
  std::sort(variables.begin(), variables.end());
  variables.erase(std::unique(variables.begin(), variables.end()), variables.end());
  if (variables.empty()) return 0.0;
  Family family;
  family.child = variables.back();
  variables.pop_back();
  family.parents = std::move(variables);
  ask(family);
  double sum = 0;
  source_->count(std::span(&family, 1), run, [&](std::size_t, const FamilyCounts& counts) {
    sum = entropy_sums(counts).joint;
  });
  const double n = total();
  return n > 0 ? std::max(0.0, std::log(n) - sum / n) : 0.0;
}

double Scorer::upper_bound(const Family& family, Run& run) const {
  return upper_bounds(std::span(&family, 1), run)[0];
}

std::vector<double> Scorer::upper_bounds(std::span<const Family> families, Run& run) const {
  std::vector<double> bounds(families.size());
  if (score_->ceiling_is_best()) {
    for (std::size_t i = 0; i < families.size(); ++i) bounds[i] = ceiling(families[i]);
    return bounds;
  }
  for (const Family& family : families) ask(family);
  source_->count(families, run, [&](std::size_t i, const FamilyCounts& counts) {
    bounds[i] = score_->upper_bound(counts);
  });
  if (prior_) {
    for (std::size_t i = 0; i < families.size(); ++i) bounds[i] += prior_->upper_bound(families[i]);
  }
  return bounds;
}

double Scorer::ceiling(const Family& family) const {
  const double ceiling = score_->ceiling(ask(family).n_parameters, total());
  return prior_ ? ceiling + prior_->upper_bound(family) : ceiling;
}

double Scorer::most_gain(const Family& family, Variable added, double information) const {
  const double price = score_->price_of_parameter(total());
  if (std::isinf(price)) return std::numeric_limits<double>::infinity();
  const double more_parameters = ask(family).n_parameters * (arities()[added] - 1.0);
  const double gain = price == 0.0 ? information : information - price * more_parameters;
  return prior_ ? gain + prior_->most_gain(family.child, added) : gain;
}

double Scorer::n_parameters(const Family& family) const {
  double n = arities()[family.child] - 1.0;
  for (const Variable parent : family.parents) n *= arities()[parent];
  return n;
}

double Scorer::unexplained(const Family& family, double score) const {
  return score_->unexplained(prior_ ? score - prior_->local(family) : score, n_parameters(family), total());
}

void Scorer::drop_hopeless(const Family& family, double score, std::span<const double> information,
                           std::vector<Variable>& candidates) const {
  const double price = score_->price_of_parameter(total()) * n_parameters(family);  // of each further state
  const double unexplained = this->unexplained(family, score);
  const double rounding = 1e-10 * total();  // of sums of c ln c, generously
  std::erase_if(candidates, [&](Variable x) {
    const double from_prior = prior_ ? prior_->most_gain(family.child, x) : 0.0;
    return std::min(information[x], unexplained) + rounding + from_prior < price * (arities()[x] - 1.0);
  });
}

double Scorer::finite_log_prior(const Family& family) const {
  const double log_prior = prior_ ? prior_->local(family) : 0.0;
  if (!std::isfinite(log_prior)) {
    throw FamilyError(family, "has the log prior " + std::to_string(log_prior));
  }
  return log_prior;
}

bool Scorer::has_all_families() const {
  return n_variables() > 0 && n_variables() < 32 &&
         dynamic_cast<const CellScore*>(score_.get()) != nullptr;
}

AllFamilies Scorer::all_families(std::size_t max_size, Run& run) const {
  return AllFamilies(dynamic_cast<const CellScore&>(*score_), *source_, max_size, run);
}

ScorerStats Scorer::stats() const {
  return {asked_, counted_, cache_.size() + rows_.size(), cache_.bytes() + rows_.bytes()};
}

}  // namespace dagwright
