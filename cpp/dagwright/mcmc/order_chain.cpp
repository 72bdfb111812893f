#include "dagwright/mcmc/order_chain.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "dagwright/mcmc/linear_extensions.hpp"

namespace dagwright {

OrderChain::OrderChain(const ParentTable& table, std::vector<std::int32_t> order)
    : table_(table) {
  const std::size_t n = order.size();
  bits_.resize(n * n);
  place_.resize(n);
  before_.resize(n);
  logs_.resize(n);
  for (Variable v = 0; v < n; ++v) {
    const auto& candidates = table.candidates(v);
    for (std::size_t k = 0; k < candidates.size(); ++k) bits_[v * n + candidates[k]] = Set{1} << k;
  }
  set_order({order.begin(), order.end()});
}

void OrderChain::set_order(std::vector<Variable> order) {
  order_ = std::move(order);
  for (std::uint32_t i = 0; i < order_.size(); ++i) place_[order_[i]] = i;
  for (Variable v = 0; v < order_.size(); ++v) {
    before_[v] = table_.members(v, before(v));
    logs_[v] = table_.log_sum(v, before_[v], before(v));
  }
}

double OrderChain::log_density() const {
  double sum = 0;
  for (Variable v = 0; v < logs_.size(); ++v) sum += logs_[v] + table_.shift(v);
  return sum;
}

double OrderChain::propose(Variable v, Set before_members) {
  const double log = table_.log_sum(v, before_members, before(v));
  proposed_.push_back({v, before_members, log});
  return log - logs_[v];
}

void OrderChain::accept(MoveStats& move) {
  move.accepted++;
  for (const Proposed& one : proposed_) {
    before_[one.node] = one.before;
    logs_[one.node] = one.log;
  }
}

void OrderChain::swap_two(std::size_t first, std::size_t second, double beta, Rng& rng) {
  swapped_.proposed++;
  const Variable a = order_[first], b = order_[second];
  const double threshold = log_threshold(rng);
  std::swap(order_[first], order_[second]);
  std::swap(place_[a], place_[b]);
  proposed_.clear();
  double change = 0;
  Set before_a = before_[a] | bit(a, b), before_b = before_[b] & ~bit(b, a);
  for (std::size_t i = first + 1; i < second; ++i) {
    const Variable v = order_[i];
    before_a |= bit(a, v);
    before_b &= ~bit(b, v);
    change += propose(v, (before_[v] & ~bit(v, a)) | bit(v, b));
  }
  change += propose(a, before_a) + propose(b, before_b);
  if (beta * change > threshold) return accept(swapped_);
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
  const double threshold = log_threshold(rng);
  put(from, to);
  proposed_.clear();
  double change = 0;
  Set before_a = before_[a];
  const bool later = from < to;
  for (std::size_t i = later ? from : to + 1; i < (later ? to : from + 1); ++i) {
    const Variable v = order_[i];
    if (later) {
      before_a |= bit(a, v);
      change += propose(v, before_[v] & ~bit(v, a));
    } else {
      before_a &= ~bit(a, v);
      change += propose(v, before_[v] | bit(v, a));
    }
  }
  change += propose(a, before_a);
  if (beta * change > threshold) return accept(moved_);
  put(to, from);
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
      default: {
        const auto one = static_cast<std::size_t>(rng.below(n));
        const auto other = static_cast<std::size_t>(rng.below(n));
        if (one != other) swap_two(std::min(one, other), std::max(one, other), beta, rng);
      }
    }
  }
}

ParentLists OrderChain::draw_parents(Rng& rng) const {
  ParentLists out(order_.size());
  for (Variable v = 0; v < order_.size(); ++v) {
    out[v] = table_.listed(v, table_.draw(v, before_[v], 0, true, before(v), rng.uniform()));
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
