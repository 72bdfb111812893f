#include "dagwright/search/ges.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <optional>
#include <queue>
#include <tuple>
#include <utility>

#include "dagwright/base/ties.hpp"
#include "dagwright/search/class_moves.hpp"
#include "dagwright/search/start.hpp"

namespace dagwright {

namespace {

// Cliques among the neighbours of one node double with each further member of the largest one.
constexpr std::size_t kMostCliques = 4096;
// Of all nodes together, and at least one for each pair: 1 GiB.
constexpr std::size_t kMostMoves = std::size_t{1} << 26;
// Equivalent members whose scores differ by more than this share of them are not equal by rounding.
constexpr double kRounding = 1e-8;

Nodes united(const Nodes& a, const Nodes& b) {
  Nodes all;
  std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(all));
  return all;
}

// The moves of one kind that change the parents of one node and gain something. They and their gains
// depend on the edges near the node alone; whether they close a cycle is asked when one is to be taken.
struct NodeMoves {
  struct Move {
    double gain;
    Variable x;
    std::uint32_t into;  // place in `cliques`
  };
  bool stale = true;
  bool capped = false;  // there may be more
  std::vector<Nodes> cliques;
  std::vector<Move> moves;  // highest gain first
};

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
        limited_(constraints.limits_edges() || constraints.limits_parameters()) {
    for (auto& nodes : moves_) nodes.resize(graph_.size());
  }

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
    bool gained = true;
    while (gained) {
      gained = false;
      for (const Operator op : {Operator::add, Operator::remove, Operator::reverse}) {
        if (op == Operator::reverse && !spec_.turning) continue;
        while (const std::optional<Best> best = best_move(op)) {
          if (!take(*best)) return Finish::not_equivalent;
          gained = true;
        }
      }
      if (!spec_.repeat) return Finish::phases_done;
    }
    if (!spec_.turning) return Finish::phases_done;
    return capped() ? Finish::subset_limit : Finish::local_optimum;
  }

  struct Best {
    ClassMove move;
    double gain;
  };

  // The legal move of a kind that gains most, more than rounding. Gains within rounding of the largest
  // are ties; they go to the first by y, x and `into`.
  std::optional<Best> best_move(Operator op) {
    run_.progress.step = trace_.size();
    run_.progress.score = total();
    for (Variable y = 0; y < graph_.size(); ++y) refresh(op, y);

    struct Next {
      double gain;
      Variable y;
      std::size_t place;
      bool operator<(const Next& other) const {
        return std::tie(gain, other.y) < std::tie(other.gain, y);
      }
    };
    auto& moves = moves_[static_cast<std::size_t>(op)];
    std::priority_queue<Next> queue;
    for (Variable y = 0; y < graph_.size(); ++y)
      if (!moves[y].moves.empty()) queue.push({moves[y].moves.front().gain, y, 0});

    const double tolerance = tie_tolerance(total());
    double above = tolerance;
    std::optional<Best> best;
    while (!queue.empty() && queue.top().gain > above) {
      const auto [gain, y, place] = queue.top();
      queue.pop();
      const NodeMoves& at_y = moves[y];
      if (place + 1 < at_y.moves.size())
        queue.push({at_y.moves[place + 1].gain, y, place + 1});
      ClassMove move{op, at_y.moves[place].x, y, at_y.cliques[at_y.moves[place].into]};
      if (best && std::tie(best->move.y, best->move.x, best->move.into) <
                      std::tie(move.y, move.x, move.into))
        continue;
      run_.poll();
      if (run_.stopping()) throw Stopped{run_.reason()};
      if (!legal(move)) continue;
      // Gains that dwarf the score have rounding of their own.
      if (!best) above = std::max(tolerance, gain - std::max(tolerance, kTie * gain));
      best = Best{std::move(move), gain};
    }
    return best;
  }

  bool legal(const ClassMove& move) const {
    return closes_no_cycle(graph_, move) &&
           (!limited_ || consistent_extension(moved(graph_, move), constraints_));
  }

  // Whether some member may have x and y joined, or no longer joined.
  bool may_join(Variable x, Variable y) const {
    return constraints_.allowed(x, y) || constraints_.allowed(y, x);
  }
  bool may_part(Variable x, Variable y) const {
    return constraints_.may_remove(x, y) && constraints_.may_remove(y, x);
  }

  void refresh(Operator op, Variable y) {
    NodeMoves& at_y = moves_[static_cast<std::size_t>(op)][y];
    if (!at_y.stale) return;
    at_y.moves.clear();
    const Nodes& parents = graph_.parents(y);
    // Equivalent graphs have equally many nodes with k parents, for every k: reversing a covered edge
    // swaps two of these numbers. So a bound on parents holds for all members or for none, and a move
    // keeps it if the family that it makes is within.
    const std::size_t room =
        constraints_.max_parents() - std::min(constraints_.max_parents(), parents.size());
    const std::size_t makes = op == Operator::remove ? 0 : 1;
    if (room < makes) {
      at_y.cliques.clear();
    } else {
      at_y.cliques = cliques_at(graph_, y, room - makes, kMostCliques);
    }
    at_y.capped = at_y.cliques.size() == kMostCliques;
    const std::size_t most_moves = std::max(graph_.size(), kMostMoves / graph_.size());
    for (std::uint32_t i = 0; i < at_y.cliques.size(); ++i) {
      if (at_y.moves.size() > most_moves) {
        at_y.capped = true;
        break;
      }
      Nodes xs = candidates(graph_, op, y, at_y.cliques[i]);
      if (op == Operator::add)
        std::erase_if(xs, [&](Variable x) { return !may_join(x, y); });
      if (op == Operator::remove)
        std::erase_if(xs, [&](Variable x) { return !may_part(x, y); });
      if (xs.empty()) continue;
      const Family family{y, united(parents, at_y.cliques[i])};
      std::vector<double> gains = scorer_.gains(family, xs, run_);
      if (op == Operator::remove) {
        // The others were neighbours that do not point at y in the family.
        for (std::size_t k = 0; k < xs.size(); ++k)
          if (!std::binary_search(parents.begin(), parents.end(), xs[k])) gains[k] = -gains[k];
      } else if (op == Operator::reverse) {
        add_losses(y, at_y.cliques[i], xs, gains);
      }
      for (std::size_t k = 0; k < xs.size(); ++k)
        if (gains[k] > 0) at_y.moves.push_back({gains[k], xs[k], i});
    }
    std::sort(at_y.moves.begin(), at_y.moves.end(), [](const auto& a, const auto& b) {
      return std::tie(b.gain, a.x, a.into) < std::tie(a.gain, b.x, b.into);
    });
    at_y.stale = false;
  }

  // What each x changes by losing y as a parent.
  void add_losses(Variable y, const Nodes& into, const Nodes& xs, std::vector<double>& gains) {
    std::vector<Family> families;
    for (const Variable x : xs) {
      const Nodes others = other_parents_of_reversed(graph_, {Operator::reverse, x, y, into});
      families.push_back({x, others});
      families.push_back({x, united(others, {y})});
    }
    const std::vector<double> scores = scorer_.local(families, run_);
    for (std::size_t k = 0; k < xs.size(); ++k) gains[k] += scores[2 * k] - scores[2 * k + 1];
  }

  // Goes to the class that a legal move leads to; false if its members' scores are not what the move
  // promised, which says that equivalent graphs differ in score.
  bool take(const Best& best) {
    const Cpdag cpdag = moved(graph_, best.move);
    ParentLists member = consistent_extension(cpdag, constraints_).value();
    std::vector<double> local = local_;
    std::vector<Family> families;
    for (Variable v = 0; v < member.size(); ++v)
      if (member[v] != member_[v]) families.push_back({v, member[v]});
    const std::vector<double> scores = scorer_.local(families, run_);
    for (std::size_t i = 0; i < families.size(); ++i) local[families[i].child] = scores[i];
    const double promised = total() + best.gain;
    double magnitude = 1.0;
    for (const double score : local) magnitude += std::abs(score);

    local_ = std::move(local);
    member_ = std::move(member);
    if (std::abs(total() - promised) > kRounding * magnitude) return false;
    mark_stale(best.move, EquivalenceClass(cpdag));
    const auto [op, x, y] = std::tie(best.move.op, best.move.x, best.move.y);
    const bool reversed = op == Operator::reverse;  // the edge that was there
    trace_.push_back({op, reversed ? y : x, reversed ? x : y, best.gain, total()});
    return true;
  }

  void mark_stale(const ClassMove& move, EquivalenceClass after) {
    const auto mark = [&](Operator op, Variable v) {
      moves_[static_cast<std::size_t>(op)][v].stale = true;
    };
    const auto mark_around = [&](Variable v) {
      for (const Nodes* nodes : {&after.parents(v), &after.children(v), &after.neighbours(v)})
        for (const Variable w : *nodes) mark(Operator::reverse, w);
    };
    for (Variable v = 0; v < graph_.size(); ++v) {
      if (after.same_at(v, graph_)) continue;
      for (const Operator op : {Operator::add, Operator::remove, Operator::reverse}) mark(op, v);
      mark_around(v);  // the other half of a reversal's gain comes from the family of x
    }
    // Where one of the two is a neighbour of v, their being adjacent or not matters to v as well.
    for (const Variable end : {move.x, move.y}) {
      for (const Variable v : after.neighbours(end)) {
        mark(Operator::add, v);
        mark(Operator::remove, v);
      }
    }
    graph_ = std::move(after);
  }

  bool capped() const {
    return std::any_of(moves_.begin(), moves_.end(), [](const auto& nodes) {
      return std::any_of(nodes.begin(), nodes.end(),
                         [](const NodeMoves& at_y) { return at_y.capped; });
    });
  }

  std::vector<double> score_all(Run& run) const {
    std::vector<Family> families;
    for (Variable v = 0; v < member_.size(); ++v) families.push_back({v, member_[v]});
    return scorer_.local(families, run);
  }

  double total() const {
    double sum = 0;
    for (const double score : local_) sum += score;
    return sum;
  }

  static constexpr double kTie = 1e-12;

  const Scorer& scorer_;
  const Constraints& constraints_;
  const Ges spec_;
  Run& run_;
  ParentLists member_;  // of the class; satisfies the constraints
  EquivalenceClass graph_;
  std::vector<double> local_;  // by node, of the member; empty until scored
  std::vector<Step> trace_;
  bool limited_;  // some members of a class may satisfy the constraints and others not
  std::array<std::vector<NodeMoves>, 3> moves_;  // by operator and y
};

}  // namespace

Found ges(const Scorer& scorer, const Constraints& constraints, const Ges& spec, Run& run) {
  return GreedyEquivalenceSearch(scorer, constraints, spec, run).go();
}

}  // namespace dagwright
