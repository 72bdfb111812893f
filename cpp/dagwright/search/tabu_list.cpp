#include "dagwright/search/tabu_list.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace dagwright {

namespace {

// What is between two nodes, as one number: no edge, or an edge in one direction.
std::uint64_t pair_key(Variable a, Variable b, std::uint64_t state) {
  const auto [low, high] = std::minmax(a, b);
  return (static_cast<std::uint64_t>(low) << 34 | static_cast<std::uint64_t>(high) << 2) | state;
}

std::uint64_t no_edge(Variable a, Variable b) { return pair_key(a, b, 0); }
std::uint64_t edge(Variable from, Variable to) { return pair_key(from, to, from < to ? 1 : 2); }

std::uint64_t left_by(const Step& step) {
  return step.op == Operator::add ? no_edge(step.from, step.to) : edge(step.from, step.to);
}

std::uint64_t reached_by(const Step& step) {
  switch (step.op) {
    case Operator::add:
      return edge(step.from, step.to);
    case Operator::remove:
      return no_edge(step.from, step.to);
    case Operator::reverse:
      return edge(step.to, step.from);
  }
  return 0;
}

void drop_one(std::unordered_map<std::uint64_t, std::size_t>& times, std::uint64_t key) {
  const auto found = times.find(key);
  if (--found->second == 0) times.erase(found);
}

// The random number of an edge: splitmix64 of its ends.
std::uint64_t zobrist(Variable from, Variable to) {
  std::uint64_t z = (static_cast<std::uint64_t>(from) << 32 | to) + 0x9E3779B97F4A7C15ULL;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
  return z ^ (z >> 31);
}

std::uint64_t hash_change(const Step& step) {
  const std::uint64_t there = zobrist(step.from, step.to);
  return step.op == Operator::reverse ? there ^ zobrist(step.to, step.from) : there;
}

// A set of edges in which two changes of one edge cancel.
class Changes {
 public:
  void add(const Step& step) {
    toggle({step.from, step.to});
    if (step.op == Operator::reverse) toggle({step.to, step.from});
  }
  bool operator==(const Changes&) const = default;

 private:
  void toggle(std::pair<Variable, Variable> edge) {
    if (!edges_.insert(edge).second) edges_.erase(edge);
  }
  std::set<std::pair<Variable, Variable>> edges_;
};

}  // namespace

bool TabuMoves::holds(const Step& move) const { return times_left_.contains(reached_by(move)); }

void TabuMoves::moved(const Step& step) {
  recent_.push_back(left_by(step));
  ++times_left_[recent_.back()];
  if (recent_.size() > tenure_) {
    drop_one(times_left_, recent_.front());
    recent_.pop_front();
  }
}

void TabuMoves::forget() {
  recent_.clear();
  times_left_.clear();
}

bool TabuStates::holds(const Step& move) const {
  const std::uint64_t hash = hash_ ^ hash_change(move);
  return times_seen_.contains(hash) && leads_back_to(move, hash);
}

bool TabuStates::leads_back_to(const Step& move, std::uint64_t hash) const {
  Changes wanted, since;
  wanted.add(move);
  for (auto past = past_.rbegin(); past != past_.rend(); ++past) {
    since.add(past->step);
    if (past->hash == hash && since == wanted) return true;
  }
  return false;
}

void TabuStates::moved(const Step& step) {
  past_.push_back({hash_, step});
  ++times_seen_[hash_];
  hash_ ^= hash_change(step);
  if (past_.size() > tenure_) {
    drop_one(times_seen_, past_.front().hash);
    past_.pop_front();
  }
}

void TabuStates::forget() {
  past_.clear();
  times_seen_.clear();
}

}  // namespace dagwright
