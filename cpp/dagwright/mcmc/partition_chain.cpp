#include "dagwright/mcmc/partition_chain.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "dagwright/mcmc/edge_reversal.hpp"
#include "dagwright/mcmc/random_order.hpp"

namespace dagwright {

namespace {

// The length of the longest path that leads to each node.
std::vector<std::int32_t> layers_of(const Dag& dag) {
  std::vector<std::int32_t> layers(dag.size());
  for (const Variable v : dag.topological_order()) {
    for (const Variable parent : dag.parents(v)) layers[v] = std::max(layers[v], layers[parent] + 1);
  }
  return layers;
}

double log_choose(double n, double k) {
  return std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1);
}

}  // namespace

PartitionChain::PartitionChain(const ParentTable& table, const Constraints& constraints,
                               std::vector<Layer> layers, const Shares& shares)
    : table_(table),
      shares_(shares),
      orders_(table, [&] {
        std::vector<std::int32_t> order(layers.size());
        std::iota(order.begin(), order.end(), 0);
        return order;
      }()) {
  for (const Edge& pair : constraints.spec().adjacent) adjacent_.emplace_back(pair.from, pair.to);
  take_all(std::move(layers));
}

void PartitionChain::take_all(std::vector<Layer> layers) {
  layer_ = std::move(layers);
  const std::size_t n = layer_.size();
  const auto n_layers = static_cast<std::size_t>(*std::max_element(layer_.begin(), layer_.end()) + 1);
  sizes_.assign(n_layers, 0);
  for (const Layer layer : layer_) sizes_[static_cast<std::size_t>(layer)]++;
  before_.resize(n);
  near_.resize(n);
  logs_.resize(n);
  for (Variable v = 0; v < n; ++v) {
    before_[v] = table_.members(v, [&](Variable u) { return layer_[u] < layer_[v]; });
    near_[v] = table_.members(v, [&](Variable u) { return layer_[u] == layer_[v] - 1; });
    logs_[v] = log_sum_exactly(v, layer_, before_[v], near_[v]);
  }
}

double PartitionChain::log_sum(Variable v, const std::vector<Layer>& layers, Set before, Set near,
                               bool& exact) const {
  if (layers[v] == 0) return table_.log_sum(v, 0, [](Variable) { return false; });
  const Layer just_before = layers[v] - 1;
  return table_.log_sum_near(
      v, before, near, [&](Variable u) { return layers[u] == just_before; }, exact);
}

double PartitionChain::log_sum_exactly(Variable v, const std::vector<Layer>& layers, Set before,
                                       Set near) const {
  if (layers[v] == 0) return table_.log_sum(v, 0, [](Variable) { return false; });
  const Layer just_before = layers[v] - 1;
  return table_.log_sum_near(v, before, near,
                             [&](Variable u) { return layers[u] == just_before; });
}

bool PartitionChain::adjacent_in_one_layer(const std::vector<Layer>& layers) const {
  return std::any_of(adjacent_.begin(), adjacent_.end(), [&](const auto& pair) {
    return layers[pair.first] == layers[pair.second];
  });
}

double PartitionChain::log_density() const {
  double sum = 0;
  for (Variable v = 0; v < logs_.size(); ++v) sum += logs_[v] + table_.shift(v);
  return sum;
}

bool PartitionChain::decide(Layer low, Layer high, double log_proposal_ratio, double beta, Rng& rng) {
  if (!adjacent_.empty() && adjacent_in_one_layer(next_)) return false;
  const double threshold = log_threshold(rng) - log_proposal_ratio;
  changed_.clear();
  next_before_.clear();
  next_near_.clear();
  next_logs_.clear();
  double change = 0;
  bool exact = true;
  for (Variable v = 0; v < next_.size(); ++v) {
    const Layer layer = next_[v];
    if (layer < low || layer > high) continue;
    const auto& candidates = table_.candidates(v);
    Set before = 0, near = 0;
    for (std::size_t k = 0; k < candidates.size(); ++k) {
      const Layer other = next_[candidates[k]];
      before |= static_cast<Set>(other < layer) << k;
      near |= static_cast<Set>(other == layer - 1) << k;
    }
    const bool same = before == before_[v] && near == near_[v] && (layer == 0) == (layer_[v] == 0);
    if (same && !table_.others_matter(v, logs_[v])) continue;
    const double log = log_sum(v, next_, before, near, exact);
    changed_.push_back(v);
    next_before_.push_back(before);
    next_near_.push_back(near);
    next_logs_.push_back(log);
    change += log - logs_[v];
  }
  if (!(beta * change > threshold)) return false;
  if (exact) return true;
  change = 0;
  for (std::size_t i = 0; i < changed_.size(); ++i) {
    const Variable v = changed_[i];
    next_logs_[i] = log_sum_exactly(v, next_, next_before_[i], next_near_[i]);
    change += next_logs_[i] - logs_[v];
  }
  return beta * change > threshold;
}

