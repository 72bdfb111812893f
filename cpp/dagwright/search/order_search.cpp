#include "dagwright/search/order_search.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "dagwright/base/ties.hpp"
#include "dagwright/search/hill_climb.hpp"
#include "dagwright/search/order_walk.hpp"

namespace dagwright {

namespace {

class Search {
 public:
  Search(const Scorer& scorer, const Constraints& constraints, const OrderSearch& spec,
         std::uint64_t seed, std::uint64_t first_stream, Run& run)
      : scorer_(scorer),
        constraints_(constraints),
        spec_(spec),
        seed_(seed),
        first_stream_(first_stream),
        run_(run) {}

  Found go(Dag start) {
    Found best = hill_climb(scorer_, constraints_, std::move(start), {}, run_);
    best.trace.clear();  // what follows is no walk from graph to graph
    if (best.finish == Finish::stopped || best.dag.size() < 2 || !required_parents_fit()) return best;
    best.finish = Finish::patience;
    try {
      improve(best);
    } catch (const Stopped&) {
      best.finish = Finish::stopped;
    }
    return best;
  }

 private:
  void improve(Found& best) {
    ParentSetPool pool(first_sets(best.dag));
    feed(pool, best.dag);
    try {
      walk(pool, best);
    } catch (const Stopped&) {
      best.edges_left_out = edges_left_out(pool);
      throw;
    }
    best.edges_left_out = edges_left_out(pool);
  }

  // The edges to each child from those that did not become its candidates.
  std::uint64_t edges_left_out(const ParentSetPool& pool) const {
    std::uint64_t n_left_out = 0;
    for (Variable child = 0; child < pool.size(); ++child) {
      for (Variable v = 0; v < pool.size(); ++v) {
        if (v != child && constraints_.allowed(v, child) && pool.bit(child, v) == 0) ++n_left_out;
      }
    }
    return n_left_out;
  }

  void walk(ParentSetPool& pool, Found& best) {
    std::vector<OrderWalk> walks(spec_.chains, OrderWalk(pool, best.dag.topological_order()));
    std::vector<Rng> rngs;
    for (std::size_t chain = 0; chain < walks.size(); ++chain) {
      rngs.emplace_back(seed_, first_stream_ + chain);
    }
    for (std::size_t round = 0, since = 0, in_vain = 0;; ++round) {
      std::vector<OrderWalk> next = walks;
      try {
        step(pool, walks, next, rngs, round > 0);
      } catch (const Stopped&) {
        take_best(pool, next, best);
        throw;
      }
      for (std::size_t chain = 0; chain < walks.size(); ++chain) {
        const double least = walks[chain].score();
        if (next[chain].score() >= least - tie_tolerance(least)) {
          walks[chain] = std::move(next[chain]);
        }
      }
      if (take_best(pool, walks, best)) {
        since = in_vain = 0;
      } else if (++since >= spec_.patience) {
        if (in_vain++ == spec_.enrichments) break;
        enrich(pool);
        since = 0;
      }
      for (OrderWalk& walk : walks) walk.refresh();
      run_.progress.step = round + 1;
      run_.progress.score = best.score;
    }
  }

  // The best walk's graph, if it is better: climbing among graphs may find what no set in the pool
  // has. Every second walk goes on from there.
  bool take_best(ParentSetPool& pool, std::vector<OrderWalk>& walks, Found& best) {
    const auto first = std::max_element(
        walks.begin(), walks.end(), [](const OrderWalk& a, const OrderWalk& b) {
          return a.score() + tie_tolerance(a.score()) < b.score();
        });
    if (first->score() <= best.score + tie_tolerance(best.score)) return false;
    best.dag = Dag(first->parents());
    best.score = first->score();
    Found climbed = hill_climb(scorer_, constraints_, best.dag, {}, run_);
    if (climbed.score >= best.score - tie_tolerance(best.score)) {
      best.dag = std::move(climbed.dag);
      best.score = climbed.score;
    }
    feed(pool, best.dag);
    for (std::size_t chain = 0; chain < walks.size(); chain += 2) {
      walks[chain] = OrderWalk(pool, best.dag.topological_order());
    }
    return true;
  }

  void enrich(ParentSetPool& pool) {
    run_.parallel_for(pool.size(), [&](std::size_t child) {
      Run inner = run_.inner();
      pool.growing(static_cast<Variable>(child)).expand_best(spec_.best_sets, inner);
    });
    pool.find_places();
  }

  // Shakes and climbs. What the walks choose is expanded, which may let them climb on. They meet
  // between the climbs only, so that the threads' timing decides nothing.
  void step(ParentSetPool& pool, const std::vector<OrderWalk>& before, std::vector<OrderWalk>& walks,
            std::vector<Rng>& rngs, bool shake) {
    const std::size_t n = pool.size();
    bool first = true;
    do {
      run_.parallel_for(walks.size(), [&](std::size_t chain) {
        Run inner = run_.inner();
        Rng& rng = rngs[chain];
        OrderWalk& walk = walks[chain];
        if (!first) walk.refresh();
        if (first && shake) walk.shake(1 + rng.below(1 + rng.below(2 + n / 4)), rng);
        walk.settle(inner);
        // A walk that is not back where it was has hardly a chance: no full climb.
        const double least = before[chain].score();
        if (walk.score() >= least - tie_tolerance(least)) walk.climb(rng, inner);
      });
      first = false;
    } while (grow(pool, walks));
  }

