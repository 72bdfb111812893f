#include "dagwright/search/additions.hpp"

#include <algorithm>
#include <utility>

namespace dagwright {

Found added(const Scorer& scorer, const std::vector<std::vector<Edge>>& layers, const Run& run) {
  ParentLists parents(scorer.n_variables());
  std::vector<Family> families;
  for (Variable v = 0; v < parents.size(); ++v) families.push_back({v, {}});
  for (const auto& layer : layers) {
    for (const auto& [from, to] : layer) {
      auto& list = parents[to];
      list.insert(std::lower_bound(list.begin(), list.end(), from), from);
      families.push_back({to, list});
    }
  }
  Run unlimited = run.unlimited();
  const std::vector<double> scores = scorer.local(families, unlimited);

  std::vector<double> local(scores.begin(),
                            scores.begin() + static_cast<std::ptrdiff_t>(parents.size()));
  double score = 0;
  for (const double own : local) score += own;
  std::vector<Step> trace;
  std::size_t next = parents.size();
  for (const auto& layer : layers) {
    const auto begin = static_cast<std::ptrdiff_t>(trace.size());
    for (const auto& [from, to] : layer) {
      trace.push_back({Operator::add, from, to, scores[next] - local[to], 0.0});
      local[to] = scores[next++];
    }
    std::stable_sort(trace.begin() + begin, trace.end(),
                     [](const Step& a, const Step& b) { return a.gain > b.gain; });
  }
  for (Step& step : trace) step.score = score += step.gain;
  score = 0;  // free of the gains' rounding
  for (const double own : local) score += own;
  return {Dag(std::move(parents)), score, std::move(trace),
          run.stopping() ? Finish::stopped : Finish::done};
}

}  // namespace dagwright
