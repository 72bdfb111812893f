#include "dagwright/search/tree.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "dagwright/base/ties.hpp"
#include "dagwright/search/branching.hpp"
#include "dagwright/search/spanning_forest.hpp"

namespace dagwright {

namespace {

constexpr std::size_t kWeightsAtOnce = 4'000'000;  // 32 MB
constexpr double kNoLink = std::numeric_limits<double>::quiet_NaN();
constexpr double kNoEdge = -std::numeric_limits<double>::infinity();

// Rounds to multiples of a power of two, so that weights that differ by rounding only are equal and
// sums and differences of weights are exact.
class Rounding {
 public:
  explicit Rounding(double scale)
      : unit_(std::exp2(std::ceil(std::log2(tie_tolerance(scale))))), per_unit_(1 / unit_) {}
  double operator()(double weight) const { return std::nearbyint(weight * per_unit_) * unit_; }
  double unit() const { return unit_; }

 private:
  double unit_;
  double per_unit_;
};

// Calls fn(begin, end, weights) for all rows, as many at a time as memory allows.
template <class Fn>
void for_rows(std::size_t n, const WeightRows& weights, Run& run, Fn&& fn) {
  const std::size_t rows = std::max<std::size_t>(1, kWeightsAtOnce / std::max<std::size_t>(1, n));
  for (std::size_t begin = 0; begin < n; begin += rows) {
    const std::size_t end = std::min(n, begin + rows);
    run.progress.step = begin;
    run.poll();
    if (run.stopping()) throw Stopped{run.reason()};
    fn(static_cast<Variable>(begin), static_cast<Variable>(end),
       weights(static_cast<Variable>(begin), static_cast<Variable>(end)));
  }
  run.progress.step = n;
}

ParentLists undirected_tree(const TreeRules& rules, const WeightRows& weights, bool spanning,
                            const Rounding& rounded, Run& run) {
  const std::size_t n = rules.size();
  SpanningForest forest(n, edges_of(rules.smallest()));
  try {
    for_rows(n, weights, run, [&](Variable begin, Variable end, PairGains rows) {
      for (Variable v = begin; v < end; ++v) {
        double* row = rows.forward.data() + std::size_t{v - begin} * n;
        for (Variable w = v + 1; w < n; ++w) {
          row[w] = rounded(row[w]);
          if ((!spanning && row[w] <= 0) || !(rules.may(v, w) || rules.may(w, v))) row[w] = kNoLink;
        }
      }
      forest.add_rows(begin, end, rows.forward);
    });
  } catch (const Stopped&) {
    // The forest of the rows so far is a graph that satisfies the constraints.
  }
  return forest.directed(rules.root());
}

ParentLists directed_tree(const TreeRules& rules, const WeightRows& weights, bool spanning,
                          const Rounding& rounded, Run& run) {
  const std::size_t n = rules.size();
  std::vector<double> matrix(n * n, kNoEdge);  // at child * n + parent
  try {
    for_rows(n, weights, run, [&](Variable begin, Variable end, const PairGains& rows) {
      const auto& backward = rows.backward.empty() ? rows.forward : rows.backward;
      for (Variable v = begin; v < end; ++v) {
        for (Variable w = v + 1; w < n; ++w) {
          const std::size_t place = std::size_t{v - begin} * n + w;
          if (rules.may(v, w)) matrix[w * n + v] = rounded(rows.forward[place]);
          if (rules.may(w, v)) matrix[v * n + w] = rounded(backward[place]);
        }
      }
    });
  } catch (const Stopped&) {
    return rules.smallest();
  }
  // No two forests differ by more than twice this sum.
  double most = 0;
  for (std::size_t child = 0; child < n; ++child) {
    double largest = 0;
    for (std::size_t parent = 0; parent < n; ++parent) {
      const double weight = matrix[child * n + parent];
      if (weight != kNoEdge) largest = std::max(largest, std::abs(weight));
    }
    most += largest;
  }
  // One more edge outweighs all weights, an edge that must be there all edges that need not.
  const double for_edge = 2 * most + rounded.unit();
  const double for_required = static_cast<double>(n + 1) * for_edge;
  const auto add = [&](std::size_t place, double more) {
    if (matrix[place] != kNoEdge) matrix[place] += more;
  };
  if (spanning) {
    for (std::size_t place = 0; place < matrix.size(); ++place) add(place, for_edge);
  }
  for (const Edge& edge : edges_of(rules.smallest())) {
    add(edge.to * n + edge.from, for_required);
    add(edge.from * n + edge.to, for_required);
  }
  return best_branching(n, std::move(matrix));
}

}  // namespace

TreeRules::TreeRules(const Constraints& constraints, std::optional<Variable> root,
                     std::optional<Variable> target)
    : constraints_(constraints), root_(root), target_(target) {
  if (target) given_parents_.push_back(*target);
  smallest_ = constraints.feasible_dag().dag.value().parent_lists();
  for (auto& parents : smallest_) std::erase(parents, target.value_or(constraints.size()));
  // Without rules for single edges and parameters, one pair speaks for all.
  everything_ = !target && !constraints.limits_edges() && !constraints.limits_parameters() &&
                size() >= 2 && (constraints_allow(0, 1) || constraints_allow(1, 0));
  directed_ = !everything_ && asymmetric();
}

bool TreeRules::constraints_allow(Variable parent, Variable child) const {
  return child != root_ && parent != target_ && child != target_ &&
         !constraints_.required(child, parent) && constraints_.may_add(parent, child) &&
         constraints_.fits_with(child, given_parents_, parent);
}

bool TreeRules::asymmetric() const {
  for (Variable v = 0; v < size(); ++v) {
    for (Variable w = v + 1; w < size(); ++w) {
      if (v == root_ || w == root_) continue;
      if (constraints_allow(v, w) != constraints_allow(w, v)) return true;
    }
  }
  return false;
}

ParentLists best_tree(const TreeRules& rules, const WeightRows& weights, bool symmetric, bool spanning,
                      double scale, Run& run) {
  const Rounding rounded(scale);
  return symmetric && !rules.directed() ? undirected_tree(rules, weights, spanning, rounded, run)
                                        : directed_tree(rules, weights, spanning, rounded, run);
}

std::vector<Edge> edges_of(const ParentLists& parents) {
  std::vector<Edge> edges;
  for (Variable child = 0; child < parents.size(); ++child) {
    for (const Variable parent : parents[child]) edges.push_back({parent, child});
  }
  return edges;
}

double likelihood_scale(const Scorer& scorer) {
  double sum = 0;
  for (const Arity r : scorer.arities()) sum += std::log(static_cast<double>(r));
  return sum * scorer.total();
}

}  // namespace dagwright
