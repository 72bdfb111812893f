#include "dagwright/posterior/best_dags.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <set>
#include <utility>

#include "dagwright/score/fingerprint.hpp"

namespace dagwright {

namespace {

// A graph over a set: its sink, the place of the sink's family, the place of the rest among the best
// over the set without the sink.
struct Entry {
  double log_weight;
  Fingerprint graph;  // of its families: the same graph comes once for each of its sinks
  std::uint32_t family;
  std::uint32_t rest;
  Variable sink;
};

Fingerprint family_fingerprint(Variable child, Set parents) {
  return Fingerprint::of_member(std::uint64_t{child} << 32 | parents) - Fingerprint{};
}

bool better(const Entry& a, const Entry& b) {
  if (a.log_weight != b.log_weight) return a.log_weight > b.log_weight;
  return std::pair(a.graph.high, a.graph.low) < std::pair(b.graph.high, b.graph.low);
}

// At most k different graphs, the best that came.
class Best {
 public:
  explicit Best(std::size_t k) : k_(k) {}

  // Whether a graph of this weight would be among them.
  bool wants(double log_weight) const {
    return entries_.size() < k_ || log_weight > entries_.front().log_weight;
  }
  void add(const Entry& entry) {
    if (!graphs_.insert(key(entry)).second) return;
    entries_.push_back(entry);
    std::push_heap(entries_.begin(), entries_.end(), better);  // the worst is at the front
    if (entries_.size() <= k_) return;
    std::pop_heap(entries_.begin(), entries_.end(), better);
    graphs_.erase(key(entries_.back()));
    entries_.pop_back();
  }
  std::vector<Entry> sorted() {
    std::sort(entries_.begin(), entries_.end(), better);
    entries_.shrink_to_fit();
    return std::move(entries_);
  }

 private:
  static std::pair<std::uint64_t, std::uint64_t> key(const Entry& entry) {
    return {entry.graph.high, entry.graph.low};
  }
  std::size_t k_;
  std::vector<Entry> entries_;
  std::set<std::pair<std::uint64_t, std::uint64_t>> graphs_;
};

}  // namespace

double best_dags_bytes(std::size_t n, std::size_t k) {
  return std::ldexp(static_cast<double>(k) * sizeof(Entry), static_cast<int>(n));
}

BestDags best_dags(const FamilyWeights& weights, std::size_t k, Run& run) {
  const std::size_t n = weights.n();
  std::vector<std::vector<std::uint32_t>> by_weight(n);  // places of families, best first
  for (Variable v = 0; v < n; ++v) {
    const std::vector<double>& logs = weights.children[v].logs;
    by_weight[v].resize(logs.size());
    std::iota(by_weight[v].begin(), by_weight[v].end(), 0u);
    std::stable_sort(by_weight[v].begin(), by_weight[v].end(),
                     [&](std::uint32_t a, std::uint32_t b) { return logs[a] > logs[b]; });
  }

  std::vector<std::vector<Entry>> best(std::size_t{1} << n);
  best[0].push_back({});
  const auto look_at = [&](Set set) {
    Best own(k);
    for (Set rest = set; rest != 0; rest &= rest - 1) {
      const Variable v = lowest_of(rest);
      const ChildWeights& child = weights.children[v];
      const std::vector<Entry>& others = best[set & ~bit_of(v)];
      if (others.empty()) continue;
      const Set before = without_bit(set & ~bit_of(v), v);
      for (const std::uint32_t family : by_weight[v]) {
        if (!own.wants(child.logs[family] + others.front().log_weight)) break;
        if (!fits_before(child, child.sets[family], before)) continue;
        const Fingerprint added = family_fingerprint(v, child.sets[family]);
        for (std::uint32_t i = 0; i < others.size(); ++i) {
          const double log_weight = child.logs[family] + others[i].log_weight;
          if (!own.wants(log_weight)) break;
          own.add({log_weight, others[i].graph + added, family, i, v});
        }
      }
    }
    best[set] = own.sorted();
  };
  for (std::size_t size = 1; size <= n; ++size) {
    std::vector<Set> sets;
    for (Set set = 0; set < best.size(); ++set) {
      if (static_cast<std::size_t>(std::popcount(set)) == size) sets.push_back(set);
    }
    run.parallel_for(sets.size(), [&](std::size_t i) { look_at(sets[i]); });
    run.progress.step += sets.size();
  }

  BestDags out;
  for (std::size_t i = 0; i < best.back().size(); ++i) {
    std::vector<Set> parents(n);
    Set set = all_of(n);
    std::size_t place = i;
    out.log_weights.push_back(best[set][i].log_weight + weights.total_shift());
    while (set != 0) {
      const Entry& entry = best[set][place];
      parents[entry.sink] =
          with_room_for_bit(weights.children[entry.sink].sets[entry.family], entry.sink);
      set &= ~bit_of(entry.sink);
      place = entry.rest;
    }
    out.parents.insert(out.parents.end(), parents.begin(), parents.end());
  }
  return out;
}

}  // namespace dagwright
