#include "dagwright/search/spanning_forest.hpp"

#include <algorithm>
#include <limits>
#include <queue>
#include <utility>

namespace dagwright {

namespace {

bool better(const Link& x, const Link& y) {
  if (x.weight != y.weight) return x.weight > y.weight;
  return x.a != y.a ? x.a < y.a : x.b < y.b;
}

Link link_of(Variable v, Variable w, double weight) {
  return {std::min(v, w), std::max(v, w), weight};
}

std::vector<std::vector<Link>> links_by_node(std::size_t n, const std::vector<Link>& links) {
  std::vector<std::vector<Link>> by_node(n);
  for (const Link& link : links) {
    by_node[link.a].push_back(link);
    by_node[link.b].push_back(link);
  }
  return by_node;
}

// Prim's algorithm on a sparse forest and some dense rows.
class Prim {
 public:
  Prim(std::size_t n, const std::vector<Link>& links, Variable begin, Variable end,
       const std::vector<double>& weights)
      : n_(static_cast<Variable>(n)),
        begin_(begin),
        weights_(weights),
        sparse_(links_by_node(n, links)),
        best_(n, {0, 0, kNone}),
        inside_(n, false) {
    for (Variable v = begin; v < end; ++v) dense_outside_.push_back(v);
  }

  std::vector<Link> go() {
    std::vector<Link> links;
    for (Variable start = 0; start < n_; ++start) {
      if (inside_[start]) continue;
      take(start);
      while (!queue_.empty()) {
        const Link link = queue_.top();
        queue_.pop();
        if (inside_[link.a] && inside_[link.b]) continue;
        links.push_back(link);
        take(inside_[link.a] ? link.b : link.a);
      }
    }
    return links;
  }

 private:
  static constexpr double kNone = -std::numeric_limits<double>::infinity();
  struct Worse {
    bool operator()(const Link& x, const Link& y) const { return better(y, x); }
  };

  void offer(Variable from, Variable to, double weight) {
    Link& best = best_[to];
    if (!(weight >= best.weight)) return;  // NaN too
    const Link link = link_of(from, to, weight);
    if (!better(link, best)) return;
    best = link;
    queue_.push(link);
  }

  void take(Variable v) {
    inside_[v] = true;
    for (const Link& link : sparse_[v]) {
      const Variable other = link.a == v ? link.b : link.a;
      if (!inside_[other]) offer(v, other, link.weight);
    }
    // Pairs of v with a node whose row is here, which is the smaller of the two.
    const auto at = std::lower_bound(dense_outside_.begin(), dense_outside_.end(), v);
    const bool has_row = at != dense_outside_.end() && *at == v;
    if (has_row) dense_outside_.erase(at);
    for (const Variable other : dense_outside_) {
      if (other > v) break;
      offer(v, other, weights_[std::size_t{other - begin_} * n_ + v]);
    }
    if (!has_row) return;
    const double* row = weights_.data() + std::size_t{v - begin_} * n_;
    for (Variable other = v + 1; other < n_; ++other) {
      if (!inside_[other]) offer(v, other, row[other]);
    }
  }

  Variable n_;
  Variable begin_;
  const std::vector<double>& weights_;
  std::vector<std::vector<Link>> sparse_;
  std::vector<Link> best_;  // of each node outside to the trees so far
  std::vector<bool> inside_;
  std::vector<Variable> dense_outside_;  // sorted: nodes that have a row and are outside
  std::priority_queue<Link, std::vector<Link>, Worse> queue_;
};

}  // namespace

SpanningForest::SpanningForest(std::size_t n, const std::vector<Edge>& kept) : n_(n) {
  for (const Edge& edge : kept) {
    links_.push_back(link_of(edge.from, edge.to, std::numeric_limits<double>::infinity()));
  }
}

void SpanningForest::add_rows(Variable begin, Variable end, const std::vector<double>& weights) {
  links_ = Prim(n_, links_, begin, end, weights).go();
}

ParentLists SpanningForest::directed(std::optional<Variable> root) const {
  const auto by_node = links_by_node(n_, links_);
  ParentLists parents(n_);
  std::vector<bool> seen(n_, false);
  std::vector<Variable> waiting;
  const auto direct = [&](Variable from) {
    if (seen[from]) return;
    seen[from] = true;
    waiting.push_back(from);
    while (!waiting.empty()) {
      const Variable v = waiting.back();
      waiting.pop_back();
      for (const Link& link : by_node[v]) {
        const Variable other = link.a == v ? link.b : link.a;
        if (seen[other]) continue;
        seen[other] = true;
        parents[other].push_back(v);
        waiting.push_back(other);
      }
    }
  };
  if (root) direct(*root);
  for (Variable v = 0; v < n_; ++v) direct(v);
  return parents;
}

}  // namespace dagwright
