#include "dagwright/search/branching.hpp"

#include <cstdint>
#include <limits>
#include <utility>

namespace dagwright {

namespace {

// Groups of nodes: the nodes themselves first, then each contracted cycle of groups.
using Group = std::uint32_t;
constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

// The best way to enter a group: from a node, or from nowhere, which makes `end` a root.
struct Entry {
  std::uint32_t from = kNone;
  Variable end = 0;
  double weight = 0;  // less what the edges that it replaces inside the group weigh
};

class Branching {
 public:
  Branching(std::size_t n, std::vector<double> weights, Run& run)
      : n_(static_cast<Variable>(n)),
        run_(run),
        weights_(std::move(weights)),
        ends_(n * n),
        group_of_(n) {
    for (Variable v = 0; v < n_; ++v) {
      group_of_[v] = v;
      groups_.push_back({.row = v, .nodes = {v}, .as_root = {kNone, v, 0.0}});
      for (Variable u = 0; u < n_; ++u) ends_[std::size_t{v} * n_ + u] = v;
    }
  }

  ParentLists go() {
    for (Variable start = 0; start < n_; ++start) grow(start);
    return expanded();
  }

 private:
  enum class Mark : std::uint8_t { fresh, on_path, done };
  struct GroupState {
    Variable row;  // where its entries are in weights_ and ends_: the row of one of its nodes
    std::vector<Variable> nodes;
    Entry as_root;
    Entry chosen = {};
    Mark mark = Mark::fresh;
    Group outer = kNone;         // the group that it was contracted into
    std::vector<Group> inner = {};  // the cycle that it was contracted from
  };

  // The first of the best ways from outside into the group.
  Entry best_entry(Group g) const {
    Entry best = groups_[g].as_root;
    const std::size_t row = std::size_t{groups_[g].row} * n_;
    for (Variable u = 0; u < n_; ++u) {
      if (weights_[row + u] > best.weight && group_of_[u] != g) {
        best = {u, ends_[row + u], weights_[row + u]};
      }
    }
    return best;
  }

  // Walks backwards along the best entries until that leads to a root or to what is done; every cycle
  // on the way becomes one group.
  void grow(Variable start) {
    if (groups_[group_of_[start]].mark == Mark::done) return;
    std::vector<Group> path;
    Group next = group_of_[start];
    while (true) {
      run_.poll();
      if (run_.stopping()) throw Stopped{run_.reason()};
      groups_[next].mark = Mark::on_path;
      path.push_back(next);
      const Entry entry = best_entry(next);
      groups_[next].chosen = entry;
      if (entry.from == kNone) break;
      next = group_of_[entry.from];
      if (groups_[next].mark == Mark::done) break;
      if (groups_[next].mark == Mark::on_path) {
        std::vector<Group> cycle;
        do {
          cycle.push_back(path.back());
          path.pop_back();
        } while (cycle.back() != next);
        next = contract(std::move(cycle));
      }
    }
    for (const Group g : path) groups_[g].mark = Mark::done;
  }

  // An entry into the cycle replaces one of its edges.
  Group contract(std::vector<Group> cycle) {
    const auto made = static_cast<Group>(groups_.size());
    GroupState whole{.row = groups_[cycle.front()].row, .nodes = {}, .as_root = {}};
    double* to = weights_.data() + std::size_t{whole.row} * n_;
    Variable* to_ends = ends_.data() + std::size_t{whole.row} * n_;
    for (const Group g : cycle) {
      GroupState& part = groups_[g];
      part.outer = made;
      for (const Variable v : part.nodes) group_of_[v] = made;
      whole.nodes.insert(whole.nodes.end(), part.nodes.begin(), part.nodes.end());
      const double replaced = part.chosen.weight;
      Entry as_root = part.as_root;
      as_root.weight -= replaced;
      const bool first = g == cycle.front();
      if (first || goes_before(as_root.weight, as_root.end, whole.as_root.weight,
                               whole.as_root.end)) {
        whole.as_root = as_root;
      }
      const double* from = weights_.data() + std::size_t{part.row} * n_;
      const Variable* from_ends = ends_.data() + std::size_t{part.row} * n_;
      for (Variable u = 0; u < n_; ++u) {
        const double weight = from[u] - replaced;
        if (first || goes_before(weight, from_ends[u], to[u], to_ends[u])) {
          to[u] = weight;
          to_ends[u] = from_ends[u];
        }
      }
      part.nodes.clear();
      part.nodes.shrink_to_fit();
    }
    whole.inner = std::move(cycle);
    groups_.push_back(std::move(whole));
    return made;
  }

  static bool goes_before(double weight, Variable end, double other, Variable other_end) {
    return weight != other ? weight > other : end < other_end;
  }

  // From the outermost groups inwards: where an entry ends, it takes the place of the edges of all
  // cycles around that node; the other groups of those cycles keep their own.
  ParentLists expanded() const {
    ParentLists parents(n_);
    std::vector<Group> waiting;
    for (Group g = 0; g < groups_.size(); ++g) {
      if (groups_[g].outer == kNone) waiting.push_back(g);
    }
    while (!waiting.empty()) {
      const Group g = waiting.back();
      waiting.pop_back();
      const Entry& entry = groups_[g].chosen;
      if (entry.from != kNone) parents[entry.end].push_back(entry.from);
      for (Group inside = entry.end; inside != g; inside = groups_[inside].outer) {
        for (const Group other : groups_[groups_[inside].outer].inner) {
          if (other != inside) waiting.push_back(other);
        }
      }
    }
    return parents;
  }

  Variable n_;
  Run& run_;
  std::vector<double> weights_;
  std::vector<Variable> ends_;   // where the best edge from a node into a group ends
  std::vector<Group> group_of_;  // the outermost group of each node
  std::vector<GroupState> groups_;
};

}  // namespace

ParentLists best_branching(std::size_t n, std::vector<double> weights, Run& run) {
  return Branching(n, std::move(weights), run).go();
}

}  // namespace dagwright
