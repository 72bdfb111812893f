#include "dagwright/search/parent_set_levels.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "dagwright/base/ties.hpp"

namespace dagwright {

namespace {

constexpr double kNothing = -std::numeric_limits<double>::infinity();
constexpr double kBytesOfASet = 160;

std::vector<double> pair_entropies(const Scorer& scorer, Run& run) {
  const auto n = static_cast<Variable>(scorer.n_variables());
  const auto information = scorer.pair_information(0, n, std::nullopt, run);
  std::vector<double> out(std::size_t{n} * n);
  for (Variable v = 0; v < n; ++v) {
    const double alone = scorer.total() * scorer.entropy({v}, run);
    for (Variable w = 0; w < n; ++w) {
      out[v * n + w] = v == w ? alone : alone - information[std::min(v, w) * n + std::max(v, w)];
    }
  }
  return out;
}

}  // namespace

ParentSetLevels::ParentSetLevels(const Scorer& scorer, const Constraints& constraints,
                                 double max_bytes, Run& run)
    : scorer_(scorer), constraints_(constraints), max_bytes_(max_bytes), run_(run) {
  const bool known = scorer.n_variables() > 1 && std::isfinite(scorer.most_gain({0, {}}, 1, 0.0));
  if (known) entropy_ = pair_entropies(scorer, run);
}

void ParentSetLevels::ask(Variable child, WideSet base, WideSet free,
                          AllParentSets& out) {
  if (!constraints_.fits(child, members_of(base))) return;
  if (static_cast<double>(fronts_.size()) * kBytesOfASet > max_bytes_) throw Stopped{StopReason::none};
  double never_explained = 0;
  if (!entropy_.empty()) {
    const WideSet all = base | free;
    const double joint = scorer_.entropy(members_of(all | bit_of<WideSet>(child)), run_);
    const double difference = joint - scorer_.entropy(members_of(all), run_);
    constexpr double kRounding = 1e-10;
    never_explained = std::max(0.0, scorer_.total() * (difference - kRounding));
  }
  fronts_.push_back({child, base, free, &out, never_explained, {}});
  fronts_.back().level = score(fronts_.back(), {{base, kNothing}});
}

ParentSetLevels::Level ParentSetLevels::score(const Front& front, const std::vector<Asked>& asked) {
  AllParentSets& out = *front.out;
  Level level;
  constexpr std::size_t kChunk = 1 << 13;
  for (std::size_t begin = 0; begin < asked.size(); begin += kChunk) {
    const std::size_t end = std::min(begin + kChunk, asked.size());
    std::vector<Family> families;
    for (std::size_t i = begin; i < end; ++i) {
      families.push_back({front.child, members_of(asked[i].set)});
    }
    const auto scores = scorer_.local(families, run_);
    const auto bounds = scorer_.upper_bounds(families, run_);
    for (std::size_t i = begin; i < end; ++i) {
      const auto [set, within] = asked[i];
      const double score = scores[i - begin], bound = bounds[i - begin] - front.never_explained;
      out.n_scored++;
      if (score > within + tie_tolerance(score)) out.sets.push_back({set, score});
      const double best = std::max(within, score);
      // A bound that is met exactly leaves nothing to gain.
      if (bound > best + tie_tolerance(best)) {
        level.emplace(set, Open{best, bound, scorer_.ceiling(families[i - begin]) - score});
      }
    }
  }
  return level;
}

// If the information it can bring, in the light of one parent that is there, is worth its price. (In the
// light of all of them it is a little less, but to know that costs more than it spares.)
bool ParentSetLevels::can_gain(Variable child, WideSet parents, Variable added,
                               double unexplained) const {
  if (entropy_.empty()) return true;
  const std::size_t n = scorer_.n_variables();
  double information = std::min(unexplained, entropy_[added * n + added]);
  for (WideSet rest = parents; rest != 0; rest &= rest - 1) {
    information = std::min(information, entropy_[added * n + lowest_of(rest)]);
  }
  return scorer_.most_gain({child, members_of(parents)}, added, information) > 0.0;
}

std::vector<ParentSetLevels::Asked> ParentSetLevels::larger(const Front& front) const {
  const auto& [child, base, free, out, never_explained, level] = front;
  std::vector<Asked> next;
  for (const auto& [set, open] : level) {
    if (run_.stopping_inside()) throw Stopped{run_.reason()};
    const WideSet extra = set & ~base;
    // Each larger set is made once, from its lowest members.
    for (WideSet above = free; above != 0; above &= above - 1) {
      const WideSet bit = above & -above;
      if (bit <= extra) continue;
      const WideSet set_with = set | bit;
      double within = kNothing;
      bool possible = true;  // if all that it contains are open, and each member can gain beside the rest
      for (WideSet rest = extra | bit; rest != 0 && possible; rest &= rest - 1) {
        const WideSet without = set_with & ~(rest & -rest);
        const auto subset = without == set ? level.find(set) : level.find(without);
        possible = subset != level.end() &&
                   can_gain(child, without, lowest_of(rest), subset->second.unexplained);
        if (possible) within = std::max(within, subset->second.within);
      }
      if (!possible) continue;
      const Family family{child, members_of(set_with)};
      if (!constraints_.fits(child, family.parents)) continue;
      if (scorer_.ceiling(family) - never_explained > within) next.push_back({set_with, within});
    }
  }
  std::sort(next.begin(), next.end(), [](const Asked& a, const Asked& b) { return a.set < b.set; });
  return next;
}

void ParentSetLevels::look_at_all() {
  const auto n_open = [&] {
    std::size_t sum = 0;
    for (const Front& front : fronts_) sum += front.level.size();
    return sum;
  };
  try {
    while (n_open() > 0) {
      for (Front& front : fronts_) {
        const auto asked = larger(front);
        if (static_cast<double>(n_open() + asked.size()) * kBytesOfASet > max_bytes_) {
          throw Stopped{StopReason::none};
        }
        front.level = score(front, asked);
      }
    }
  } catch (const Stopped&) {
    // What is open is told as the rest.
  }
  for (const Front& front : fronts_) {
    for (const auto& [set, open] : front.level) {
      front.out->complete = false;
      front.out->rest = std::max(front.out->rest, open.bound);
    }
  }
}

}  // namespace dagwright
