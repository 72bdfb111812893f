#include "dagwright/search/likely_additions.hpp"

#include <algorithm>
#include <tuple>

#include "dagwright/search/class_moves.hpp"

namespace dagwright {

namespace {

// What comes first of those that follow: of two directions of one edge the better one.
bool comes_later(const LikelyAddition& a, const LikelyAddition& b) {
  return std::tie(a.when, a.gain) < std::tie(b.when, b.gain);
}

}  // namespace

void LikelyAdditions::clear() {
  edges_.clear();
  touched_.clear();
  followers_.clear();
}

bool LikelyAdditions::take_follower(double gain, LikelyAddition& next) {
  if (followers_.empty() || followers_.front().when < gain) return false;
  std::pop_heap(followers_.begin(), followers_.end(), comes_later);
  next = followers_.back();
  followers_.pop_back();
  return true;
}

bool LikelyAdditions::joined(Variable a, Variable b) const {
  return graph_.adjacent(a, b) || std::any_of(edges_.begin(), edges_.end(), [&](const Edge& edge) {
           return edge == Edge{a, b} || edge == Edge{b, a};
         });
}

bool LikelyAdditions::stays(const LikelyAddition& addition) const {
  const auto& [when, gain, score, x, y, others] = addition;
  if (!touched_.test(x) && !touched_.test(y)) return true;
  const auto by_way_of = [&](Variable end, Variable other_end, const Edge& edge) {
    if (edge.from != end && edge.to != end) return false;
    const Variable beside = edge.from == end ? edge.to : edge.from;
    return beside == other_end || joined(beside, other_end);
  };
  return std::none_of(edges_.begin(), edges_.end(), [&](const Edge& edge) {
    return by_way_of(x, y, edge) || by_way_of(y, x, edge);
  });
}

void LikelyAdditions::add(const LikelyAddition& addition) {
  edges_.push_back({addition.x, addition.y});
  touched_.set(addition.x);
  touched_.set(addition.y);
}

void LikelyAdditions::add_follower(const LikelyAddition& first, const Family& made, const Gaining& gaining) {
  LikelyAddition next{.score = gaining.before, .y = made.child};
  for (const auto& [x, score] : gaining.scores) {
    if (score > next.score && can_add(graph_, x, made.child, made.parents)) {
      next.score = score;
      next.x = x;
    }
  }
  next.gain = next.score - gaining.before;
  if (!(next.gain > 0)) return;
  next.when = std::min(first.when, next.gain);
  next.others = made.parents;
  followers_.push_back(next);
  std::push_heap(followers_.begin(), followers_.end(), comes_later);
}

}  // namespace dagwright
