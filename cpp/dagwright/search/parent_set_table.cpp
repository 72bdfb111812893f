#include "dagwright/search/parent_set_table.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <limits>
#include <mutex>

#include "dagwright/base/ties.hpp"
#include "dagwright/base/set_blocks.hpp"

namespace dagwright {

namespace {

constexpr double kNothing = -std::numeric_limits<double>::infinity();

// The bits of small numbers laid out over the bits of a mask, through two tables.
class Spread {
 public:
  explicit Spread(std::uint64_t mask) {
    const int n = std::popcount(mask), n_low = std::min(n, kLow);
    std::vector<std::uint64_t> bits;
    for (std::uint64_t rest = mask; rest != 0; rest &= rest - 1) bits.push_back(rest & -rest);
    const auto fill = [&](std::vector<std::uint64_t>& table, int begin, int end) {
      table.assign(std::size_t{1} << (end - begin), 0);
      for (std::size_t i = 1; i < table.size(); ++i) {
        table[i] = table[i & (i - 1)] | bits[static_cast<std::size_t>(begin + std::countr_zero(i))];
      }
    };
    fill(low_, 0, n_low);
    fill(high_, n_low, n);
  }
  std::uint64_t operator()(std::size_t i) const {
    return low_[i % (std::size_t{1} << kLow)] | high_[i >> kLow];
  }

 private:
  static constexpr int kLow = 14;
  std::vector<std::uint64_t> low_, high_;
};

}  // namespace

bool ParentSetTable::suits(const Scorer& scorer, const Constraints& constraints, double max_bytes) {
  const std::size_t n = scorer.n_variables();
  if (!scorer.has_all_families() || AllFamilies::bytes(n) * 1.5 > max_bytes) return false;
  // By size each set costs some ten times as much as here.
  double of_size = 1, up_to = 1;
  for (std::size_t k = 1; k < n && k <= constraints.max_parents(); ++k) {
    of_size *= static_cast<double>(n - k) / static_cast<double>(k);
    up_to += of_size;
  }
  return 16 * up_to > std::ldexp(1.0, static_cast<int>(n) - 1);
}

ParentSetTable::ParentSetTable(const Scorer& scorer, const Constraints& constraints, Run& run)
    : scorer_(scorer),
      constraints_(constraints),
      families_(scorer.all_families(
          std::min(constraints.max_parents(), scorer.n_variables() - 1) + 1, run)),
      run_(run) {}

void ParentSetTable::look_at_all(Variable child, std::uint64_t base, std::uint64_t free,
                                 AllParentSets& out) {
  if (!constraints_.fits(child, members_of(base))) return;
  const auto n_free = static_cast<std::size_t>(std::popcount(free));
  const Spread spread(free);
  const bool has_prior = scorer_.has_prior(), limited = constraints_.limits_parameters();
  const auto most_parents = static_cast<int>(std::min<std::size_t>(constraints_.max_parents(), 64));
  std::vector<double> within(std::size_t{1} << n_free);  // the best score of the set and its subsets
  std::mutex kept;
  std::atomic<std::uint64_t> n_scored = 0;
  SetBlocks(n_free).each_upwards(run_, [&](std::size_t i) {
    double best = kNothing;
    for (std::size_t rest = i; rest != 0; rest &= rest - 1) {
      best = std::max(best, within[i & ~(rest & -rest)]);
    }
    const std::uint64_t set = base | spread(i);
    if (std::popcount(set) <= most_parents && (!limited || constraints_.fits(child, members_of(set)))) {
      double score = families_.local(child, set);
      if (has_prior) score += scorer_.finite_log_prior({child, members_of(set)});
      n_scored.fetch_add(1, std::memory_order_relaxed);
      if (score > best + tie_tolerance(score)) {
        const std::lock_guard lock(kept);
        out.sets.push_back({set, score});
      }
      best = std::max(best, score);
    }
    within[i] = best;
  });
  out.n_scored += n_scored;
}

}  // namespace dagwright
