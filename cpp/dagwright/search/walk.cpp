#include "dagwright/search/walk.hpp"

#include <utility>
#include <vector>

#include "dagwright/search/moves.hpp"
#include "dagwright/search/start.hpp"

namespace dagwright {

namespace {

double total_score(const Scorer& scorer, const Dag& dag, Run& run) {
  std::vector<Family> families;
  for (Variable v = 0; v < dag.size(); ++v) families.push_back({v, dag.parents(v)});
  double sum = 0;
  for (const double score : scorer.local(families, run)) sum += score;
  return sum;
}

}  // namespace

Found begin_walk(const Scorer& scorer, const Constraints& constraints, Dag start, Run& run) {
  Found found{std::move(start), 0.0, {}, Finish::stopped};
  try {
    found.score = total_score(scorer, found.dag, run);
    return found;
  } catch (const Stopped&) {
    found.dag = empty_start(constraints);
    return end_walk(scorer, std::move(found), run);
  }
}

void take_step(Found& found, GainMatrix& gains, Step step) {
  make_move(found.dag, step);
  gains.moved(step);
  found.score += step.gain;
  step.score = found.score;
  found.trace.push_back(step);
}

Found end_walk(const Scorer& scorer, Found found, const Run& run) {
  Run unlimited = run.unlimited();
  found.score = total_score(scorer, found.dag, unlimited);
  return found;
}

}  // namespace dagwright