void PartitionChain::accept(MoveStats& move) {
  move.accepted++;
  layer_.swap(next_);
  for (std::size_t i = 0; i < changed_.size(); ++i) {
    const Variable v = changed_[i];
    before_[v] = next_before_[i];
    near_[v] = next_near_[i];
    logs_[v] = next_logs_[i];
  }
  std::fill(sizes_.begin(), sizes_.end(), 0);
  Layer last = 0;
  for (const Layer layer : layer_) {
    if (static_cast<std::size_t>(layer) >= sizes_.size()) sizes_.resize(layer + std::size_t{1});
    sizes_[static_cast<std::size_t>(layer)]++;
    last = std::max(last, layer);
  }
  sizes_.resize(static_cast<std::size_t>(last) + 1);
}

// A node is taken out, and put into any layer or any new one of its own, all the same: the way back is
// as likely.
void PartitionChain::move_one(double beta, Rng& rng) {
  moved_.proposed++;
  const auto v = static_cast<Variable>(rng.below(layer_.size()));
  const Layer from = layer_[v];
  const bool alone = sizes_[static_cast<std::size_t>(from)] == 1;
  const auto n_layers = static_cast<Layer>(sizes_.size()) - (alone ? 1 : 0);
  const auto place = static_cast<Layer>(rng.below(static_cast<std::uint64_t>(2 * n_layers + 1)));
  // Even places are gaps between the layers that are left, odd ones the layers.
  const Layer to = place / 2;
  const bool own = place % 2 == 0;
  if (own ? alone && to == from : !alone && to == from) return;  // where it is
  next_ = layer_;
  if (alone) {
    for (Layer& layer : next_) layer -= layer > from ? 1 : 0;
  }
  if (own) {
    for (Layer& layer : next_) layer += layer >= to ? 1 : 0;
  }
  next_[v] = to;
  // What changes is between the two places, and the layer after either.
  const Layer low = std::min(from, to);
  const Layer high = std::max(from, to) + (own ? 2 : 1);
  if (decide(low, high, 0, beta, rng)) accept(moved_);
}

void PartitionChain::swap_two(double beta, Rng& rng) {
  swapped_.proposed++;
  const auto a = static_cast<Variable>(rng.below(layer_.size()));
  const auto b = static_cast<Variable>(rng.below(layer_.size()));
  if (layer_[a] == layer_[b]) return;
  next_ = layer_;
  std::swap(next_[a], next_[b]);
  const auto [low, high] = std::minmax(layer_[a], layer_[b]);
  if (decide(low, high + 1, 0, beta, rng)) accept(swapped_);
}

void PartitionChain::split_or_join(double beta, Rng& rng) {
  split_.proposed++;
  const auto n_layers = sizes_.size();
  const auto n_large = [&] {
    return static_cast<double>(
        std::count_if(sizes_.begin(), sizes_.end(), [](std::uint32_t size) { return size > 1; }));
  };
  if (rng.below(2) == 0) {
    // A layer of more than one, how many go first, and which.
    const double large = n_large();
    if (large == 0) return;
    std::uint64_t left = rng.below(static_cast<std::uint64_t>(large));
    std::size_t layer = 0;
    for (;; ++layer) {
      if (sizes_[layer] > 1 && left-- == 0) break;
    }
    const std::uint64_t size = sizes_[layer];
    const std::uint64_t n_first = 1 + rng.below(size - 1);
    next_ = layer_;
    std::uint64_t to_see = size, to_take = n_first;
    for (Layer& own : next_) {
      if (own > static_cast<Layer>(layer)) own++;
      else if (own == static_cast<Layer>(layer)) {
        if (rng.below(to_see--) < to_take) to_take--;
        else own++;
      }
    }
    const double log_ratio = std::log(large) + std::log(static_cast<double>(size - 1)) +
                             log_choose(static_cast<double>(size), static_cast<double>(n_first)) -
                             std::log(static_cast<double>(n_layers));
    const auto low = static_cast<Layer>(layer);
    if (decide(low, low + 2, log_ratio, beta, rng)) accept(split_);
    return;
  }
  if (n_layers == 1) return;
  const auto layer = static_cast<std::size_t>(rng.below(n_layers - 1));
  const double size_first = sizes_[layer], size = size_first + sizes_[layer + 1];
  double large = n_large();
  if (sizes_[layer] > 1) large--;
  if (sizes_[layer + 1] > 1) large--;
  large++;
  next_ = layer_;
  for (Layer& own : next_) own -= own > static_cast<Layer>(layer) ? 1 : 0;
  const double log_ratio = std::log(static_cast<double>(n_layers - 1)) - std::log(large) -
                           std::log(size - 1) - log_choose(size, size_first);
  const auto low = static_cast<Layer>(layer);
  if (decide(low, low + 1, log_ratio, beta, rng)) accept(split_);
}

