// The moves from a class that gain, and what they gain, kept up to date as the class changes.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "dagwright/base/run.hpp"
#include "dagwright/graph/constraints.hpp"
#include "dagwright/score/scorer.hpp"
#include "dagwright/search/class_moves.hpp"

namespace dagwright {

class ClassGains {
 public:
  struct Best {
    ClassMove move;
    double gain;
  };
  // Whether a move that closes no cycle may be taken.
  using Legal = std::function<bool(const ClassMove&)>;

  ClassGains(const Scorer& scorer, const Constraints& constraints, const EquivalenceClass& graph);

  // The legal move of some kinds that gains most, and more than `least`; none if there is none. Gains
  // within `tolerance` of the best are ties: the first of them by kind, y, x and `into` is taken.
  std::optional<Best> best_move(std::span<const Operator> kinds, double least, double tolerance,
                                const Legal& legal, Run& run);

  // To be called after each change to the class.
  void moved(const ClassMove& move, const EquivalenceClass::Changes& changes);

  // Some node had too many moves to try them all.
  bool capped() const;

 private:
  struct Move {
    double gain;
    Variable x;
    std::uint32_t into;  // place in `cliques`
    Nodes back;          // of a blocked one: the path that it would close
    bool operator<(const Move& other) const {
      return std::tie(other.gain, x, into) < std::tie(gain, other.x, other.into);
    }
  };
  // The moves of one kind that change the parents of one node y and gain something. They and their
  // gains depend on the edges near y alone.
  struct NodeMoves {
    bool stale = true;
    bool capped = false;
    std::vector<Nodes> cliques;
    std::vector<Move> moves;  // highest gain first
    // Additions that close a cycle, which most of those with the highest gains do: they are set aside as
    // long as their path is there.
    std::vector<Move> blocked;
  };

  // The nodes not adjacent to y whose addition to some parents of y gains, by these parents. Which of
  // them are moves changes more often than what they gain.
  using Additions = std::map<Nodes, std::vector<std::pair<Variable, double>>>;

  NodeMoves& at(Operator op, Variable y) { return moves_[static_cast<std::size_t>(op)][y]; }
  double& most_at(Operator op, Variable y) { return most_[static_cast<std::size_t>(op)][y]; }
  void forget(Operator op, Variable y);
  void note_most(Operator op, Variable y);
  void fill_of_empty_graph(Run& run);
  void refresh(std::span<const Operator> kinds, Run& run);
  void find_cliques(Operator op, Variable y);
  Nodes apart_from(Variable y) const;
  bool may_join(Variable x, Variable y) const;
  void unblock(const std::vector<Edge>& lost);
  void find_additions(Variable y, NodeMoves& here, Run& run);
  void find_others(Operator op, Variable y, NodeMoves& here, Run& run) const;
  std::vector<double> gains(Operator op, Variable y, const Nodes& into, const Nodes& xs, Run& run) const;

  const Scorer& scorer_;
  const Constraints& constraints_;
  const EquivalenceClass& graph_;
  std::size_t n_;
  bool limits_edges_;
  std::array<std::vector<NodeMoves>, 3> moves_;  // by operator and y
  // Every step looks at all of these, so they lie together: what the first of the moves gains, and the
  // nodes whose moves are stale.
  std::array<std::vector<double>, 3> most_;
  std::array<Nodes, 3> stale_;
  std::vector<Additions> additions_;             // by y
  bool all_stale_ = true;
};

}  // namespace dagwright
