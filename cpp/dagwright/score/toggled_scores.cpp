#include "dagwright/score/toggled_scores.hpp"

#include <algorithm>
#include <cmath>

namespace dagwright {

namespace {

// With fewer candidates than one for so many variables, a row for all of them would take more memory than
// it saves.
constexpr std::size_t kVariablesPerCandidate = 8;

}  // namespace

ToggledFamily::ToggledFamily(const Scorer& scorer, Family family, std::size_t n_candidates)
    : family_(std::move(family)), many_(n_candidates * kVariablesPerCandidate >= scorer.n_variables()) {
  if (!many_) return;
  asked_ = scorer.ask(family_);
  if (dynamic_cast<const SetScore*>(scorer.score_.get())) {
    const Fingerprint bases[] = {asked_.parents + Fingerprint::of_member(family_.child), asked_.parents};
    ScoreRow* const rows[] = {&joint_row_, &parents_row_};
    scorer.rows_.find_rows(bases, rows);
  } else {
    const Fingerprint bases[] = {asked_.parents + Fingerprint::of_child(family_.child)};
    ScoreRow* const rows[] = {&joint_row_};
    scorer.rows_.find_rows(bases, rows);
  }
}

ToggledScores::ToggledScores(const Scorer& scorer)
    : scorer_(scorer), set_score_(dynamic_cast<const SetScore*>(scorer.score_.get())) {}

ToggledScores::~ToggledScores() {
  scorer_.asked_ += n_asked_;
  scorer_.counted_ += n_counted_;
}

void ToggledScores::begin(const ToggledFamily& base) {
  base_ = &base;
  begun_ = false;
}

Extensions& ToggledScores::extensions() {
  if (!extensions_) extensions_ = scorer_.source_->extensions();
  if (!begun_) extensions_->begin(base_->family());
  begun_ = true;
  return *extensions_;
}

void ToggledScores::count(std::span<const Variable> candidates, std::span<double> scores, Run& run) {
  const auto is_candidate = [&](Variable parent) {
    return std::find(candidates.begin(), candidates.end(), parent) != candidates.end();
  };
  const Family& family = base_->family();
  const auto& parents = family.parents;
  if (!base_->many_) {
    const std::vector<double> few = scorer_.toggled_few(family, candidates, run);
    std::copy(few.begin(), few.end(), scores.begin());
  } else if (std::none_of(parents.begin(), parents.end(), is_candidate)) {
    extend(candidates, scores, run);
  } else {
    std::vector<Variable> added;
    std::vector<Family> removed;
    std::vector<std::size_t> added_places, removed_places;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      if (std::binary_search(parents.begin(), parents.end(), candidates[i])) {
        removed.push_back(toggled(family, candidates[i]));
        removed_places.push_back(i);
      } else {
        added.push_back(candidates[i]);
        added_places.push_back(i);
      }
    }
    const std::vector<double> without = scorer_.local(removed, run);
    for (std::size_t k = 0; k < removed.size(); ++k) scores[removed_places[k]] = without[k];
    std::vector<double> with(added.size());
    extend(added, with, run);
    for (std::size_t k = 0; k < added.size(); ++k) scores[added_places[k]] = with[k];
  }
}

// The scores of the family with each candidate added, none of which is a parent.
void ToggledScores::extend(std::span<const Variable> candidates, std::span<double> scores, Run& run) {
  const Family& family = base_->family();
  for (const Variable x : candidates) {
    if (x >= scorer_.n_variables() || x == family.child ||
        base_->asked_.n_parameters * scorer_.arities()[x] > kMostConfigs)
      scorer_.ask(toggled(family, x));
  }
  set_score_ ? extend_set(*set_score_, candidates, scores, run) : extend_family(candidates, scores, run);
  n_asked_ += scores.size();
  scorer_.finish(scores, [&](std::size_t i) { return toggled(family, candidates[i]); }, run);
}

void ToggledScores::extend_family(std::span<const Variable> candidates, std::span<double> scores,
                                Run& run) {
  const ScoreRow& joint = base_->joint_row_;
  missing_.clear();
  for (std::size_t i = 0; i < scores.size(); ++i) {
    scores[i] = joint.at(candidates[i]);
    if (std::isnan(scores[i])) missing_.add(candidates[i], i);
  }
  if (missing_.variables.empty()) return;
  n_counted_ += missing_.variables.size();
  extensions().count(missing_.variables, run, [&](std::size_t k, const ExtensionCounts& counts) {
    scores[missing_.places[k]] = scorer_.score_->local(counts.family());
    joint.put(missing_.variables[k], scores[missing_.places[k]]);
  });
}

void ToggledScores::extend_set(const SetScore& score, std::span<const Variable> candidates,
                             std::span<double> scores, Run& run) {
  // What is not known of the family tells the parents too; the parents alone are a smaller table.
  const ScoreRow &joint = base_->joint_row_, &of_parents = base_->parents_row_;
  missing_.clear();
  missing_parents_.clear();
  values_.resize(candidates.size());
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    values_[i] = {joint.at(candidates[i]), of_parents.at(candidates[i])};
    if (std::isnan(values_[i].joint)) {
      missing_.add(candidates[i], i);
    } else if (std::isnan(values_[i].parents)) {
      missing_parents_.add(candidates[i], i);
    }
  }
  const Count total = scorer_.total();
  n_counted_ += missing_.variables.size() + missing_parents_.variables.size();
  if (!missing_.variables.empty()) {
    // What it uses is a member, so that no memory is taken for it.
    extensions().count(missing_.variables, run, [this](std::size_t k, const ExtensionCounts& counts) {
      const SetScore::Values values = set_score_->extension_values(counts, scorer_.total());
      values_[missing_.places[k]] = values;
      base_->joint_row_.put(missing_.variables[k], values.joint);
      base_->parents_row_.put(missing_.variables[k], values.parents);
    });
  }
  if (!missing_parents_.variables.empty()) count_parents(run);
  double n_parameters = -1, term = 0;  // of the last candidate: most have as many states as that
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const double more = base_->asked_.n_parameters * scorer_.arities()[candidates[i]];
    if (more != n_parameters) term = score.family_term(n_parameters = more, total);
    scores[i] = values_[i].joint - values_[i].parents + term;
  }
}

void ToggledScores::count_parents(Run& run) {
  const auto& variables = missing_parents_.variables;
  const auto& parents = base_->family().parents;
  if (parents.empty()) {
    std::vector<Family> singles;
    for (const Variable x : variables) singles.push_back({x, {}});
    scorer_.source_->count(singles, run, [this](std::size_t k, const FamilyCounts& counts) {
      put_parents(k, set_score_->set_values(counts).joint);
    });
    return;
  }
  Family of_parents{parents.back(), parents};
  of_parents.parents.pop_back();
  if (!of_parents_) of_parents_ = scorer_.source_->extensions();
  of_parents_->begin(of_parents);
  of_parents_->count(variables, run, [this](std::size_t k, const ExtensionCounts& counts) {
    put_parents(k, set_score_->extension_values(counts, scorer_.total()).joint);
  });
}

void ToggledScores::put_parents(std::size_t k, double number) {
  values_[missing_parents_.places[k]].parents = number;
  base_->parents_row_.put(missing_parents_.variables[k], number);
}

}  // namespace dagwright