  std::vector<ParentSets> first_sets(const Dag& dag) {
    std::vector<std::optional<ParentSets>> made(dag.size());
    run_.parallel_for(dag.size(), [&](std::size_t child) {
      Run inner = run_.inner();
      const auto v = static_cast<Variable>(child);
      ParentSets& sets =
          made[v].emplace(scorer_, constraints_, v, candidates(dag, v, inner), inner);
      sets.expand_all(exhaustive_size(sets.candidates().size()), inner);
      sets.expand_best(spec_.best_sets, inner);
    });
    std::vector<ParentSets> sets;
    for (auto& of_child : made) sets.push_back(std::move(*of_child));
    return sets;
  }

  // The largest size such that all sets up to it are few enough; single parents at least.
  std::size_t exhaustive_size(std::size_t n_candidates) const {
    double n_sets = 1, total = 1;
    for (std::size_t size = 1; size <= n_candidates; ++size) {
      n_sets *= static_cast<double>(n_candidates - size + 1) / static_cast<double>(size);
      total += n_sets;
      if (total > static_cast<double>(spec_.all_sets)) return std::max<std::size_t>(size - 1, 1);
    }
    return n_candidates;
  }

  // The sets that the walks ended with are expanded; false when all of them were.
  bool grow(ParentSetPool& pool, const std::vector<OrderWalk>& walks) {
    std::vector<char> grown(pool.size(), 0);
    run_.parallel_for(pool.size(), [&](std::size_t child) {
      Run inner = run_.inner();
      const auto v = static_cast<Variable>(child);
      std::vector<std::uint64_t> chosen;  // before the sets change under the walks
      for (const OrderWalk& walk : walks) chosen.push_back(walk.members(v));
      for (const std::uint64_t members : chosen) {
        if (pool.growing(v).expand(members, inner)) grown[v] = 1;
      }
    });
    pool.find_places();
    return std::any_of(grown.begin(), grown.end(), [](char g) { return g != 0; });
  }

  // Whether a constraint asks for v among the parents, at least when v comes first.
  bool asked_for(Variable v, Variable child) const {
    return constraints_.required(v, child) || constraints_.adjacent(v, child);
  }

  // What is asked for must be among the candidates; beyond their number there is no walk over orders.
  bool required_parents_fit() const {
    const std::size_t n = scorer_.n_variables();
    for (Variable child = 0; child < n; ++child) {
      std::size_t n_asked_for = 0;
      for (Variable v = 0; v < n; ++v) n_asked_for += asked_for(v, child) ? 1 : 0;
      if (n_asked_for > kMostCandidates) return false;
    }
    return true;
  }

  // All that may be parents; where that is too many, those that are asked for, the neighbours in the
  // graph so far, and those with the highest gain alone.
  std::vector<Variable> candidates(const Dag& dag, Variable child, Run& run) const {
    std::vector<Variable> allowed;
    for (Variable v = 0; v < dag.size(); ++v) {
      if (v != child && constraints_.allowed(v, child)) allowed.push_back(v);
    }
    if (allowed.size() <= kMostCandidates) return allowed;
    std::vector<double> rank = scorer_.gains({child, {}}, allowed, run);
    std::size_t n_asked_for = 0;
    for (std::size_t i = 0; i < allowed.size(); ++i) {
      if (asked_for(allowed[i], child)) {
        ++n_asked_for;
        rank[i] = std::numeric_limits<double>::infinity();
      } else if (dag.adjacent(allowed[i], child)) {
        rank[i] = std::numeric_limits<double>::max();
      }
    }
    std::vector<std::size_t> places(allowed.size());
    std::iota(places.begin(), places.end(), std::size_t{0});
    std::stable_sort(places.begin(), places.end(),
                     [&](std::size_t a, std::size_t b) { return rank[a] > rank[b]; });
    std::vector<Variable> chosen;
    for (std::size_t i = 0; i < std::max(spec_.candidates, n_asked_for); ++i) {
      chosen.push_back(allowed[places[i]]);
    }
    std::sort(chosen.begin(), chosen.end());
    return chosen;
  }

  // The graph's own families join the pool.
  void feed(ParentSetPool& pool, const Dag& dag) {
    std::vector<Family> families;
    for (Variable v = 0; v < dag.size(); ++v) families.push_back({v, dag.parents(v)});
    const std::vector<double> scores = scorer_.local(families, run_);
    for (Variable v = 0; v < dag.size(); ++v) pool.growing(v).add(families[v].parents, scores[v]);
    pool.find_places();
  }

  const Scorer& scorer_;
  const Constraints& constraints_;
  const OrderSearch& spec_;
  const std::uint64_t seed_;
  const std::uint64_t first_stream_;  // of random numbers; every chain has its own
  Run& run_;
};

}  // namespace

Found order_search(const Scorer& scorer, const Constraints& constraints, const Dag& start,
                   const OrderSearch& spec, const Restarts& restarts, Run& run) {
  // One after the other: the walks of each are side by side already.
  Found best = Search(scorer, constraints, spec, restarts.seed, 0, run).go(start);
  for (std::size_t restart = 1; restart <= restarts.n && !run.stopping(); ++restart) {
    Found next =
        Search(scorer, constraints, spec, restarts.seed, restart * spec.chains, run).go(start);
    best.finish = next.finish;
    if (next.score > best.score + tie_tolerance(best.score)) best = std::move(next);
  }
  return best;
}

}  // namespace dagwright
