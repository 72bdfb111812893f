#include "dagwright/search/ges.hpp"

#include <cmath>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "dagwright/base/ties.hpp"
#include "dagwright/search/class_gains.hpp"
#include "dagwright/search/class_moves.hpp"
#include "dagwright/search/start.hpp"

namespace dagwright {

namespace {

// Scores of equivalent graphs that differ by more than this share of them do not differ by rounding.
constexpr double kRounding = 1e-8;

class GreedyEquivalenceSearch {
 public:
  GreedyEquivalenceSearch(const Scorer& scorer, const Constraints& constraints, const Ges& spec,
                          Run& run)
      : scorer_(scorer),
        constraints_(constraints),
        spec_(spec),
        run_(run),
        member_(empty_start(constraints).parent_lists()),
        graph_(cpdag_of(member_)),
        gains_(scorer, constraints, graph_),
        members_differ_(constraints.limits_edges() || constraints.limits_parameters()) {}

  Found go() {
    Finish finish = Finish::stopped;
    try {
      local_ = score_all(run_);
      finish = search();
    } catch (const Stopped&) {
    }
    if (local_.empty()) {
      Run unlimited(run_.threads());
      local_ = score_all(unlimited);
    }
    const double score = total();
    return {Dag(std::move(member_)), score, std::move(trace_), finish};
  }

 private:
  Finish search() {
    for (bool gained = true; gained;) {
      gained = false;
      for (const Operator op : {Operator::add, Operator::remove, Operator::reverse}) {
        if (op == Operator::reverse && !spec_.turning) continue;
        while (const auto best = best_move(op)) {
          if (!take(*best)) return Finish::not_equivalent;
          gained = true;
        }
      }
      if (!spec_.repeat) return Finish::phases_done;
    }
    if (!spec_.turning) return Finish::phases_done;
    return gains_.capped() ? Finish::subset_limit : Finish::local_optimum;
  }

  std::optional<ClassGains::Best> best_move(Operator op) {
    run_.progress.step = trace_.size();
    run_.progress.score = total();
    return gains_.best_move(
        op, tie_tolerance(total()), [this](const ClassMove& move) { return legal(move); }, run_);
  }

  bool legal(const ClassMove& move) const {
    return closes_no_cycle(graph_, move) &&
           (!members_differ_ || consistent_extension(moved(graph_, move), constraints_));
  }

  // Goes to the class that a legal move leads to. False if the score there is not what the move
  // promised: then equivalent graphs differ in score.
  bool take(const ClassGains::Best& best) {
    const ClassMove& move = best.move;
    const Cpdag cpdag = moved(graph_, move);
    ParentLists member = consistent_extension(cpdag, constraints_).value();
    std::vector<Family> changed;
    for (Variable v = 0; v < member.size(); ++v)
      if (member[v] != member_[v]) changed.push_back({v, member[v]});
    const std::vector<double> scores = scorer_.local(changed, run_);

    const double promised = total() + best.gain;
    member_ = std::move(member);
    for (std::size_t i = 0; i < changed.size(); ++i) local_[changed[i].child] = scores[i];
    const auto add_size = [](double sum, double score) { return sum + std::abs(score); };
    const double size = std::accumulate(local_.begin(), local_.end(), 1.0, add_size);
    if (std::abs(total() - promised) > kRounding * size) return false;

    const EquivalenceClass before = std::exchange(graph_, EquivalenceClass(cpdag));
    gains_.moved(move, before);
    const bool turned = move.op == Operator::reverse;  // then y -> x is the edge that was there
    trace_.push_back({move.op, turned ? move.y : move.x, turned ? move.x : move.y, best.gain, total()});
    return true;
  }

  std::vector<double> score_all(Run& run) const {
    std::vector<Family> families;
    for (Variable v = 0; v < member_.size(); ++v) families.push_back({v, member_[v]});
    return scorer_.local(families, run);
  }

  double total() const { return std::accumulate(local_.begin(), local_.end(), 0.0); }

  const Scorer& scorer_;
  const Constraints& constraints_;
  const Ges spec_;
  Run& run_;
  ParentLists member_;  // of the class; satisfies the constraints
  EquivalenceClass graph_;
  ClassGains gains_;
  std::vector<double> local_;  // by node, of the member; empty until scored
  std::vector<Step> trace_;
  bool members_differ_;  // some members of a class may satisfy the constraints, and others not
};

}  // namespace

Found ges(const Scorer& scorer, const Constraints& constraints, const Ges& spec, Run& run) {
  return GreedyEquivalenceSearch(scorer, constraints, spec, run).go();
}

}  // namespace dagwright
