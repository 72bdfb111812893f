#include "dagwright/search/order_walk.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>
#include <utility>

#include "dagwright/base/ties.hpp"

namespace dagwright {

ParentSetPool::ParentSetPool(std::vector<ParentSets> of_child)
    : of_child_(std::move(of_child)), places_(size() * size(), kNoPlace) {
  find_places();
}

void ParentSetPool::find_places() {
  for (std::size_t child = 0; child < size(); ++child) {
    const auto& candidates = of_child_[child].candidates();
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      places_[child * size() + candidates[i]] = static_cast<std::uint8_t>(i);
    }
  }
}

namespace {

constexpr double kLowest = -std::numeric_limits<double>::infinity();
constexpr ScoredSet kNone{0, kLowest};  // where no set fits

// The first set that scores at most this.
std::size_t first_at_most(const std::vector<ScoredSet>& sets, double score) {
  const auto place =
      std::partition_point(sets.begin(), sets.end(),
                           [&](const ScoredSet& set) { return set.score > score; });
  return static_cast<std::size_t>(place - sets.begin());
}

}  // namespace

OrderWalk::OrderWalk(const ParentSetPool& pool, std::vector<Variable> order)
    : pool_(&pool),
      order_(std::move(order)),
      position_(order_.size()),
      before_(order_.size()),
      chosen_(order_.size()),
      is_concerned_(order_.size(), 0) {
  for (std::size_t i = 0; i < order_.size(); ++i) position_[order_[i]] = i;
  refresh();
}

void OrderWalk::refresh() {
  score_ = 0;
  for (Variable v = 0; v < order_.size(); ++v) {
    const auto& candidates = pool_->of(v).candidates();
    before_[v] = 0;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      if (position_[candidates[i]] < position_[v]) before_[v] |= std::uint64_t{1} << i;
    }
    chosen_[v] = first_fit(v, before_[v], std::numeric_limits<double>::infinity());
    score_ += chosen_[v].score;
  }
}

ParentLists OrderWalk::parents() const {
  ParentLists lists(order_.size());
  for (Variable v = 0; v < order_.size(); ++v) lists[v] = pool_->of(v).parents(members(v));
  return lists;
}

// The first, hence best, set that has all it needs before the variable and all that must be there,
// among those that score at most `most`.
ScoredSet OrderWalk::first_fit(Variable v, std::uint64_t before, double most) const {
  const std::uint64_t needed = pool_->of(v).adjacent() & before;
  const auto& list = sets(v);
  for (std::size_t i = first_at_most(list, most); i < list.size(); ++i) {
    const std::uint64_t members = list[i].members;
    if ((members & ~before) == 0 && (needed & ~members) == 0) return list[i];
  }
  return kNone;
}

// The choice when one candidate more comes before: only a better set that has it matters.
ScoredSet OrderWalk::with_one_more(Variable v, std::uint64_t bit) const {
  const std::uint64_t before = before_[v] | bit;
  const std::uint64_t adjacent = pool_->of(v).adjacent();
  if ((adjacent & bit) != 0) return first_fit(v, before, -kLowest);
  const std::uint64_t needed = adjacent & before;
  for (const ScoredSet& set : sets(v)) {
    if (set.score <= chosen_[v].score) break;
    if ((set.members & bit) != 0 && (set.members & ~before) == 0 && (needed & ~set.members) == 0) {
      return set;
    }
  }
  return chosen_[v];
}

// The choice when one of those before goes.
ScoredSet OrderWalk::with_one_less(Variable v, std::uint64_t bit) const {
  const bool adjacent = (pool_->of(v).adjacent() & bit) != 0;
  if (!adjacent && (chosen_[v].members & bit) == 0) return chosen_[v];
  return first_fit(v, before_[v] & ~bit, adjacent ? -kLowest : chosen_[v].score);
}

