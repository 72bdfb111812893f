#include "dagwright/mcmc/order_chain.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include "dagwright/mcmc/linear_extensions.hpp"

namespace dagwright {

class OrderChain::Change {
 public:
  explicit Change(OrderChain& chain)
      : chain_(chain),
        nodes_(chain.nodes_.data()),
        proposed_(chain.proposed_.data()),
        end_(proposed_),
        open_(chain.open_.data()) {}

  Before before(Variable v) const { return nodes_[v].sum.before; }

  // Takes all that others may add for added, which is one look into a table; `settle` puts it right.
  void propose(Variable v, Before before) {
    const Node& node = nodes_[v];
    const double bound = node.log_bounds[members(before)];
    log_ += bound - node.sum.log;
    factors_before_ *= node.sum.factor;
    end_->node = v;
    end_->sum.before = before;
    end_->sum.log = bound;
    ++end_;
  }

  // Takes back what others do not add. `place` is that of each variable in the order that is proposed. False
  // as soon as the ratio of the densities is below e^needed.
  template <class PlaceOf>
  bool settle(double needed, PlaceOf&& place) {
    Proposed** open_end = open_;
    for (Proposed* one = proposed_; one != end_; ++one) {  // without a branch, which nobody could foretell
      one->sum.factor = 1;
      *open_end = one;
      open_end += ParentTable::others_may_add(one->sum.log);
    }
    for (Proposed** open = open_; open != open_end; ++open) {
      const Variable v = (*open)->node;
      const Node& node = nodes_[v];
      Sum& sum = (*open)->sum;
      const double bound = sum.log;
      sum.log = node.log_sums[members(sum.before)];
      sum.factor = 1 + std::exp(node.log_scale - sum.log) * sum_of_others(v, sum.before, place);
      if (!(sum.factor < chain_.most_factor_)) {
        sum.factor = 1;
        sum.log = chain_.table_.log_sum(v, members(sum.before),
                                        [&](Variable u) { return place(u) < place(v); });
      }
      log_ += sum.log - bound;
      factors_ *= sum.factor;
      if (log_ + log_above(factors_) < needed) return false;
    }
    return true;
  }

  // Whether the ratio of the densities is above e^needed. Most proposals are refused whatever others add.
  template <class PlaceOf>
  bool accepted(double needed, PlaceOf&& place) {
    if (log_ + kRounding < needed) return false;
    needed += std::log(factors_before_);
    if (log_ + kRounding < needed || !settle(needed, place)) return false;
    return log_ + std::log(factors_) > needed;
  }

  void take() const {
    for (const Proposed* one = proposed_; one != end_; ++one) nodes_[one->node].sum = one->sum;
  }

 private:
  static constexpr double kRounding = 1e-9;  // more than that of a sum over all nodes

  // More than the log of a number from 1 on, and fast: by its exponent alone.
  static double log_above(double x) {
    return (static_cast<double>(std::bit_cast<std::uint64_t>(x) >> 52) - 1022) * 0.694;
  }

  static Set members(Before before) { return static_cast<Set>(before & kMembers); }

  template <class PlaceOf>
  double sum_of_others(Variable v, Before before, PlaceOf&& place) const {
    double sum = 0;
    const double* four = nodes_[v].sums_of_four;
    Before others = before >> kMostCandidatesInTable;
    for (const double* end = four + 16 * chain_.n_fours_; four != end; four += 16, others >>= 4) {
      sum += four[others & 15];
    }
    if (chain_.all_have_bits_) return sum;
    const auto& all = chain_.table_.others(v);
    for (std::size_t i = kOthersWithBit; i < all.size(); ++i) {
      if (all[i].weight < sum * 0x1p-64) break;
      if (place(all[i].variable) < place(v)) sum += all[i].weight;
    }
    return sum;
  }

