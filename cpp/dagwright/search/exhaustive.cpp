#include "dagwright/search/exhaustive.hpp"

#include <array>
#include <bit>
#include <limits>
#include <stdexcept>

#include "dagwright/base/bit_sets.hpp"


namespace dagwright {

namespace {

class AllGraphs {
 public:
  AllGraphs(const Scorer& scorer, const Constraints& constraints, Run& run)
      : n_(scorer.n_variables()), constraints_(constraints), run_(run) {
    std::vector<Family> families;
    for (Variable child = 0; child < n_; ++child) {
      for (WideSet set = 0; set < WideSet{1} << n_; ++set) {
        if ((set & bit_of<WideSet>(child)) == 0) families.push_back({child, members_of(set)});
      }
    }
    const auto scores = scorer.local(families, run);
    for (std::size_t i = 0; i < families.size(); ++i) {
      WideSet set = 0;
      for (const Variable parent : families[i].parents) set |= bit_of<WideSet>(parent);
      score_[families[i].child][set] = scores[i];
    }
  }

  // Gives the variables from `child` on any parents that close no cycle.
  void visit(Variable child, double score, Optimum& out) {
    if (child == n_) return offer(score, out);
    const auto ancestors = ancestors_;
    for (WideSet set = 0; set < WideSet{1} << n_; ++set) {
      if ((set & bit_of<WideSet>(child)) != 0) continue;
      WideSet above = set;
      for (WideSet rest = set; rest != 0; rest &= rest - 1) above |= ancestors[lowest_of(rest)];
      if ((above & bit_of<WideSet>(child)) != 0) continue;
      if (++n_visited_ % 1024 == 0) run_.check_inside();
      parents_[child] = set;
      for (Variable v = 0; v < n_; ++v) {
        ancestors_[v] = ancestors[v];
        if (v == child || (ancestors[v] & bit_of<WideSet>(child)) != 0) ancestors_[v] |= above;
      }
      visit(child + 1, score + score_[child][set], out);
    }
    ancestors_ = ancestors;
  }

 private:
  void offer(double score, Optimum& out) {
    if (out.dag && score <= out.score) return;
    std::vector<std::vector<Variable>> parents;
    for (Variable v = 0; v < n_; ++v) parents.push_back(members_of(parents_[v]));
    Dag dag(std::move(parents));
    if (!constraints_.satisfied_by(dag)) return;
    out.dag = std::move(dag);
    out.score = score;
  }

  std::size_t n_;
  const Constraints& constraints_;
  Run& run_;
  std::array<std::array<double, std::size_t{1} << kMostExhausted>, kMostExhausted> score_{};
  std::array<WideSet, kMostExhausted> parents_{};
  std::array<WideSet, kMostExhausted> ancestors_{};
  std::uint64_t n_visited_ = 0;
};

}  // namespace

Optimum exhaustive(const Scorer& scorer, const Constraints& constraints, Run& run) {
  if (scorer.n_variables() > kMostExhausted) throw std::invalid_argument("too many variables");
  Optimum out;
  out.score = -std::numeric_limits<double>::infinity();
  try {
    AllGraphs(scorer, constraints, run).visit(0, 0.0, out);
    out.complete = true;
  } catch (const Stopped&) {
  }
  return out;
}

}  // namespace dagwright
