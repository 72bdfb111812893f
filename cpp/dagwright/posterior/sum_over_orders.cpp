#include "dagwright/posterior/sum_over_orders.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "dagwright/base/wide.hpp"
#include "dagwright/base/set_blocks.hpp"
#include "dagwright/posterior/subset_sums.hpp"

namespace dagwright {

namespace {

constexpr double kLogZero = -std::numeric_limits<double>::infinity();

// The log of a sum of a few numbers, given by their logs.
class LogSum {
 public:
  void add(double log) {
    if (log == kLogZero) return;
    logs_[n_++] = log;
    largest_ = std::max(largest_, log);
  }
  double value() const {
    double sum = 0;
    for (std::size_t i = 0; i < n_; ++i) sum += std::exp(logs_[i] - largest_);
    return n_ == 0 ? kLogZero : largest_ + std::log(sum);
  }

 private:
  std::array<double, kMostInTables> logs_;
  std::size_t n_ = 0;
  double largest_ = kLogZero;
};

// log B(S): what the nodes after S add, in all their orders.
std::vector<double> log_sums_after(const LogFactorTables& factors, Run& run) {
  const std::size_t n = factors.size();
  const Set all = all_of(n);
  const SetBlocks blocks(n);
  std::vector<double> logs(std::size_t{1} << n);
  blocks.downwards(run, [&](Set high) {
    for (Set low = blocks.n_low(); low-- > 0;) {
      if (low % 1024 == 0) run.check_inside();
      const Set set = high * blocks.n_low() | low;
      LogSum sum;
      for (Set rest = all & ~set; rest != 0; rest &= rest - 1) {
        const Variable v = lowest_of(rest);
        sum.add(factors[v][without_bit(set, v)] + logs[set | bit_of(v)]);
      }
      logs[set] = set == all ? 0.0 : sum.value();
    }
  });
  return logs;
}

}  // namespace

LogFactorTables log_factor_tables(const FamilyWeights& weights, Run& run) {
  LogFactorTables tables;
  for (const ChildWeights& child : weights.children) {
    const std::vector<Wide> sums = sums_of_weights(child, weights.n(), run);
    std::vector<double>& logs = tables.emplace_back(sums.size());
    constexpr std::size_t kBlock = 1 << 14;
    run.parallel_for((sums.size() + kBlock - 1) / kBlock, [&](std::size_t b) {
      const std::size_t end = std::min(sums.size(), (b + 1) * kBlock);
      for (std::size_t set = b * kBlock; set < end; ++set) logs[set] = sums[set].log();
    });
  }
  return tables;
}

std::vector<double> log_sums_over_orders(const LogFactorTables& factors, Run& run) {
  const std::size_t n = factors.size();
  const SetBlocks blocks(n);
  std::vector<double> logs(std::size_t{1} << n);
  blocks.upwards(run, [&](Set high) {
    for (Set low = 0; low < blocks.n_low(); ++low) {
      if (low % 1024 == 0) run.check_inside();
      const Set set = high * blocks.n_low() | low;
      LogSum sum;
      for (Set rest = set; rest != 0; rest &= rest - 1) {
        const Variable v = lowest_of(rest);
        const Set before = set & ~bit_of(v);
        sum.add(factors[v][without_bit(before, v)] + logs[before]);
      }
      logs[set] = set == 0 ? 0.0 : sum.value();
    }
  });
  return logs;
}

std::vector<std::vector<double>> order_family_probabilities(const FamilyWeights& weights,
                                                            LogFactorTables factors,
                                                            const std::vector<double>& log_totals,
                                                            Run& run) {
  const std::size_t n = weights.n();
  const double log_total = log_totals.back();
  const std::vector<double> log_after = log_sums_after(factors, run);
  factors = {};
  std::vector<std::vector<double>> probabilities(n);
  std::vector<Wide> sums(std::size_t{1} << (n - 1));
  for (Variable v = 0; v < n; ++v) {
    constexpr std::size_t kBlock = 1 << 14;
    run.parallel_for((sums.size() + kBlock - 1) / kBlock, [&](std::size_t b) {
      const std::size_t end = std::min(sums.size(), (b + 1) * kBlock);
      for (std::size_t place = b * kBlock; place < end; ++place) {
        const Set before = with_room_for_bit(static_cast<Set>(place), v);
        const double log = log_totals[before] + log_after[before | bit_of(v)] - log_total;
        sums[place] = log == kLogZero ? Wide{} : Wide::exp(log);
      }
    });
    const ChildWeights& child = weights.children[v];
    sum_over_sets(sums, child.adjacent, SumOver::supersets, run);
    for (std::size_t i = 0; i < child.sets.size(); ++i) {
      const double own = ratio(Wide::exp(child.logs[i]) * sums[child.sets[i]], Wide::one());
      probabilities[v].push_back(std::min(own, 1.0));
    }
  }
  return probabilities;
}

}  // namespace dagwright
