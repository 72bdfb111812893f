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
        sums_of_four_(chain.sums_of_four_.data()),
        n_fours_(chain.n_fours_),
        tables_(chain.tables_.data()),
        sums_(chain.sums_.data()),
        proposed_(chain.proposed_.data()),
        end_(proposed_),
        first_open_(chain.open_.data()),
        open_(first_open_) {}

  // Of one variable among those before a child.
  Before bit(Variable child, Variable v) const { return bits_[child * n_ + v]; }
  Before before(Variable v) const { return sums_[v].before; }

  // Looks the log of the sum over the sets of candidates up. It may be that others add to it, which `settle`
  // sees to: to look at that here would be to wait for each number of a large table before asking for the
  // next.
  void propose(Variable v, Before before) {
    const double log = tables_[v].log_sums[members(before)];
    const double ratio = tables_[v].log_others - log;
    *open_ = end_;
    open_ += ratio > -ParentTable::kNegligible;
    *end_++ = {v, {before, log}};
    log_ += log - sums_[v].log;
    twice_most_ += ratio + kShift + std::abs(ratio + kShift);  // of max(0, ...), which gcc makes a branch
  }

  // Adds what others add to these sums. `place` is that of each variable in the order that is proposed.
  template <class PlaceOf>
  void settle(PlaceOf&& place) {
    for (Proposed* const* open = first_open_; open != open_; ++open) {
      const Variable v = (*open)->node;
      Sum& sum = (*open)->sum;
      if (table_.others(v).empty() || (members(sum.before) & tables_[v].adjacent) != 0) continue;
      const double others = sum_of_others(v, sum.before, place);
      const double ratio = std::exp(tables_[v].log_scale - sum.log) * others;
      const double more = ratio < kHuge
                              ? std::log(1 + ratio)
                              : table_.log_sum(v, members(sum.before),
                                               [&](Variable u) { return place(u) < place(v); }) -
                                    sum.log;
      sum.log += more;
      log_ += more;
    }
  }

  // Metropolis and Hastings. Most proposals are refused whatever others add.
  template <class PlaceOf>
  bool accepted(double beta, Rng& rng, PlaceOf&& place) {
    const double needed = std::log(1 - rng.uniform()) / beta;  // of a number above 0
    if (log_ + twice_most_ / 2 + kRest * static_cast<double>(open_ - first_open_) < needed) return false;
    settle(place);
    return log_ > needed;
  }

  void take() const {
    for (const Proposed* one = proposed_; one != end_; ++one) sums_[one->node] = one->sum;
  }

 private:
  static constexpr double kHuge = 1e280;
  // ln(1 + e^x) is no more than max(0, x + kShift) + kRest.
  static constexpr double kShift = 3.05, kRest = 0.05;

  static Set members(Before before) { return static_cast<Set>(before & kMembers); }

  template <class PlaceOf>
  double sum_of_others(Variable v, Before before, PlaceOf&& place) const {
    double sum = 0;
    const double* four = sums_of_four_ + v * n_fours_ * 16;
    Before others = before >> kMostCandidatesInTable;
    for (std::size_t i = 0; i < n_fours_; ++i, others >>= 4, four += 16) sum += four[others & 15];
    const auto& all = table_.others(v);
    for (std::size_t i = kOthersWithBit; i < all.size(); ++i) {
      if (all[i].weight < sum * 0x1p-64) break;
      if (place(all[i].variable) < place(v)) sum += all[i].weight;
    }
    return sum;
  }

  const ParentTable& table_;
  std::size_t n_;
  const Before* bits_;
  const double* sums_of_four_;
  std::size_t n_fours_;
  const TableOf* tables_;
  Sum* sums_;
  Proposed* proposed_;
  Proposed* end_;
  Proposed** first_open_;
  Proposed** open_;
  double log_ = 0;         // of the ratio of the densities
  double twice_most_ = 0;  // `settle` adds no more than half of this, and kRest for each that is open
};

OrderChain::OrderChain(const ParentTable& table, std::vector<std::int32_t> order) : table_(table) {
  const std::size_t n = order.size();
  place_.resize(n);
  sums_.resize(n);
  proposed_.resize(n);
  open_.resize(n + 1);
  bits_.resize(n * n);
  for (Variable v = 0; v < n; ++v) {
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
    tables_.push_back({table.log_sums(v).data(), std::max(table.log_others(v), kLowest), table.log_scale(v), table.must_be_adjacent(v)});
  }
  set_order({order.begin(), order.end()});
}

void OrderChain::set_order(std::vector<Variable> order) {
  order_ = std::move(order);
  for (std::uint32_t i = 0; i < order_.size(); ++i) place_[order_[i]] = i;
  Change change(*this);
  for (std::size_t i = 0; i < order_.size(); ++i) {
    Before before = 0;
    for (std::size_t j = 0; j < i; ++j) before |= change.bit(order_[i], order_[j]);
    change.propose(order_[i], before);
  }
  change.settle([&](Variable u) { return place_[u]; });
  change.take();
}

double OrderChain::log_density() const {
  double sum = 0;
  for (Variable v = 0; v < sums_.size(); ++v) {
    sum += sums_[v].log + table_.shift(v);
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
  Before before_a = change.before(a) | change.bit(a, b), before_b = change.before(b) & ~change.bit(b, a);
  for (std::size_t i = first + 1; i < second; ++i) {
    const Variable v = order_[i];
    before_a |= change.bit(a, v);
    before_b &= ~change.bit(b, v);
    change.propose(v, (change.before(v) & ~change.bit(v, a)) | change.bit(v, b));
  }
  change.propose(a, before_a);
  change.propose(b, before_b);
  if (!change.accepted(beta, rng, place)) return;
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
      before_a |= change.bit(a, v);
      change.propose(v, change.before(v) & ~change.bit(v, a));
    } else {
      before_a &= ~change.bit(a, v);
      change.propose(v, change.before(v) | change.bit(v, a));
    }
  }
  change.propose(a, before_a);
  if (!change.accepted(beta, rng, place)) return;
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
    out[v] = table_.listed(v, table_.draw(v, static_cast<Set>(sums_[v].before & kMembers), 0, true, before(v), rng.uniform()));
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
