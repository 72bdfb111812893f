#include "dagwright/search/ges.hpp"

#include <span>

#include "dagwright/search/class_walk.hpp"
#include "dagwright/search/start.hpp"
#include "dagwright/search/walk.hpp"

namespace dagwright {

namespace {

Finish phases(ClassWalk& walk, const Ges& spec, Run& run) {
  for (bool gained = true; gained;) {
    gained = false;
    for (const Operator op : {Operator::add, Operator::remove, Operator::reverse}) {
      if (op == Operator::reverse && !spec.turning) continue;
      while (const auto best = walk.best_move(std::span(&op, 1), 0.0, run)) {
        if (!walk.take(*best, run)) return Finish::not_equivalent;
        gained = true;
      }
    }
    if (!spec.repeat) return Finish::phases_done;
  }
  if (!spec.turning) return Finish::phases_done;
  return walk.capped() ? Finish::subset_limit : Finish::local_optimum;
}

}  // namespace

Found ges(const Scorer& scorer, const Constraints& constraints, const Ges& spec, Run& run) {
  ClassWalk walk(scorer, constraints, {empty_start(constraints), 0.0, {}, Finish::stopped});
  Finish finish = Finish::stopped;
  try {
    walk.go(run, [&](Run& inner) { finish = phases(walk, spec, inner); });
  } catch (const Stopped&) {
  }
  return end_walk(scorer, walk.end(finish), run);
}

}  // namespace dagwright
