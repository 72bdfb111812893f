#include "dagwright/mcmc/order_chain.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "dagwright/mcmc/linear_extensions.hpp"

namespace dagwright {

class OrderChain::Change {
 public:
  explicit Change(OrderChain& chain)
      : table_(chain.table_),
        n_(chain.order_.size()),
        bits_(chain.bits_.data()),
        weights_(chain.weights_.data()),
        sums_(chain.sums_.data()),
        log_or_sum_(chain.log_or_sum_.data()),
        log_scales_(chain.log_scales_.data()),
        proposed_(chain.proposed_.data()),
        end_(proposed_) {}

  // Of one variable before a child: its bit among the child's candidates, or its weight among the others.
  Set bit(Variable child, Variable v) const { return bits_[child * n_ + v]; }
  double weight(Variable child, Variable v) const { return weights_[child * n_ + v]; }
  const Sum& old(Variable v) const { return sums_[v]; }

  // Logs are looked up; where others add to a sum its log is not known, but only that of the product of all
  // such sums is needed. `place` is that of each variable in the order that is proposed.
  template <class PlaceOf>
  void propose(Variable v, Set before, double others, PlaceOf&& place) {
    const double known = log_or_sum_[v][before];
    const bool is_log = known < 0;
    double log = is_log ? known + ParentTable::kBelowZero : log_scales_[v];
    double factor = is_log ? 1.0 : known + others;
    if (factor < ParentTable::kLeastSum) {
      log = table_.log_sum(v, before, [&](Variable u) { return place(u) < place(v); });
      factor = 1;
    }
    *end_++ = {v, {before, others, log, factor}};
    factor_ *= factor / sums_[v].factor;
    log_ += log - sums_[v].log;
    if (factor_ > 1e200 || factor_ < 1e-200) {
      log_ += std::log(factor_);
      factor_ = 1;
    }
  }

  // Metropolis and Hastings.
  bool accepted(double beta, Rng& rng) const {
    const double uniform = 1 - rng.uniform();  // above 0
    if (beta == 1) return log_ + std::log(factor_ / uniform) > 0;
    return beta * (log_ + std::log(factor_)) > std::log(uniform);
  }

  void take() const {
    for (const Proposed* one = proposed_; one != end_; ++one) sums_[one->node] = one->sum;
  }

 private:
  const ParentTable& table_;
  std::size_t n_;
  const Set* bits_;
  const double* weights_;
  Sum* sums_;
  const double* const* log_or_sum_;
  const double* log_scales_;
  Proposed* proposed_;
  Proposed* end_;
  double log_ = 0, factor_ = 1;
};

OrderChain::OrderChain(const ParentTable& table, std::vector<std::int32_t> order) : table_(table) {
  const std::size_t n = order.size();
  place_.resize(n);
  sums_.resize(n);
  proposed_.resize(n);
  bits_.resize(n * n);
  for (Variable v = 0; v < n; ++v) {
    const auto& candidates = table.candidates(v);
    for (std::size_t k = 0; k < candidates.size(); ++k) bits_[v * n + candidates[k]] = Set{1} << k;
    const auto weights = table.rounded_weights(v);
    weights_.insert(weights_.end(), weights.begin(), weights.end());
    log_or_sum_.push_back(table.log_or_sum(v).data());
    log_scales_.push_back(table.log_scale(v));
  }
  set_order({order.begin(), order.end()});
}

void OrderChain::set_order(std::vector<Variable> order) {
  order_ = std::move(order);
  for (std::uint32_t i = 0; i < order_.size(); ++i) place_[order_[i]] = i;
  Change change(*this);
  for (std::size_t i = 0; i < order_.size(); ++i) {
    Set before = 0;
    double others = 0;
    for (std::size_t j = 0; j < i; ++j) {
      before |= change.bit(order_[i], order_[j]);
      others += change.weight(order_[i], order_[j]);
    }
    change.propose(order_[i], before, others, [&](Variable u) { return place_[u]; });
  }
  change.take();
}

double OrderChain::log_density() const {
  double sum = 0;
  for (Variable v = 0; v < sums_.size(); ++v) {
    sum += sums_[v].log + std::log(sums_[v].factor) + table_.shift(v);
  }
  return sum;
}

void OrderChain::swap_two(std::size_t first, std::size_t second, double beta, Rng& rng) {
  swapped_.proposed++;
  const Variable a = order_[first], b = order_[second];
  Change change(*this);
  const auto place = [&](Variable u) {
    return u == a ? second : u == b ? first : std::size_t{place_[u]};
  };
  Set before_a = change.old(a).before | change.bit(a, b), before_b = change.old(b).before & ~change.bit(b, a);
  double others_a = change.old(a).others + change.weight(a, b), others_b = change.old(b).others - change.weight(b, a);
  for (std::size_t i = first + 1; i < second; ++i) {
    const Variable v = order_[i];
    before_a |= change.bit(a, v);
    before_b &= ~change.bit(b, v);
    others_a += change.weight(a, v);
    others_b -= change.weight(b, v);
    change.propose(v, (change.old(v).before & ~change.bit(v, a)) | change.bit(v, b),
                   change.old(v).others - change.weight(v, a) + change.weight(v, b), place);
  }
  change.propose(a, before_a, others_a, place);
  change.propose(b, before_b, others_b, place);
  if (!change.accepted(beta, rng)) return;
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
  const Variable a = order_[from];
  Change change(*this);
  Set before_a = change.old(a).before;
  double others_a = change.old(a).others;
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
      before_a |= change.bit(a, v);
      others_a += change.weight(a, v);
      change.propose(v, change.old(v).before & ~change.bit(v, a), change.old(v).others - change.weight(v, a), place);
    } else {
      before_a &= ~change.bit(a, v);
      others_a -= change.weight(a, v);
      change.propose(v, change.old(v).before | change.bit(v, a), change.old(v).others + change.weight(v, a), place);
    }
  }
  change.propose(a, before_a, others_a, place);
  if (!change.accepted(beta, rng)) return;
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
    out[v] = table_.listed(v, table_.draw(v, sums_[v].before, 0, true, before(v), rng.uniform()));
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
