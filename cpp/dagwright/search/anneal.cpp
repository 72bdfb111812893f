#include "dagwright/search/anneal.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "dagwright/base/rng.hpp"
#include "dagwright/base/ties.hpp"
#include "dagwright/search/hill_climb.hpp"
#include "dagwright/search/lazy_gains.hpp"
#include "dagwright/search/moves.hpp"
#include "dagwright/search/restarts.hpp"
#include "dagwright/search/start.hpp"
#include "dagwright/search/walk.hpp"

namespace dagwright {

namespace {

// Moves that are drawn to choose the first temperature.
constexpr std::size_t kSample = 500;

constexpr std::uint64_t kPollEvery = 64;

class Annealing {
 public:
  Annealing(const Scorer& scorer, const Constraints& constraints, const Anneal& spec, Rng& rng,
            Run& run, const Found& from)
      : constraints_(constraints),
        spec_(spec),
        rng_(rng),
        run_(run),
        dag_(from.dag),
        score_(from.score),
        best_(from.dag.parent_lists()),
        best_score_(from.score),
        gains_(scorer, constraints, dag_) {}

  // The best graph seen and the last one; also when the run stops.
  std::pair<Dag, Dag> go() {
    try {
      double first = spec_.temperature > 0 ? spec_.temperature : chosen_temperature();
      const std::uint64_t n_cycles = spec_.reheats + 1;
      for (std::uint64_t cycle = 0; cycle < n_cycles; ++cycle, first /= 2) {
        if (cycle > 0) back_to_best();
        const std::uint64_t begin = spec_.proposals * cycle / n_cycles;
        cool(first, spec_.proposals * (cycle + 1) / n_cycles - begin);
      }
    } catch (const Stopped&) {
    }
    keep_if_best();
    return {Dag(std::move(best_)), std::move(dag_)};
  }

 private:
  // Geometric: each temperature is the same fraction of the one before.
  void cool(double first, std::uint64_t n_proposals) {
    const double last = std::min(first, spec_.last_temperature);
    const double factor = std::pow(last / first, 1.0 / static_cast<double>(n_proposals));
    double temperature = first;
    for (std::uint64_t i = 0; i < n_proposals; ++i, temperature *= factor) {
      if (i % kPollEvery == 0) poll();
      propose(temperature);
    }
  }

  void poll() {
    run_.progress.score = std::max({run_.progress.score, best_score_, score_});
    run_.poll();
    if (run_.stopping()) throw Stopped{run_.reason()};
  }

  void propose(double temperature) {
    ++run_.progress.step;
    const Step move = draw_move(dag_, rng_);
    if (!is_legal(dag_, constraints_, move)) return;
    const double gain = gains_.of(move, run_);
    if (gain < 0 && rng_.uniform() >= std::exp(gain / temperature)) return;
    if (gain < 0) keep_if_best();  // before it is lost
    make_move(dag_, move);
    gains_.moved(move);
    score_ += gain;
  }

  void keep_if_best() {
    if (score_ <= best_score_ + tie_tolerance(best_score_)) return;
    best_ = dag_.parent_lists();
    best_score_ = score_;
  }

  void back_to_best() {
    keep_if_best();
    dag_ = Dag(best_);
    score_ = best_score_;
    gains_.forget_all();
  }

  // The temperature at which the wanted share of the moves that lose would be taken.
  double chosen_temperature() {
    std::vector<double> losses;
    for (std::size_t i = 0; i < kSample; ++i) {
      if (i % kPollEvery == 0) poll();
      const std::optional<Step> move = random_move(dag_, constraints_, rng_);
      if (!move) break;
      const double gain = gains_.of(*move, run_);
      if (gain < 0) losses.push_back(gain);
    }
    const auto acceptance = [&](double temperature) {
      double sum = 0;
      for (const double loss : losses) sum += std::exp(loss / temperature);
      return sum / static_cast<double>(losses.size());
    };
    if (losses.empty()) return spec_.last_temperature;
    double low = spec_.last_temperature;
    double high = low;
    while (acceptance(high) < spec_.acceptance && std::isfinite(high)) high *= 2;
    for (int i = 0; i < 50; ++i) {
      const double middle = (low + high) / 2;
      (acceptance(middle) < spec_.acceptance ? low : high) = middle;
    }
    return high;
  }

  const Constraints& constraints_;
  const Anneal& spec_;
  Rng& rng_;
  Run& run_;
  Dag dag_;
  double score_;
  ParentLists best_;
  double best_score_;
  LazyGains gains_;
};

}  // namespace

Found anneal(const Scorer& scorer, const Constraints& constraints, const Dag& start,
             const Anneal& spec, Run& run) {
  return best_of_restarts(run, 0, spec.restarts + 1, [&](std::size_t restart, Run& inner) {
    Rng rng(spec.seed, restart);
    Dag from = restart == 0 ? start : random_start(constraints, rng);
    Found climbed = hill_climb(scorer, constraints, std::move(from), {}, inner);
    if (inner.stopping()) return climbed;
    auto [best, last] = Annealing(scorer, constraints, spec, rng, inner, climbed).go();
    // The last graph is noisy still, but often on a higher hill than the best one seen.
    Found found = std::move(climbed);
    for (Dag* dag : {&best, &last}) {
      if (*dag == found.dag || inner.stopping()) continue;
      Found top = hill_climb(scorer, constraints, std::move(*dag), {}, inner);
      if (top.score > found.score + tie_tolerance(found.score)) found = std::move(top);
    }
    return found;
  });
}

}  // namespace dagwright
