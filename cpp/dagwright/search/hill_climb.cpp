#include "dagwright/search/hill_climb.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "dagwright/base/ties.hpp"
#include "dagwright/search/gain_matrix.hpp"
#include "dagwright/search/start.hpp"

namespace dagwright {

namespace {

double total_score(const Scorer& scorer, const Dag& dag, Run& run) {
  std::vector<Family> families;
  for (Variable v = 0; v < dag.size(); ++v) families.push_back({v, dag.parents(v)});
  double sum = 0;
  for (const double score : scorer.local(families, run)) sum += score;
  return sum;
}

class Climb {
 public:
  Climb(const Scorer& scorer, const Constraints& constraints, Dag start, const HillClimb& spec,
        Run& run)
      : spec_(spec),
        run_(run),
        found_{std::move(start), 0.0, {}, Finish::stopped},
        gains_(scorer, constraints, found_.dag),
        n_(static_cast<Variable>(found_.dag.size())) {}

  Found go(const Scorer& scorer, const Constraints& constraints) {
    bool scored = false;
    try {
      found_.score = total_score(scorer, found_.dag, run_);
      scored = true;
      found_.finish = climb();
    } catch (const Stopped&) {
      found_.finish = Finish::stopped;
    }
    // A start graph that was not even scored may be dear to score: the simplest graph stands in.
    if (!scored) found_.dag = empty_start(constraints);
    Run unlimited(run_.threads());
    found_.score = total_score(scorer, found_.dag, unlimited);  // free of the gains' rounding
    return std::move(found_);
  }

 private:
  Finish climb() {
    while (true) {
      run_.progress.step = found_.trace.size();
      run_.progress.score = found_.score;
      run_.poll();
      if (run_.stopping()) return Finish::stopped;
      if (found_.trace.size() >= spec_.max_steps) return Finish::max_steps;
      const std::optional<Step> step = spec_.first ? first_move() : best_move();
      if (!step) return Finish::local_optimum;
      take(*step);
    }
  }

  double least_gain() const { return std::max(spec_.min_gain, tie_tolerance(found_.score)); }

  // Moves within rounding of the best one are equal; the order of the variables, which does not
  // depend on the order of the data, decides.
  std::optional<Step> best_move() {
    return gains_.best_move(least_gain(), tie_tolerance(found_.score), run_);
  }

  // Children in turn, going on after the last one changed, so that all get their chance.
  std::optional<Step> first_move() {
    for (Variable i = 0; i < n_; ++i) {
      const Variable child = (next_child_ + i) % n_;
      if (const auto step = gains_.first_move(child, least_gain(), run_)) {
        next_child_ = (child + 1) % n_;
        return step;
      }
    }
    return std::nullopt;
  }

  void take(Step step) {
    switch (step.op) {
      case Operator::add:
        found_.dag.add(step.from, step.to);
        break;
      case Operator::remove:
        found_.dag.remove(step.from, step.to);
        break;
      case Operator::reverse:
        found_.dag.reverse(step.from, step.to);
        break;
    }
    gains_.moved(step);
    found_.score += step.gain;
    step.score = found_.score;
    found_.trace.push_back(step);
  }

  const HillClimb& spec_;
  Run& run_;
  Found found_;
  GainMatrix gains_;
  Variable n_;
  Variable next_child_ = 0;
};

}  // namespace

Found hill_climb(const Scorer& scorer, const Constraints& constraints, Dag start,
                 const HillClimb& spec, Run& run) {
  return Climb(scorer, constraints, std::move(start), spec, run).go(scorer, constraints);
}

}  // namespace dagwright
