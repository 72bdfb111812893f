#include "dagwright/infer/elimination_order.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <queue>
#include <tuple>

#include "dagwright/base/rng.hpp"

namespace dagwright {

namespace {

using Node = std::uint32_t;

// What is least when a node goes next.
enum class Rule : std::uint8_t {
  fill,           // edges that must be added between its neighbours
  weighted_fill,  // the same, each edge worth the product of its ends' arities
  weight,         // cells of its table
};

// One greedy elimination. Fill is kept up to date as edges come and nodes go: when all neighbours of a
// node are joined, taking it away spares each of them the missing edges between the node and its
// other neighbours, a number known without looking at them.
class Greedy {
 public:
  // With random numbers, what a node costs is taken for up to twice as much: greedy choices that
  // seem a little worse often end better.
  Greedy(const InteractionGraph& graph, std::span<const std::uint8_t> stages, Rule rule,
         std::optional<Rng> rng)
      : rule_(rule),
        rng_(rng),
        stages_(stages),
        neighbors_(graph.neighbors),
        mark_(graph.arities.size(), 0) {
    const std::size_t n = graph.arities.size();
    for (Node v = 0; v < n; ++v) {
      worth_.push_back(rule == Rule::weighted_fill ? graph.arities[v] : 1.0);
      log_arity_.push_back(std::log(static_cast<double>(graph.arities[v])));
    }
    sum_.resize(n);
    fill_.resize(n);
    weight_.resize(n);
    version_.assign(n, 0);
    gone_.assign(n, 0);
    for (Node v = 0; v < n; ++v) {
      weight_[v] = log_arity_[v];
      for (const Node u : neighbors_[v]) {
        sum_[v] += worth_[u];
        weight_[v] += log_arity_[u];
      }
    }
    for (Node v = 0; v < n; ++v) {
      fill_[v] = initial_fill(v);
      push(v);
    }
  }

  // Gives up when the tables have more cells than `limit`.
  std::optional<Elimination> run(double limit, Run& run) {
    Elimination out;
    while (out.order.size() < neighbors_.size()) {
      run.check_inside();
      const auto [key, v, version] = take();
      out.cells += std::exp(weight_[v]);
      if (out.cells > limit) return std::nullopt;
      out.order.push_back(v);
      out.later.push_back(neighbors_[v]);
      eliminate(v);
    }
    return out;
  }

 private:
  using Key = std::tuple<std::uint8_t, double, double>;  // equal ones: the lowest number first
  using Entry = std::tuple<Key, Node, std::uint32_t>;  // the last: a version

  double initial_fill(Node v) {
    const auto& near = neighbors_[v];
    for (const Node u : near) mark_[u] = 1;
    double all = sum_[v] * sum_[v], joined = 0;
    for (const Node u : near) {
      all -= worth_[u] * worth_[u];
      for (const Node w : neighbors_[u]) {
        if (mark_[w]) joined += worth_[u] * worth_[w];
      }
    }
    for (const Node u : near) mark_[u] = 0;
    return (all - joined) / 2;
  }

  void push(Node v) {
    const double times = rng_ ? 1.0 + rng_->uniform() : 1.0;
    const double fill = std::max(0.0, fill_[v]) * times, weight = weight_[v] + std::log(times);
    const Key key = rule_ == Rule::weight ? Key{stages_[v], weight, fill}
                                          : Key{stages_[v], fill, weight};
    heap_.emplace(key, v, version_[v]);
  }

  void touch(Node v) {
    if (changed_mark_.size() < version_.size()) changed_mark_.resize(version_.size(), 0);
    if (!changed_mark_[v]) {
      changed_mark_[v] = 1;
      changed_.push_back(v);
    }
  }

  Entry take() {
    for (;;) {
      const Entry top = heap_.top();
      heap_.pop();
      const auto& [key, v, version] = top;
      if (!gone_[v] && version == version_[v]) return top;
    }
  }

