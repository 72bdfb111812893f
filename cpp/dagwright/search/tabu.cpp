#include "dagwright/search/tabu.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "dagwright/base/rng.hpp"
#include "dagwright/base/ties.hpp"
#include "dagwright/search/gain_matrix.hpp"
#include "dagwright/search/moves.hpp"
#include "dagwright/search/restarts.hpp"
#include "dagwright/search/start.hpp"
#include "dagwright/search/tabu_list.hpp"
#include "dagwright/search/walk.hpp"

namespace dagwright {

namespace {

std::unique_ptr<TabuList> make_list(const Tabu& spec) {
  if (spec.states) return std::make_unique<TabuStates>(spec.tenure);
  return std::make_unique<TabuMoves>(spec.tenure);
}

class TabuWalk {
 public:
  TabuWalk(const Scorer& scorer, const Constraints& constraints, const Tabu& spec, Rng& rng,
           Run& run, Found from)
      : scorer_(scorer),
        constraints_(constraints),
        spec_(spec),
        rng_(rng),
        run_(run),
        found_(std::move(from)),
        gains_(scorer, constraints, found_.dag),
        list_(make_list(spec)),
        best_score_(found_.score) {}

  Found go() {
    try {
      found_.finish = walk();
    } catch (const Stopped&) {
    }
    // Back to the best graph, which is at most about `patience` steps ago.
    for (; found_.trace.size() > best_length_; found_.trace.pop_back()) {
      undo_move(found_.dag, found_.trace.back());
    }
    return end_walk(scorer_, std::move(found_), run_);
  }

 private:
  Finish walk() {
    while (since_best_ < spec_.patience) {
      run_.progress.score = std::max(run_.progress.score, best_score_);
      run_.poll();
      if (run_.stopping()) return Finish::stopped;
      if (spec_.explore > 0 && since_best_ == (spec_.patience + 1) / 2 && !explored_) {
        explore();
        continue;
      }
      std::optional<Step> step = best_move();
      if (!step) {
        list_->forget();
        step = best_move();
      }
      if (!step) return Finish::local_optimum;  // there is nowhere to go
      ++since_best_;
      take(*step);
    }
    return Finish::patience;
  }

  double tolerance() const { return tie_tolerance(found_.score); }

  std::optional<Step> best_move() {
    return gains_.best_move(
        -std::numeric_limits<double>::infinity(), tolerance(), run_, [this](const Step& move) {
          return found_.score + move.gain > best_score_ + tolerance() || !list_->holds(move);
        });
  }

  void explore() {
    explored_ = true;
    for (std::size_t i = 0; i < spec_.explore; ++i) {
      std::optional<Step> move = random_move(found_.dag, constraints_, rng_);
      if (!move) return;
      move->gain = gain_of(scorer_, found_.dag, *move, run_);
      take(*move);
      run_.poll();  // scores from the cache do not
      if (run_.stopping()) return;
    }
  }

  void take(const Step& step) {
    take_step(found_, gains_, step);
    list_->moved(step);
    ++run_.progress.step;
    if (found_.score > best_score_ + tolerance()) {
      best_score_ = found_.score;
      best_length_ = found_.trace.size();
      since_best_ = 0;
      explored_ = false;
    }
  }

  const Scorer& scorer_;
  const Constraints& constraints_;
  const Tabu& spec_;
  Rng& rng_;
  Run& run_;
  Found found_;
  GainMatrix gains_;
  std::unique_ptr<TabuList> list_;
  double best_score_;
  std::size_t best_length_ = 0;  // of the trace when the best graph was reached
  std::size_t since_best_ = 0;
  bool explored_ = false;  // since the best graph
};

}  // namespace

Found tabu(const Scorer& scorer, const Constraints& constraints, const Dag& start,
           const Tabu& spec, Run& run) {
  return best_of_restarts(run, 0, spec.restarts + 1, [&](std::size_t restart, Run& inner) {
    Rng rng(spec.seed, restart);
    Dag from = restart == 0 ? start : random_start(constraints, rng);
    return TabuWalk(scorer, constraints, spec, rng, inner,
                    begin_walk(scorer, constraints, std::move(from), inner))
        .go();
  });
}

}  // namespace dagwright
