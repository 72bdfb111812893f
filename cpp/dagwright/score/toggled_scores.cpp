#include "dagwright/score/toggled_scores.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace dagwright {

namespace {

// With fewer candidates than one for so many variables, a row for all of them would take more memory than
// it saves.
constexpr std::size_t kVariablesPerCandidate = 8;

}  // namespace

void ToggledFamily::become(const Scorer& scorer, const Family& family, std::size_t n_candidates) {
  family_ = family;
  many_ = n_candidates * kVariablesPerCandidate >= scorer.n_variables();
  if (!many_) return;
  asked_ = scorer.ask(family_);
  if (dynamic_cast<const SetScore*>(scorer.score_.get())) {
    const Fingerprint bases[] = {asked_.parents + Fingerprint::of_member(family_.child), asked_.parents};
    ScoreRows::Found* const rows[] = {&joint_, &parents_};
    scorer.rows_.find_rows(bases, rows);
  } else {
    const Fingerprint bases[] = {asked_.parents + Fingerprint::of_child(family_.child)};
    ScoreRows::Found* const rows[] = {&joint_};
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

// What others have put into a new row meanwhile is not looked for: they count other candidates.
void ToggledScores::read(const ScoreRows::Found& found, std::span<const Variable> candidates,
                         std::span<double> numbers) {
  if (found.is_new) {
    found.row.prefetch();
    std::fill(numbers.begin(), numbers.end(), std::numeric_limits<double>::quiet_NaN());
  } else {
    found.row.read(candidates, numbers);
  }
}

void ToggledScores::extend_family(std::span<const Variable> candidates, std::span<double> scores,
                                Run& run) {
  read(base_->joint_, candidates, scores);
  missing_.find(candidates, scores);
  if (missing_.variables.empty()) return;
  n_counted_ += missing_.variables.size();
  extensions().count(missing_.variables, run, [&](std::size_t k, const ExtensionCounts& counts) {
    scores[missing_.place(k)] = scorer_.score_->local(counts.family());
  });
  base_->joint_.row.put(candidates, scores);
}

void ToggledScores::extend_set(const SetScore& score, std::span<const Variable> candidates,
                             std::span<double> scores, Run& run) {
  joint_.resize(candidates.size());
  of_parents_.resize(candidates.size());
  read(base_->joint_, candidates, joint_);
  read(base_->parents_, candidates, of_parents_);
  const auto is_unknown = [](double number) { return std::isnan(number); };
  const bool parents_known = std::none_of(of_parents_.begin(), of_parents_.end(), is_unknown);
  missing_.find(candidates, joint_);
  if (!missing_.variables.empty()) {
    n_counted_ += missing_.variables.size();
    // What is not known of the family tells the parents too. All that is used is a member, so that no memory is
    // taken for it.
    extensions().count(missing_.variables, run, [this](std::size_t k, const ExtensionCounts& counts) {
      const std::size_t place = missing_.place(k);
      if (!std::isnan(of_parents_[place])) {
        joint_[place] = set_score_->extension_joint(counts, scorer_.total());
        return;
      }
      const SetScore::Values values = set_score_->extension_values(counts, scorer_.total());
      joint_[place] = values.joint;
      of_parents_[place] = values.parents;
    });
    base_->joint_.row.put(candidates, joint_);
  }
  if (!parents_known) {
    missing_.find(candidates, of_parents_);
    if (!missing_.variables.empty()) count_parents(run);
    base_->parents_.row.put(candidates, of_parents_);
  }
  const Count total = scorer_.total();
  double n_parameters = -1, term = 0;  // of the last candidate: most have as many states as that
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const double more = base_->asked_.n_parameters * scorer_.arities()[candidates[i]];
    if (more != n_parameters) term = score.family_term(n_parameters = more, total);
    scores[i] = joint_[i] - of_parents_[i] + term;
  }
}

// The parents alone are a smaller table than the family.
void ToggledScores::count_parents(Run& run) {
  const auto& parents = base_->family().parents;
  n_counted_ += missing_.variables.size();
  if (parents.empty()) {
    std::vector<Family> singles;
    for (const Variable x : missing_.variables) singles.push_back({x, {}});
    scorer_.source_->count(singles, run, [this](std::size_t k, const FamilyCounts& counts) {
      of_parents_[missing_.place(k)] = set_score_->set_values(counts).joint;
    });
    return;
  }
  Family last{parents.back(), parents};
  last.parents.pop_back();
  if (!extensions_of_parents_) extensions_of_parents_ = scorer_.source_->extensions();
  extensions_of_parents_->begin(last);
  extensions_of_parents_->count(
      missing_.variables, run, [this](std::size_t k, const ExtensionCounts& counts) {
        of_parents_[missing_.place(k)] = set_score_->extension_joint(counts, scorer_.total());
      });
}

void ToggledScores::Missing::find(std::span<const Variable> candidates, std::span<const double> numbers) {
  some_.clear();
  places_.clear();
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if (!std::isnan(numbers[i])) continue;
    some_.push_back(candidates[i]);
    places_.push_back(i);
  }
  variables = some_;
}

}  // namespace dagwright
