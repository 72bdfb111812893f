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
#include "dagwright/search/gains_ahead.hpp"
#include "dagwright/search/largest_of.hpp"
#include "dagwright/search/likely_additions.hpp"

namespace dagwright {

class ClassGains {
 public:
  struct Best {
    ClassMove move;
    double gain;
    double score;  // of the family that an addition makes; NaN where that is not known
  };
  // Whether a move that closes no cycle may be taken.
  using Legal = std::function<bool(const ClassMove&)>;

  ClassGains(const Scorer& scorer, const Constraints& constraints, const EquivalenceClass& graph,
             GainsAhead& ahead);

  // Fills in what all pairs gain, if the graph has no edges: this is shared out over threads best.
  void fill_of_empty_graph(Run& run);

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
    double score;  // see Best
    Variable x;
    std::uint32_t into;  // place in `cliques`
    bool operator<(const Move& other) const {
      return std::tie(other.gain, x, into) < std::tie(gain, other.x, other.into);
    }
  };
  struct Blocked {
    Move move;
    Nodes back;  // the path that it would close
  };
  // The moves of one kind that change the parents of one node y and gain something. They and their
  // gains depend on the edges near y alone.
  struct NodeMoves {
    bool stale = false;
    bool capped = false;
    NodeLists cliques;
    std::vector<Move> moves;  // highest gain first
    std::size_t n_seen = 0;   // of these, while the best move of all is looked for
    // Additions that close a cycle, which most of those with the highest gains do: they are set aside as
    // long as their path is there.
    std::vector<Blocked> blocked;
  };

  // The nodes whose addition to some parents of y gains, by these parents. Which of them are moves changes
  // more often than what they gain.
  using Additions = std::map<Nodes, Gaining>;

  NodeMoves& at(Operator op, Variable y) { return moves_[static_cast<std::size_t>(op)][y]; }
  const LargestOf& most_of(Operator op) const { return most_[static_cast<std::size_t>(op)]; }
  void forget(Operator op, Variable y);
  void note_most(Operator op, Variable y);
  void set_aside(Variable y);
  void expect_next(Run& run);
  bool take_best_left(LikelyAddition& addition);
  static Fingerprint key_after(const LikelyAddition& addition);
  void expect_after(const LikelyAddition& addition, Run& run);
  void expect_best(const Best& best, Run& run);
  bool may_close_cycle(Variable x, Variable y) const;
  std::pair<Operator, Variable> next(std::span<const Operator> kinds) const;
  void look_further(Operator op, Variable y);
  void leave_out(Variable y);
  void look_again();
  void refresh(std::span<const Operator> kinds, Run& run);
  void find_cliques(Operator op, Variable y);
  void find_no_candidates(const Family& family, Nodes& nodes) const;
  bool may_join(Variable x, Variable y) const;
  void unblock(const std::vector<Edge>& lost);
  void find_additions(Variable y, NodeMoves& here, Run& run);
  // A removal or reversal, and where the scores of the families are that tell what it gains.
  struct Other {
    Operator op;
    Variable y, x;
    std::uint32_t into;
    std::size_t before;  // of y with the parents that it has
    std::size_t after;   // of y with x toggled, then, for a reversal, of x without y and with it
  };
  void find_others(std::span<const std::pair<Operator, Variable>> stale, Run& run);
  void score_others(std::vector<Other>& others, Run& run);
  std::size_t next_family(Variable child);

  const Scorer& scorer_;
  const Constraints& constraints_;
  const EquivalenceClass& graph_;
  GainsAhead& ahead_;
  std::size_t n_;
  bool limits_edges_;
  std::array<std::vector<NodeMoves>, 3> moves_;  // by operator and y
  std::array<LargestOf, 3> most_;  // by y: what the first of the moves not seen yet gains
  std::vector<std::pair<Operator, Variable>> looked_at_;  // where moves were seen
  std::array<Nodes, 3> stale_;     // nodes
  std::vector<Additions> additions_;             // by y
  std::vector<Family> families_;  // the first so many are to be scored; the others are kept for their memory
  std::size_t n_families_ = 0;
  Scorer::Batch batch_;
  LikelyAdditions likely_;
  // Kept for their memory too.
  std::vector<std::pair<Operator, Variable>> refreshed_;
  std::vector<Other> others_;
  Nodes xs_;
  Nodes back_;
  Nodes others_of_addition_;
  Nodes except_;
  Family family_;
  NodeSet tails_;
  ClosedCycle cycle_;
};

}  // namespace dagwright
