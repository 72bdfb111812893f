#include "dagwright/search/hill_climb.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "dagwright/base/rng.hpp"
#include "dagwright/base/ties.hpp"
#include "dagwright/search/class_walk.hpp"
#include "dagwright/search/gain_matrix.hpp"
#include "dagwright/search/moves.hpp"
#include "dagwright/search/restarts.hpp"
#include "dagwright/search/start.hpp"
#include "dagwright/search/walk.hpp"

namespace dagwright {

namespace {

// Perturbed climbs that start from the same graph. The best of them is the next start whatever the
// number of threads, so fewer would leave threads idle and more would start from older graphs.
constexpr std::size_t kAtOnce = 4;

class Climb {
 public:
  Climb(const Scorer& scorer, const Constraints& constraints, const HillClimb& spec, Run& run,
        Found from)
      : scorer_(scorer),
        constraints_(constraints),
        spec_(spec),
        run_(run),
        found_(std::move(from)),
        gains_(scorer, constraints, found_.dag),
        n_(static_cast<Variable>(found_.dag.size())) {}

  void perturb(std::size_t n_moves, Rng& rng) {
    try {
      for (std::size_t i = 0; i < n_moves; ++i) {
        std::optional<Step> move = random_move(found_.dag, constraints_, rng);
        if (!move) return;
        move->gain = gain_of(scorer_, found_.dag, *move, run_);
        take_step(found_, gains_, *move);
        run_.poll();  // scores from the cache do not
        if (run_.stopping()) return;
      }
    } catch (const Stopped&) {
    }
  }

  Found go() {
    try {
      found_.finish = climb();
    } catch (const Stopped&) {
    }
    return end_walk(scorer_, std::move(found_), run_);
  }

 private:
  Finish climb() {
    if (!spec_.sideways || !scorer_.score_equivalent()) return climb_straight();
    if (spec_.first || found_.dag.n_edges() > 0) {
      if (const Finish finish = climb_straight(); finish != Finish::local_optimum) return finish;
    }
    return climb_sideways();
  }

  Finish climb_straight() {
    for (;; ++n_steps_) {
      if (spec_.tells_score) run_.progress.score = std::max(run_.progress.score, found_.score);
      run_.poll();
      if (run_.stopping()) return Finish::stopped;
      if (n_steps_ >= spec_.max_steps) return Finish::max_steps;
      const std::optional<Step> step = spec_.first ? first_move() : best_move();
      if (!step) return Finish::local_optimum;
      take_step(found_, gains_, *step);
      ++run_.progress.step;
    }
  }

  Finish climb_sideways() {
    ClassWalk walk(scorer_, constraints_, std::move(found_));
    Finish finish = Finish::stopped;
    try {
      walk.go(run_, [&](Run& run) { finish = climb(walk, run); });
    } catch (const Stopped&) {
    }
    found_ = walk.end(finish);
    return finish;
  }

  Finish climb(ClassWalk& walk, Run& run) {
    constexpr Operator kAll[] = {Operator::add, Operator::remove, Operator::reverse};
    for (; n_steps_ < spec_.max_steps; ++n_steps_) {
      const auto best = walk.best_move(kAll, spec_.min_gain, run);
      if (!best) return walk.capped() ? Finish::subset_limit : Finish::local_optimum;
      if (!walk.take(*best, run)) return Finish::not_equivalent;
    }
    return Finish::max_steps;
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

  const Scorer& scorer_;
  const Constraints& constraints_;
  const HillClimb& spec_;
  Run& run_;
  Found found_;
  GainMatrix gains_;
  Variable n_;
  Variable next_child_ = 0;
  std::uint64_t n_steps_ = 0;  // random ones aside
};

}  // namespace

Found hill_climb(const Scorer& scorer, const Constraints& constraints, Dag start,
                 const HillClimb& spec, Run& run) {
  return Climb(scorer, constraints, spec, run,
               begin_walk(scorer, constraints, std::move(start), run))
      .go();
}

Found hill_climb_from_random(const Scorer& scorer, const Constraints& constraints, Dag start,
                             const HillClimb& spec, const Restarts& restarts, Run& run) {
  if (restarts.n == 0) return hill_climb(scorer, constraints, std::move(start), spec, run);
  return best_of_restarts(run, 0, restarts.n + 1, [&](std::size_t restart, Run& inner) {
    Rng rng(restarts.seed, restart);
    return hill_climb(scorer, constraints, restart == 0 ? start : random_start(constraints, rng),
                      spec, inner);
  });
}

Found hill_climb_perturbed(const Scorer& scorer, const Constraints& constraints, const Dag& start,
                           const HillClimb& spec, std::size_t perturbation,
                           const Restarts& restarts, Run& run) {
  Found best = hill_climb(scorer, constraints, start, spec, run);
  for (std::size_t begin = 1; begin <= restarts.n && !run.stopping(); begin += kAtOnce) {
    const std::size_t end = std::min(begin + kAtOnce, restarts.n + 1);
    Found next = best_of_restarts(run, begin, end, [&](std::size_t restart, Run& inner) {
      Rng rng(restarts.seed, restart);
      Climb climb(scorer, constraints, spec, inner,
                  {best.dag, best.score, best.trace, Finish::stopped});
      climb.perturb(perturbation, rng);
      return climb.go();
    });
    if (next.score > best.score + tie_tolerance(best.score)) best = std::move(next);
  }
  return best;
}

}  // namespace dagwright
