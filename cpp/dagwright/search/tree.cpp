#include "dagwright/search/tree.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
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

void check_stopping(Run& run) {
  run.poll();
  if (run.stopping()) throw Stopped{run.reason()};
}

// Calls fn(begin, end, weights) for all rows, as many at a time as memory allows.
template <class Fn>
void for_rows(std::size_t n, const WeightRows& weights, Run& run, Fn&& fn) {
  const std::size_t rows = std::max<std::size_t>(1, kWeightsAtOnce / std::max<std::size_t>(1, n));
  for (std::size_t begin = 0; begin < n; begin += rows) {
    const std::size_t end = std::min(n, begin + rows);
    run.progress.step = begin;
    check_stopping(run);
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

// The weights of all directed edges, at child * n + parent.
std::vector<double> directed_weights(const TreeRules& rules, const WeightRows& weights,
                                     const Rounding& rounded, Run& run) {
  const std::size_t n = rules.size();
  std::vector<double> matrix(n * n, kNoEdge);
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
  return matrix;
}

// Makes one more edge outweigh all weights, where the tree is to span, and an edge that must be there
// outweigh all edges that need not.
void add_for_edges(const TreeRules& rules, bool spanning, double unit, std::vector<double>& matrix,
                   Run& run) {
  const std::size_t n = rules.size();
  double most = 0;  // no two forests differ by more than twice this sum
  for (std::size_t child = 0; child < n; ++child) {
    check_stopping(run);
    double largest = 0;
    for (std::size_t place = child * n; place < (child + 1) * n; ++place) {
      if (matrix[place] != kNoEdge) largest = std::max(largest, std::abs(matrix[place]));
    }
    most += largest;
  }
  const double for_edge = 2 * most + unit;
  const double for_required = static_cast<double>(n + 1) * for_edge;
  if (spanning) {
    for (double& weight : matrix) weight += for_edge;  // minus infinity stays
  }
  for (const Edge& edge : edges_of(rules.smallest())) {
    matrix[edge.to * n + edge.from] += for_required;
    matrix[edge.from * n + edge.to] += for_required;
  }
}

ParentLists directed_tree(const TreeRules& rules, const WeightRows& weights, bool spanning,
                          const Rounding& rounded, Run& run) {
  try {
    std::vector<double> matrix = directed_weights(rules, weights, rounded, run);
    add_for_edges(rules, spanning, rounded.unit(), matrix, run);
    return best_branching(rules.size(), std::move(matrix), run);
  } catch (const Stopped&) {
    return rules.smallest();
  }
}

}  // namespace

TreeRules::TreeRules(const Constraints& constraints, std::optional<Variable> root,
                     std::optional<Variable> target)
    : constraints_(constraints), root_(root), target_(target) {
  if (target) given_parents_.push_back(*target);
  smallest_ = constraints.feasible_dag().dag.value().parent_lists();
  for (auto& parents : smallest_) std::erase(parents, target.value_or(constraints.size()));
  // Without rules for single edges and parameters, one pair speaks for all.
  everything_ = !target && !constraints.limits_edges() &&
                constraints.spec().max_parameters == kAnyNumberOfParameters && size() >= 2 &&
                (constraints_allow(0, 1) || constraints_allow(1, 0));
  directed_ = !everything_ && may_matter();
}

bool TreeRules::constraints_allow(Variable parent, Variable child) const {
  return child != root_ && parent != target_ && child != target_ &&
         !constraints_.required(child, parent) && constraints_.may_add(parent, child) &&
         constraints_.fits_with(child, given_parents_, parent);
}

bool TreeRules::may_matter() const {
  const ConstraintSpec& spec = constraints_.spec();
  const auto concerns = [&](const Edge& edge) {
    return edge.from != target_ && edge.to != target_ && edge.from != root_ && edge.to != root_;
  };
  if (std::any_of(spec.required.begin(), spec.required.end(), [&](const Edge& edge) {
        return edge.from != target_ && edge.to != target_;
      })) {
    return true;
  }
  if (std::any_of(spec.forbidden.begin(), spec.forbidden.end(), [&](const Edge& edge) {
        return concerns(edge) && constraints_.allowed(edge.to, edge.from);
      })) {
    return true;
  }
  std::int32_t first_tier = kNoTier;
  for (const std::int32_t tier : spec.tiers) {
    if (tier == kNoTier) continue;
    if (first_tier != kNoTier && tier != first_tier) return true;
    first_tier = tier;
  }
  // Whether a table fits depends on the numbers of states alone.
  std::map<Arity, Variable> some_with;
  for (Variable v = 0; v < spec.arities.size(); ++v) {
    if (v != target_) some_with.emplace(spec.arities[v], v);
  }
  for (const auto& [r, v] : some_with) {
    for (const auto& [s, w] : some_with) {
      if (v < w && constraints_.fits_with(v, given_parents_, w) !=
                       constraints_.fits_with(w, given_parents_, v)) {
        return true;
      }
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