  void add_edge(Node a, Node b) {
    // The other neighbours of a that b does not have: with b they are new pairs without an edge.
    for (const Node u : neighbors_[a]) mark_[u] = 1;
    double common = 0;
    for (const Node u : neighbors_[b]) {
      if (!mark_[u]) continue;
      common += worth_[u];
      fill_[u] -= worth_[a] * worth_[b];
      touch(u);
    }
    for (const Node u : neighbors_[a]) mark_[u] = 0;
    fill_[a] += worth_[b] * (sum_[a] - common);
    fill_[b] += worth_[a] * (sum_[b] - common);
    sum_[a] += worth_[b];
    sum_[b] += worth_[a];
    weight_[a] += log_arity_[b];
    weight_[b] += log_arity_[a];
    auto insert = [](std::vector<Node>& to, Node x) {
      to.insert(std::lower_bound(to.begin(), to.end(), x), x);
    };
    insert(neighbors_[a], b);
    insert(neighbors_[b], a);
    touch(a);
    touch(b);
  }

  void eliminate(Node v) {
    gone_[v] = 1;
    const auto near = neighbors_[v];
    for (std::size_t i = 0; i < near.size(); ++i) {
      const auto& own = neighbors_[near[i]];
      missing_.clear();
      std::set_difference(near.begin() + static_cast<std::ptrdiff_t>(i) + 1, near.end(), own.begin(),
                          own.end(), std::back_inserter(missing_));
      for (const Node b : missing_) add_edge(near[i], b);
    }
    double clique = 0;
    for (const Node u : near) clique += worth_[u];
    for (const Node u : near) {
      fill_[u] -= worth_[v] * (sum_[u] - worth_[v] - (clique - worth_[u]));
      sum_[u] -= worth_[v];
      weight_[u] -= log_arity_[v];
      auto& own = neighbors_[u];
      own.erase(std::lower_bound(own.begin(), own.end(), v));
      touch(u);
    }
    for (const Node u : changed_) {
      changed_mark_[u] = 0;
      if (gone_[u]) continue;
      ++version_[u];
      push(u);
    }
    changed_.clear();
  }

  Rule rule_;
  std::optional<Rng> rng_;
  std::span<const std::uint8_t> stages_;
  std::vector<std::vector<Node>> neighbors_;
  std::vector<std::uint8_t> mark_, gone_, changed_mark_;
  std::vector<double> worth_, log_arity_, sum_, fill_, weight_;
  std::vector<std::uint32_t> version_;
  std::vector<Node> missing_, changed_;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> heap_;
};

}  // namespace

Elimination best_elimination(const InteractionGraph& graph, std::span<const std::uint8_t> stages,
                             Run& run) {
  constexpr double kNoLimit = std::numeric_limits<double>::infinity();
  Elimination best = *Greedy(graph, stages, Rule::fill, std::nullopt).run(kNoLimit, run);
  // A try takes about as long as 300 cells a node; all of them shall take less than half of the work.
  constexpr double kCellsOfATry = 800.0;
  constexpr std::size_t kMostTries = 200;
  constexpr double kHopeless = 1e13;  // cells: no order will make that small
  const double n = static_cast<double>(graph.arities.size());
  for (std::size_t tried = 1; tried < kMostTries; ++tried) {
    if (static_cast<double>(tried) * kCellsOfATry * n > best.cells) break;
    if (tried > 3 && best.cells > kHopeless) break;
    const Rule rule = tried == 2 ? Rule::weight : tried % 2 == 1 ? Rule::weighted_fill : Rule::fill;
    auto found = Greedy(graph, stages, rule, tried <= 2 ? std::nullopt : std::optional(Rng(0, tried)))
                     .run(std::nextafter(best.cells, 0.0), run);
    if (found) best = std::move(*found);
  }
  return best;
}

}  // namespace dagwright
