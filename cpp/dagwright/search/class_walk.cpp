#include "dagwright/search/class_walk.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "dagwright/base/ties.hpp"
#include "dagwright/search/class_member.hpp"

namespace dagwright {

namespace {
// Scores of equivalent graphs that differ by more than this share of them do not differ by rounding.
constexpr double kRounding = 1e-8;
}  // namespace

ClassWalk::ClassWalk(const Scorer& scorer, const Constraints& constraints, Found from, Run& run)
    : scorer_(scorer),
      constraints_(constraints),
      run_(run),
      found_(std::move(from)),
      n_before_(found_.trace.size()),
      member_(found_.dag.parent_lists()),
      graph_(member_),
      gains_(scorer, constraints, graph_),
      members_differ_(constraints.limits_edges() || constraints.limits_parameters()) {}

std::optional<ClassGains::Best> ClassWalk::best_move(std::span<const Operator> kinds,
                                                     double least) {
  if (local_.empty()) score_all(run_);
  run_.progress.score = std::max(run_.progress.score, total());
  run_.poll();
  if (run_.stopping()) throw Stopped{run_.reason()};
  const double tolerance = tie_tolerance(total());
  return gains_.best_move(
      kinds, std::max(least, tolerance), tolerance,
      [this](const ClassMove& move) { return legal(move); }, run_);
}

bool ClassWalk::legal(const ClassMove& move) const {
  return !members_differ_ || consistent_extension(moved(graph_, move), constraints_);
}

bool ClassWalk::take(const ClassGains::Best& best) {
  const ClassMove& move = best.move;
  std::vector<FormerParents> changed;
  if (members_differ_) {
    ParentLists after = consistent_extension(moved(graph_, move), constraints_).value();
    for (Variable v = 0; v < after.size(); ++v)
      if (after[v] != member_[v])
        changed.push_back({v, std::exchange(member_[v], std::move(after[v]))});
  } else {
    changed = make_class_move(member_, graph_, move);
  }
  std::vector<Family> families;
  for (const auto& was : changed) families.push_back({was.node, member_[was.node]});
  std::vector<double> scores;
  try {
    scores = scorer_.local(families, run_);
  } catch (...) {
    for (auto& was : changed) member_[was.node] = std::move(was.parents);
    throw;
  }
  const double promised = total() + best.gain;
  for (std::size_t i = 0; i < changed.size(); ++i) local_[changed[i].node] = scores[i];
  const auto add_size = [](double sum, double score) { return sum + std::abs(score); };
  const double size = std::accumulate(local_.begin(), local_.end(), 1.0, add_size);
  if (std::abs(total() - promised) > kRounding * size) return false;

  gains_.moved(move, graph_.become(member_));
  const bool turned = move.op == Operator::reverse;  // then y -> x is the edge that was there
  found_.trace.push_back(
      {move.op, turned ? move.y : move.x, turned ? move.x : move.y, best.gain, total()});
  ++run_.progress.step;
  return true;
}

Found ClassWalk::end(Finish finish) {
  if (found_.trace.size() > n_before_ && finish != Finish::not_equivalent) {
    member_ = consistent_extension(cpdag_of(member_), constraints_).value();
    found_.dag = Dag(std::move(member_));
  }
  found_.finish = finish;
  return std::move(found_);
}

void ClassWalk::score_all(Run& run) {
  std::vector<Family> families;
  for (Variable v = 0; v < member_.size(); ++v) families.push_back({v, member_[v]});
  local_ = scorer_.local(families, run);
}

double ClassWalk::total() const { return std::accumulate(local_.begin(), local_.end(), 0.0); }

}  // namespace dagwright