Dag PartitionChain::draw_dag(Rng& rng) const {
  ParentLists parents(layer_.size());
  for (Variable v = 0; v < layer_.size(); ++v) {
    if (layer_[v] == 0) continue;
    const Layer just_before = layer_[v] - 1;
    parents[v] = table_.listed(
        v, table_.draw(v, before_[v], near_[v], false,
                       [&](Variable u) { return layer_[u] == just_before; }, rng.uniform()));
  }
  return Dag(std::move(parents));
}

// A move of graphs that leaves their distribution as it is does so to that of their partitions, if it
// begins with a graph drawn given the partition. At other temperatures than 1 the distribution of graphs
// is then their weight times e^((beta - 1) * log density of their partition).
void PartitionChain::take_graph(const Dag& dag, double log_ratio, double beta, MoveStats& move,
                                Rng& rng) {
  const double threshold = log_threshold(rng);
  if (beta == 1.0) {
    if (!(log_ratio > threshold)) return;
    take_all(layers_of(dag));
  } else {
    const double before = log_density();
    auto old = layer_;
    take_all(layers_of(dag));
    if (!(log_ratio + (beta - 1) * (log_density() - before) > threshold)) {
      return take_all(std::move(old));
    }
  }
  move.accepted++;
}

void PartitionChain::reverse_edge(double beta, Rng& rng) {
  reversed_.proposed++;
  Dag dag = draw_dag(rng);
  const auto reversal = propose_reversal(table_, dag, rng);
  if (reversal) take_graph(dag, reversal->log_ratio, beta, reversed_, rng);
}

// A graph and one of its orders, drawn as below, are a pair. Steps over orders and a graph drawn given the
// last order lead to another pair. If pairs were as likely as the weight of their graph says, the way back
// would be as likely as the way there; they are that times the probability of drawing the order.
void PartitionChain::walk_over_orders(double beta, Rng& rng) {
  reordered_.proposed++;
  const Dag dag = draw_dag(rng);
  orders_.set_order(draw_order(dag, rng));
  const double before = log_probability(orders_.order(), dag);
  orders_.walk(2 * dag.size(), 1.0, rng);  // shorter ones change little, longer ones are accepted less
  const Dag drawn(orders_.draw_parents(rng));
  const double after = log_probability(orders_.order(), drawn);
  take_graph(drawn, after - before, beta, reordered_, rng);
}

void PartitionChain::steps(std::size_t n_steps, double beta, Rng& rng, Run&) {
  for (std::size_t i = 0; i < n_steps; ++i) {
    const double kind = rng.uniform();
    if (kind < shares_.reversal) {
      reverse_edge(beta, rng);
    } else if (kind < shares_.reversal + shares_.orders) {
      walk_over_orders(beta, rng);
    } else {
      switch (rng.below(4)) {
        case 0: swap_two(beta, rng); break;
        case 1: split_or_join(beta, rng); break;
        default: move_one(beta, rng);
      }
    }
  }
}

Draw PartitionChain::draw(Rng& rng) const {
  const Dag dag = draw_dag(rng);
  Draw out{dag.parent_lists(), 0, 0};
  for (Variable v = 0; v < dag.size(); ++v) out.score += table_.log_weight(v, dag.parents(v));
  return out;
}

}  // namespace dagwright
