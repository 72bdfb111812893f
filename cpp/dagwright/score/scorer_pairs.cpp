// The scorer's answers for all pairs of variables at once.
#include <algorithm>
#include <array>
#include <cmath>
#include <mutex>
#include <numeric>
#include <utility>

#include "dagwright/score/penalized.hpp"
#include "dagwright/score/scorer.hpp"
#include "dagwright/score/x_log_x.hpp"

namespace dagwright {

namespace {

// All pairs are kept if that takes no more of the memory for rows than one part in so many.
constexpr std::size_t kShareOfPairs = 8;
// Else, of the pairs of one call that gain, so many.
constexpr std::size_t kMostKeptPairs = 100'000;

double checked(double number, Variable child, Variable parent, const char* what) {
  if (!std::isfinite(number)) {
    throw FamilyError({child, {parent}}, "has the " + std::string(what) + std::to_string(number));
  }
  return number;
}

std::size_t n_pairs(std::size_t n, Variable begin, Variable end) {
  std::size_t count = 0;
  for (std::size_t v = begin; v < end; ++v) count += n - v - 1;
  return count;
}

}  // namespace

void Scorer::count_asked(std::size_t n_families, Run& run) const {
  run.progress.families_scored += n_families;
  asked_ += n_families;
  counted_ += n_families;
}

std::vector<double> Scorer::pair_information(Variable begin, Variable end,
                                             std::optional<Variable> given, Run& run) const {
  const auto n = static_cast<Variable>(n_variables());
  std::vector<double> information(std::size_t{end - begin} * n, 0.0);
  // The sums of c ln c of each variable alone, with the given one, and of that one.
  std::vector<Family> singles;
  for (Variable v = begin; v < n; ++v) {
    if (v == given) continue;
    singles.push_back({v, given ? std::vector{*given} : std::vector<Variable>{}});
  }
  const XLogX x_log_x;
  std::vector<double> single_sums(n, 0.0);
  std::vector<double> given_sums(n, x_log_x(total()));
  source_->count(singles, run, [&](std::size_t i, const FamilyCounts& counts) {
    const SetScore::Values sums = entropy_sums(counts);
    single_sums[singles[i].child] = sums.joint;
    if (given) given_sums[singles[i].child] = sums.parents;
  });
  const auto put = [&](Variable v, Variable w, double joint_sum) {
    information[std::size_t{v - begin} * n + w] =
        std::max(0.0, joint_sum - single_sums[v] - single_sums[w] + given_sums[v]);
  };
  if (!given) {
    source_->count_pairs(begin, end, run, [&](Variable v, Variable w, const PairCounts& counts) {
      double sum = 0;
      counts.for_each_cell([&](Count c, State, State) { sum += x_log_x(c); });
      put(v, w, sum);
    });
  } else {
    for (Variable v = begin; v < end; ++v) {
      if (v == given) continue;
      std::vector<Variable> others;
      for (Variable w = v + 1; w < n; ++w) {
        if (w != given) others.push_back(w);
      }
      source_->count_extensions({v, {*given}}, others, run,
                                [&](std::size_t i, const ExtensionCounts& counts) {
                                  put(v, others[i], entropy_sums(counts.family()).joint);
                                });
    }
  }
  count_asked(n_pairs(n, begin, end), run);
  return information;
}

PairGains Scorer::pair_gains(Variable begin, Variable end, Run& run, bool keep) const {
  const auto* cell_score = dynamic_cast<const CellScore*>(score_.get());
  PairGains gains = cell_score ? cell_gains(*cell_score, begin, end, keep, run)
                               : score_gains(begin, end, run);
  if (prior_) add_prior_gains(begin, end, gains, run);
  return gains;
}

PairGains Scorer::cell_gains(const CellScore& score, Variable begin, Variable end, bool keep,
                             Run& run) const {
  const auto n = static_cast<Variable>(n_variables());
  std::vector<Family> singles;
  for (Variable v = begin; v < n; ++v) singles.push_back({v, {}});
  std::vector<double> of_single(n, 0.0);
  double of_none = 0;
  source_->count(singles, run, [&](std::size_t i, const FamilyCounts& counts) {
    const SetScore::Values values = score.set_values(counts);
    of_single[singles[i].child] = values.joint;
    if (i == 0) of_none = values.parents;
  });
  const bool keep_all = keep && begin == 0 && end == n && n <= rows_.most_rows() / kShareOfPairs;
  std::vector<ScoreRows::Found> rows;  // of one variable with each other
  if (keep_all) rows = rows_of_singles(of_single);
  std::vector<double> of_pair(std::size_t{end - begin} * n, 0.0);
  source_->count_pairs(begin, end, run, [&](Variable v, Variable w, const PairCounts& counts) {
    const double value = counts.family() ? score.set_values(*counts.family()).joint
                                         : score.sum_of_cells(counts.cells(), total());
    of_pair[std::size_t{v - begin} * n + w] = value;
    if (!keep_all) return;
    rows[v].row.put_hidden(w, value);
    rows[w].row.put_hidden(v, value);
  });
  for (Variable v = 0; v < rows.size(); ++v) rows[v].row.show_all(n, {&v, 1});

  // From here on a pair takes a nanosecond or two, so that nothing but arithmetic is done for most of them.
  PairGains gains;
  gains.forward = std::move(of_pair);
  std::vector<std::pair<Fingerprint, double>> kept;
  std::vector<double> terms(n, 0.0), row_gains(n, 0.0);
  Arity arity = 0;  // that the terms are of: most variables have as many states as the last one
  for (Variable v = begin; v < end; ++v) {
    double* const row = gains.forward.data() + std::size_t{v - begin} * n;
    if (arity != arities()[v]) {
      arity = arities()[v];
      for (Variable w = 0; w < n; ++w) {
        const double alone = arities()[w] - 1.0;
        terms[w] = score.family_term(alone * arity, total()) - score.family_term(alone, total());
      }
    }
    for (Variable w = v + 1; w < n; ++w)
      row_gains[w] = row[w] - of_single[v] - of_single[w] + of_none + terms[w];
    for (Variable w = v + 1; w < n; ++w) {
      const double gain = checked(row_gains[w], w, v, "score ");
      if (keep && !keep_all && gain > 0 && kept.size() < kMostKeptPairs)
        kept.emplace_back(Fingerprint::of_set(std::array{v, w}), row[w]);
      row[w] = gain;
    }
  }
  if (!score_equivalent()) gains.backward = gains.forward;  // the prior will tell them apart
  if (keep) {
    for (Variable v = begin; v < n; ++v) kept.emplace_back(Fingerprint::of_set({&v, 1}), of_single[v]);
    kept.emplace_back(Fingerprint{}, of_none);
    cache_.make_room(kept.size());
    ScoreCache::Use cache = cache_.use();
    for (const auto& [key, value] : kept) cache.insert(key, value);
  }
  count_asked(n_pairs(n, begin, end) * (score_equivalent() ? 1 : 2), run);
  return gains;
}

// The rows for pairs of each variable with all others; and the values of the variables alone are put into theirs.
std::vector<ScoreRows::Found> Scorer::rows_of_singles(const std::vector<double>& of_single) const {
  const std::size_t n = n_variables();
  std::vector<Variable> all(n);
  std::iota(all.begin(), all.end(), Variable{0});
  ScoreRows::Found alone;
  std::vector<ScoreRows::Found> found(n);
  std::vector<Fingerprint> bases{Fingerprint{}};
  std::vector<ScoreRows::Found*> rows{&alone};
  for (const Variable v : all) {
    bases.push_back(Fingerprint::of_set({&v, 1}));
    rows.push_back(&found[v]);
  }
  rows_.find_rows(bases, rows);
  alone.row.put(all, of_single);
  return found;
}

PairGains Scorer::score_gains(Variable begin, Variable end, Run& run) const {
  const auto n = static_cast<Variable>(n_variables());
  PairGains gains;
  gains.forward.assign(std::size_t{end - begin} * n, 0.0);
  const bool both_ways = !score_equivalent();
  if (both_ways) gains.backward = gains.forward;
  std::vector<Family> singles;
  for (Variable v = begin; v < n; ++v) singles.push_back({v, {}});
  std::vector<double> alone(n, 0.0);
  source_->count(singles, run, [&](std::size_t i, const FamilyCounts& counts) {
    alone[singles[i].child] = score_->local(counts);
  });
  const auto gain = [&](Variable child, Variable parent, const FamilyCounts& counts) {
    return checked(score_->local(counts) - alone[child], child, parent, "score ");
  };
  const auto place = [&](Variable v, Variable w) { return std::size_t{v - begin} * n + w; };
  std::mutex mutex;
  std::vector<Family> turned;  // backward families that cannot be had from the forward ones
  source_->count_pairs(begin, end, run, [&](Variable v, Variable w, const PairCounts& pair) {
    if (pair.family() != nullptr) {
      gains.forward[place(v, w)] = gain(w, v, *pair.family());
      if (!both_ways) return;
      const std::lock_guard lock(mutex);
      turned.push_back({v, {w}});
      return;
    }
    FamilyCounts counts;
    const std::size_t rw = arities()[w];
    auto* cells = &counts.begin_dense(source_->shape({w, {v}}));
    pair.for_each_cell([&](Count c, State s, State t) { (*cells)[s * rw + t] = c; });
    counts.end_dense();
    gains.forward[place(v, w)] = gain(w, v, counts);
    if (!both_ways) return;
    const std::size_t rv = arities()[v];
    cells = &counts.begin_dense(source_->shape({v, {w}}));
    pair.for_each_cell([&](Count c, State s, State t) { (*cells)[t * rv + s] = c; });
    counts.end_dense();
    gains.backward[place(v, w)] = gain(v, w, counts);
  });
  std::sort(turned.begin(), turned.end(), [](const Family& a, const Family& b) {
    return std::pair(a.child, a.parents) < std::pair(b.child, b.parents);
  });
  source_->count(turned, run, [&](std::size_t i, const FamilyCounts& counts) {
    const Variable v = turned[i].child;
    const Variable w = turned[i].parents.front();
    gains.backward[place(v, w)] = gain(v, w, counts);
  });
  count_asked(n_pairs(n, begin, end) * (both_ways ? 2 : 1), run);
  return gains;
}

void Scorer::add_prior_gains(Variable begin, Variable end, PairGains& gains, Run& run) const {
  const auto n = static_cast<Variable>(n_variables());
  const auto gain = [&](Variable child, Variable parent) {
    return checked(prior_->local({child, {parent}}) - prior_->local({child, {}}), child, parent,
                   "log prior ");
  };
  run.parallel_for(end - begin, [&](std::size_t i) {
    const Variable v = begin + static_cast<Variable>(i);
    for (Variable w = v + 1; w < n && !run.stopping_inside(); ++w) {
      gains.forward[i * n + w] += gain(w, v);
      if (!gains.backward.empty()) gains.backward[i * n + w] += gain(v, w);
    }
  });
}

}  // namespace dagwright