  OrderChain& chain_;
  Node* nodes_;
  Proposed* proposed_;
  Proposed* end_;
  Proposed** open_;
  // The ratio of the densities is e^log_ * factors_ / factors_before_.
  double log_ = 0, factors_ = 1, factors_before_ = 1;
};

OrderChain::OrderChain(const ParentTable& table, std::vector<std::int32_t> order) : table_(table) {
  const std::size_t n = order.size();
  place_.resize(n);
  proposed_.resize(n);
  open_.resize(n + 1);
  most_factor_ = std::exp(600.0 / static_cast<double>(n + 1));
  bits_.resize(n * n);
  bits_by_variable_.resize(n * n);
  for (Variable v = 0; v < n; ++v) {
    all_have_bits_ = all_have_bits_ && table.others(v).size() <= kOthersWithBit;
    n_fours_ = std::max(n_fours_, (std::min(table.others(v).size(), kOthersWithBit) + 3) / 4);
  }
  sums_of_four_.resize(n * n_fours_ * 16);
  for (Variable v = 0; v < n; ++v) {
    const auto& candidates = table.candidates(v);
    for (std::size_t k = 0; k < candidates.size(); ++k) bits_[v * n + candidates[k]] = Before{1} << k;
    const auto& others = table.others(v);
    for (std::size_t i = 0; i < std::min(others.size(), kOthersWithBit); ++i) {
      bits_[v * n + others[i].variable] = Before{1} << (kMostCandidatesInTable + i);
      double* four = &sums_of_four_[(v * n_fours_ + i / 4) * 16];
      for (std::size_t members = 0; members < 16; ++members) {
        if ((members >> (i % 4) & 1) != 0) four[members] += others[i].weight;
      }
    }
    for (Variable u = 0; u < n; ++u) bits_by_variable_[u * n + v] = bits_[v * n + u];
    nodes_.push_back({{}, table.log_bounds(v).data(), table.log_sums(v).data(),
                      sums_of_four_.data() + v * n_fours_ * 16, table.log_scale(v)});
  }
  set_order({order.begin(), order.end()});
}

void OrderChain::set_order(std::vector<Variable> order) {
  order_ = std::move(order);
  for (std::uint32_t i = 0; i < order_.size(); ++i) place_[order_[i]] = i;
  Change change(*this);
  for (std::size_t i = 0; i < order_.size(); ++i) {
    Before before = 0;
    for (std::size_t j = 0; j < i; ++j) before |= bits_[order_[i] * order_.size() + order_[j]];
    change.propose(order_[i], before);
  }
  change.settle(-std::numeric_limits<double>::infinity(), [&](Variable u) { return place_[u]; });
  change.take();
}

double OrderChain::log_density() const {
  double sum = 0;
  for (Variable v = 0; v < nodes_.size(); ++v) {
    sum += nodes_[v].sum.log + std::log(nodes_[v].sum.factor) + table_.shift(v);
  }
  return sum;
}

// What the log of the ratio of the densities must be above, by Metropolis and Hastings. Drawn before the
// ratio is worked out, as the processor does both at once then.
static double draw_needed(double beta, Rng& rng) { return std::log(1 - rng.uniform()) / beta; }

void OrderChain::swap_two(std::size_t first, std::size_t second, double beta, Rng& rng) {
  swapped_.proposed++;
  const double needed = draw_needed(beta, rng);
  const Variable a = order_[first], b = order_[second];
  Change change(*this);
  const auto place = [&](Variable u) {
    return u == a ? second : u == b ? first : std::size_t{place_[u]};
  };
  const std::size_t n = order_.size();
  const Before *in_a = &bits_[a * n], *in_b = &bits_[b * n];
  const Before *of_a = &bits_by_variable_[a * n], *of_b = &bits_by_variable_[b * n];
  Before before_a = change.before(a) | in_a[b], before_b = change.before(b) & ~in_b[a];
  const Variable* const end = order_.data() + second;
  for (const Variable* between = order_.data() + first + 1; between != end; ++between) {
    const Variable v = *between;
    before_a |= in_a[v];
    before_b &= ~in_b[v];
    change.propose(v, (change.before(v) & ~of_a[v]) | of_b[v]);
  }
  change.propose(a, before_a);
  change.propose(b, before_b);
  if (!change.accepted(needed, place)) return;
  swapped_.accepted++;
  change.take();
  std::swap(order_[first], order_[second]);
  std::swap(place_[a], place_[b]);
}

// Puts a node elsewhere; those between make room.
void OrderChain::put(std::size_t from, std::size_t to) {
  const auto at = [&](std::size_t i) { return order_.begin() + static_cast<std::ptrdiff_t>(i); };
  if (from < to) {
    std::rotate(at(from), at(from + 1), at(to + 1));
  } else {
    std::rotate(at(to), at(from), at(from + 1));
  }
  for (std::size_t i = std::min(from, to); i <= std::max(from, to); ++i) {
    place_[order_[i]] = static_cast<std::uint32_t>(i);
  }
}

void OrderChain::move_one(std::size_t from, std::size_t to, double beta, Rng& rng) {
  moved_.proposed++;
  const double needed = draw_needed(beta, rng);
  const Variable a = order_[from];
  Change change(*this);
  const Before *in_a = &bits_[a * order_.size()], *of_a = &bits_by_variable_[a * order_.size()];
  Before before_a = change.before(a);
  const bool later = from < to;
  const auto place = [&](Variable u) -> std::size_t {  // those between make room
    if (u == a) return to;
    const std::size_t old = place_[u];
    if (later) return old > from && old <= to ? old - 1 : old;
    return old >= to && old < from ? old + 1 : old;
  };
  for (std::size_t i = later ? from + 1 : to; i < (later ? to + 1 : from); ++i) {
    const Variable v = order_[i];
    if (later) {
      before_a |= in_a[v];
      change.propose(v, change.before(v) & ~of_a[v]);
    } else {
      before_a &= ~in_a[v];
      change.propose(v, change.before(v) | of_a[v]);
    }
  }
  change.propose(a, before_a);
  if (!change.accepted(needed, place)) return;
  moved_.accepted++;
  change.take();
  put(from, to);
}

void OrderChain::swap_any(double beta, Rng& rng) {
  const auto one = static_cast<std::size_t>(rng.below(order_.size()));
  const auto other = static_cast<std::size_t>(rng.below(order_.size()));
  if (one != other) swap_two(std::min(one, other), std::max(one, other), beta, rng);
}

void OrderChain::swaps(std::size_t n_steps, double beta, Rng& rng) {
  for (std::size_t i = 0; i < n_steps; ++i) swap_any(beta, rng);
}

void OrderChain::walk(std::size_t n_steps, double beta, Rng& rng) {
  const std::size_t n = order_.size();
  if (n < 2) return;
  for (std::size_t i = 0; i < n_steps; ++i) {
    // Two places may be the same, and nothing happens: or else a chain of two nodes would swap them at
    // each step, and be at the same order after every even number of steps.
    switch (rng.below(4)) {
      case 0: {
        const auto first = static_cast<std::size_t>(rng.below(n - 1));
        swap_two(first, first + 1, beta, rng);
        break;
      }
      case 1: {
        const auto from = static_cast<std::size_t>(rng.below(n));
        const auto to = static_cast<std::size_t>(rng.below(n));
        if (from != to) move_one(from, to, beta, rng);
        break;
      }
      default: swap_any(beta, rng);
    }
  }
}

ParentLists OrderChain::draw_parents(Rng& rng) const {
  ParentLists out(order_.size());
  for (Variable v = 0; v < order_.size(); ++v) {
    const auto members = static_cast<Set>(nodes_[v].sum.before & kMembers);
    out[v] = table_.listed(v, table_.draw(v, members, 0, true, before(v), rng.uniform()));
  }
  return out;
}

Draw OrderChain::draw(Rng& rng) const {
  Draw out;
  out.parents = draw_parents(rng);
  for (Variable v = 0; v < order_.size(); ++v) out.score += table_.log_weight(v, out.parents[v]);
  // Weights are for all draws or none.
  out.log_correction = countable_ ? -log_linear_extensions(out.parents)
                                  : std::numeric_limits<double>::quiet_NaN();
  countable_ = !std::isnan(out.log_correction);
  return out;
}

}  // namespace dagwright
