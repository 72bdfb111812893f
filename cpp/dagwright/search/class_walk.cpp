#include "dagwright/search/class_walk.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "dagwright/base/ties.hpp"

namespace dagwright {

namespace {
// Scores of equivalent graphs that differ by more than this share of them do not differ by rounding.
constexpr double kRounding = 1e-8;
}  // namespace

ClassWalk::ClassWalk(const Scorer& scorer, const Constraints& constraints, Found from)
    : scorer_(scorer),
      constraints_(constraints),
      found_(std::move(from)),
      n_before_(found_.trace.size()),
      member_(found_.dag.parent_lists()),
      graph_(member_),
      ahead_(scorer),
      gains_(scorer, constraints, graph_, ahead_),
      members_differ_(constraints.limits_edges() || constraints.limits_parameters()) {}

void ClassWalk::go(Run& run, const std::function<void(Run&)>& steps) {
  std::vector<Family> families;
  for (Variable v = 0; v < member_.size(); ++v) families.push_back({v, member_[v]});
  local_ = scorer_.local(families, run);
  add_up();
  gains_.fill_of_empty_graph(run);
  ahead_.during(run, steps);
}

std::optional<ClassGains::Best> ClassWalk::best_move(std::span<const Operator> kinds, double least,
                                                     Run& run) {
  run.progress.score = std::max(run.progress.score, total_);
  run.poll();
  if (run.stopping()) throw Stopped{run.reason()};
  const double tolerance = tie_tolerance(total_);
  return gains_.best_move(
      kinds, std::max(least, tolerance), tolerance,
      [this](const ClassMove& move) { return legal(move); }, run);
}

bool ClassWalk::legal(const ClassMove& move) const {
  return !members_differ_ || consistent_extension(moved(graph_, move), constraints_);
}

bool ClassWalk::take(const ClassGains::Best& best, Run& run) {
  const ClassMove& move = best.move;
  if (members_differ_) {
    changes_.become(member_, consistent_extension(moved(graph_, move), constraints_).value());
  } else {
    changes_.make_move(member_, graph_, move);
  }
  Nodes& nodes = changed_nodes_;
  nodes.clear();
  for (const auto& was : changes_.former()) nodes.push_back(was.node);
  families_.resize(std::max(families_.size(), nodes.size()));
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    families_[i].child = nodes[i];
    families_[i].parents = member_[nodes[i]];
  }
  std::span<const double> scores;
  try {
    scores = scorer_.local(std::span(families_).first(nodes.size()), batch_, run);
  } catch (...) {
    changes_.undo(member_);
    throw;
  }
  const double promised = total_ + best.gain;
  for (std::size_t i = 0; i < nodes.size(); ++i) local_[nodes[i]] = scores[i];
  add_up();
  if (std::abs(total_ - promised) > kRounding * (1.0 + size_)) return false;

  gains_.moved(move, graph_.become(member_, nodes));
  const bool turned = move.op == Operator::reverse;  // then y -> x is the edge that was there
  found_.trace.push_back(
      {move.op, turned ? move.y : move.x, turned ? move.x : move.y, best.gain, total_});
  ++run.progress.step;
  return true;
}

Found ClassWalk::end(Finish finish) {
  if (found_.trace.size() > n_before_ && finish != Finish::not_equivalent) {
    member_ = consistent_extension(graph_.cpdag(), constraints_).value();
    found_.dag = Dag(std::move(member_));
  }
  found_.finish = finish;
  return std::move(found_);
}

void ClassWalk::add_up() {
  total_ = size_ = 0.0;
  for (const double score : local_) {
    total_ += score;
    size_ += std::abs(score);
  }
}

}  // namespace dagwright