OrderWalk::Place OrderWalk::best_place(Variable v) const {
  Place best{position_[v], 0.0};
  const bool has_adjacent = pool_->of(v).adjacent() != 0;
  const auto walk = [&](bool left) {
    std::uint64_t before = before_[v];
    ScoredSet own = chosen_[v];
    double others = 0;
    for (std::size_t i = position_[v]; left ? i > 0 : i + 1 < order_.size();) {
      i = left ? i - 1 : i + 1;
      const Variable u = order_[i];
      const std::uint64_t bit_of_u = pool_->bit(v, u);
      const std::uint64_t bit_of_v = pool_->bit(u, v);
      if (bit_of_u == 0 && bit_of_v == 0) continue;
      if (bit_of_u != 0) {
        before ^= bit_of_u;
        // Going left only what is lost changes the choice; going right a better one may come.
        if (!left || has_adjacent) {
          own = first_fit(v, before, -kLowest);
        } else if ((own.members & bit_of_u) != 0) {
          own = first_fit(v, before, own.score);
        }
      }
      if (bit_of_v != 0) {
        const ScoredSet other = left ? with_one_more(u, bit_of_v) : with_one_less(u, bit_of_v);
        others += other.score - chosen_[u].score;
        if (others == kLowest) return;  // u cannot do without v, or with it
      }
      const double gain = own.score - chosen_[v].score + others;
      if (gain > best.gain) best = {i, gain};
    }
  };
  walk(true);
  walk(false);
  return best;
}

void OrderWalk::concern(Variable v) {
  if (is_concerned_[v]) return;
  is_concerned_[v] = 1;
  concerned_.push_back(v);
}

void OrderWalk::choose(Variable v, const ScoredSet& set) {
  if (set.members == chosen_[v].members) return;
  // Where the child and its old and new parents stand best may be another place now.
  concern(v);
  const auto& candidates = pool_->of(v).candidates();
  for (std::uint64_t rest = set.members ^ chosen_[v].members; rest != 0; rest &= rest - 1) {
    concern(candidates[static_cast<std::size_t>(std::countr_zero(rest))]);
  }
  score_ += set.score - chosen_[v].score;
  chosen_[v] = set;
}

void OrderWalk::move(Variable v, std::size_t position) {
  while (position_[v] != position) {
    const bool left = position < position_[v];
    const std::size_t next = left ? position_[v] - 1 : position_[v] + 1;
    const Variable u = order_[next];
    const std::uint64_t bit_of_v = pool_->bit(u, v);
    if (bit_of_v != 0) {
      choose(u, left ? with_one_more(u, bit_of_v) : with_one_less(u, bit_of_v));
      before_[u] ^= bit_of_v;
    }
    before_[v] ^= pool_->bit(v, u);
    std::swap(order_[position_[v]], order_[next]);
    std::swap(position_[v], position_[u]);
  }
  choose(v, first_fit(v, before_[v], -kLowest));
}

void OrderWalk::settle(Run& run) {
  while (!concerned_.empty() && !run.stopping_inside()) {
    std::vector<Variable> turns;
    turns.swap(concerned_);
    for (const Variable v : turns) is_concerned_[v] = 0;
    for (const Variable v : turns) {
      const Place place = best_place(v);
      if (place.gain > tie_tolerance(score_)) move(v, place.position);
    }
  }
}

void OrderWalk::climb(Rng& rng, Run& run) {
  std::vector<Variable> turns(order_.size());
  std::iota(turns.begin(), turns.end(), Variable{0});
  rng.shuffle(turns);
  settle(run);
  for (bool moved = true; moved && !run.stopping_inside();) {
    moved = false;
    for (const Variable v : turns) {
      const Place place = best_place(v);
      if (place.gain <= tie_tolerance(score_)) continue;
      move(v, place.position);
      settle(run);
      moved = true;
    }
  }
}

void OrderWalk::shake(std::size_t n_moves, Rng& rng) {
  const std::size_t n = order_.size();
  for (std::size_t i = 0; i < n_moves; ++i) {
    const auto v = static_cast<Variable>(rng.below(n));
    const auto wanted = static_cast<std::size_t>(rng.below(n));
    // As far towards it as every passed variable keeps a set that fits.
    while (position_[v] != wanted) {
      const bool left = wanted < position_[v];
      const std::size_t next = left ? position_[v] - 1 : position_[v] + 1;
      const Variable u = order_[next];
      const std::uint64_t bit_of_v = pool_->bit(u, v);
      if (bit_of_v != 0 &&
          (left ? with_one_more(u, bit_of_v) : with_one_less(u, bit_of_v)).score == kLowest) {
        break;
      }
      if (first_fit(v, before_[v] ^ pool_->bit(v, u), -kLowest).score == kLowest) break;
      move(v, next);
    }
  }
}

}  // namespace dagwright
