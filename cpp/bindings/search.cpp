#include <nanobind/stl/string.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <stdexcept>

#include "bindings.hpp"
#include "dagwright/search/anneal.hpp"
#include "dagwright/search/branching.hpp"
#include "dagwright/search/chow_liu.hpp"
#include "dagwright/search/class_member.hpp"
#include "dagwright/search/class_moves.hpp"
#include "dagwright/base/large_array.hpp"
#include "dagwright/base/parts_left.hpp"
#include "dagwright/search/exact_dp.hpp"
#include "dagwright/search/exhaustive.hpp"
#include "dagwright/search/feasible_order.hpp"
#include "dagwright/search/ges.hpp"
#include "dagwright/search/hill_climb.hpp"
#include "dagwright/search/k2_search.hpp"
#include "dagwright/search/largest_of.hpp"
#include "dagwright/search/order_search.hpp"
#include "dagwright/search/order_walk.hpp"
#include "dagwright/search/parent_sets.hpp"
#include "dagwright/search/spanning_forest.hpp"
#include "dagwright/search/perturb.hpp"
#include "dagwright/search/start.hpp"
#include "dagwright/search/tabu.hpp"
#include "dagwright/search/tree.hpp"
#include "dagwright/search/tree_augmented_naive_bayes.hpp"
#include "edge_caster.hpp"

using namespace dagwright;

using Edges = std::vector<Edge>;

namespace {

nb::tuple to_tuple(const std::vector<Variable>& numbers) {
  auto tuple = nb::steal<nb::tuple>(PyTuple_New(static_cast<Py_ssize_t>(numbers.size())));
  for (std::size_t i = 0; i < numbers.size(); ++i)
    PyTuple_SetItem(tuple.ptr(), static_cast<Py_ssize_t>(i), PyLong_FromUnsignedLong(numbers[i]));
  return tuple;
}

nb::tuple to_tuple(const ParentLists& lists) {
  auto tuple = nb::steal<nb::tuple>(PyTuple_New(static_cast<Py_ssize_t>(lists.size())));
  for (std::size_t i = 0; i < lists.size(); ++i)
    PyTuple_SetItem(tuple.ptr(), static_cast<Py_ssize_t>(i), to_tuple(lists[i]).release().ptr());
  return tuple;
}

// The parents and the children of each node, sorted, if the nodes have other numbers.
std::pair<nb::tuple, nb::tuple> renumbered(const Dag& dag, const std::vector<Variable>& numbers) {
  ParentLists parents(dag.size()), children(dag.size());
  for (Variable v = 0; v < dag.size(); ++v) {
    Nodes& of_child = parents.at(numbers.at(v));
    for (const Variable parent : dag.parents(v)) of_child.push_back(numbers.at(parent));
  }
  for (Variable child = 0; child < dag.size(); ++child) {
    std::sort(parents[child].begin(), parents[child].end());
    for (const Variable parent : parents[child]) children.at(parent).push_back(child);
  }
  return {to_tuple(parents), to_tuple(children)};
}

// Steps (operator, start, end, gain, score) with the names of variables, which are by number.
nb::list named_steps(const Found& found, const nb::tuple& names) {
  if (names.size() != found.dag.size()) throw std::invalid_argument("a name for each node is needed");
  const nb::str add("add"), remove("remove"), reverse("reverse");
  nb::list steps;
  for (const Step& step : found.trace) {
    const nb::str& op = step.op == Operator::add ? add : step.op == Operator::remove ? remove : reverse;
    steps.append(nb::make_tuple(op, names[step.from], names[step.to], step.gain, step.score));
  }
  return steps;
}

// A walk, and the pool it points at.
struct LoneWalk {
  LoneWalk(std::vector<ParentSets> of_child, std::vector<Variable> order)
      : pool(std::move(of_child)), walk(pool, std::move(order)) {}
  LoneWalk(const LoneWalk&) = delete;
  LoneWalk& operator=(const LoneWalk&) = delete;
  ParentSetPool pool;
  OrderWalk walk;
};

}  // namespace

void bind_search(nb::module_& m) {
  nb::enum_<Operator>(m, "Operator")
      .value("add", Operator::add)
      .value("remove", Operator::remove)
      .value("reverse", Operator::reverse);
  nb::enum_<Finish>(m, "Finish")
      .value("local_optimum", Finish::local_optimum)
      .value("max_steps", Finish::max_steps)
      .value("patience", Finish::patience)
      .value("phases_done", Finish::phases_done)
      .value("subset_limit", Finish::subset_limit)
      .value("not_equivalent", Finish::not_equivalent)
      .value("stopped", Finish::stopped)
      .value("done", Finish::done);
  nb::class_<Found>(m, "Found")
      .def(
          "renumbered",
          [](const Found& found, const std::vector<Variable>& numbers) {
            return renumbered(found.dag, numbers);
          },
          nb::arg("numbers"), "The parents and the children of each node, sorted, with other numbers.")
      .def_ro("score", &Found::score)
      .def("trace", &named_steps, nb::arg("names"),
           nb::sig("def trace(self, names: tuple[str, ...]) -> list[tuple[str, str, str, float, float]]"),
           "Steps (operator, start, end, gain, score), with names.")
      .def_ro("finish", &Found::finish)
      .def_ro("edges_left_out", &Found::edges_left_out);

  using release = nb::call_guard<nb::gil_scoped_release>;
  nb::class_<AllParentSets>(m, "AllParentSets")
      .def(
          "__init__",
          [](AllParentSets* self, const std::vector<std::uint64_t>& members,
             const std::vector<double>& scores, std::uint64_t adjacent) {
            new (self) AllParentSets;
            for (std::size_t i = 0; i < members.size(); ++i) {
              self->sets.push_back({members[i], scores.at(i)});
            }
            self->adjacent = adjacent;
          },
          nb::arg("members"), nb::arg("scores"), nb::arg("adjacent"))
      .def_prop_ro("members",
                   [](const AllParentSets& all) {
                     std::vector<std::uint64_t> members;
                     for (const ScoredSet& set : all.sets) members.push_back(set.members);
                     return to_numpy(std::move(members));
                   },
                   nb::rv_policy::move)
      .def_prop_ro("scores",
                   [](const AllParentSets& all) {
                     std::vector<double> scores;
                     for (const ScoredSet& set : all.sets) scores.push_back(set.score);
                     return to_numpy(std::move(scores));
                   },
                   nb::rv_policy::move)
      .def_ro("n_scored", &AllParentSets::n_scored)
      .def_ro("complete", &AllParentSets::complete)
      .def_ro("rest", &AllParentSets::rest);
  m.def("all_parent_sets", &all_parent_sets, nb::arg("scorer"), nb::arg("constraints"),
        nb::arg("max_bytes"), nb::arg("run"), release());
  nb::class_<Optimum>(m, "Optimum")
      .def_prop_ro("parents",
                   [](const Optimum& o) -> std::optional<ParentLists> {
                     return o.dag ? std::optional(o.dag->parent_lists()) : std::nullopt;
                   })
      .def_ro("score", &Optimum::score)
      .def_ro("complete", &Optimum::complete);
  nb::exception<NoRoom>(m, "NoRoom");
  m.def("exact_dp_bytes", nb::overload_cast<std::size_t>(&exact_dp_bytes), nb::arg("n_variables"));
  m.def("exact_dp_bytes",
        nb::overload_cast<const std::vector<AllParentSets>&>(&exact_dp_bytes),
        nb::arg("parent_sets"));
  m.def("exact_dp", &exact_dp, nb::arg("parent_sets"), nb::arg("max_bytes"), nb::arg("scratch"),
        nb::arg("run"), release());
  m.def("exhaustive", &exhaustive, nb::arg("scorer"), nb::arg("constraints"), nb::arg("run"),
        release());
  m.def("empty_start", &empty_start, nb::arg("constraints"), release());
  m.def("complete_start", &complete_start, nb::arg("constraints"), release());
  m.def("tree_start", &tree_start, nb::arg("scorer"), nb::arg("constraints"), nb::arg("run"), release());
  m.def(
      "random_start",
      [](const Constraints& c, std::uint64_t seed) {
        Rng rng(seed, 0);
        return random_start(c, rng);
      },
      nb::arg("constraints"), nb::arg("seed"), release());
  m.def(
      "hill_climb",
      [](const Scorer& scorer, const Constraints& constraints, const Dag& start, bool first,
         std::uint64_t max_steps, double min_gain, bool sideways, std::size_t restarts,
         std::size_t perturbation, std::uint64_t seed, Run& run) {
        const HillClimb spec{
            .first = first, .max_steps = max_steps, .min_gain = min_gain, .sideways = sideways};
        const Restarts again{.n = restarts, .seed = seed};
        return perturbation == 0
                   ? hill_climb_from_random(scorer, constraints, start, spec, again, run)
                   : hill_climb_perturbed(scorer, constraints, start, spec, perturbation, again,
                                          run);
      },
      nb::arg("scorer"), nb::arg("constraints"), nb::arg("start"), nb::arg("first"),
      nb::arg("max_steps"), nb::arg("min_gain"), nb::arg("sideways"), nb::arg("restarts"),
      nb::arg("perturbation"), nb::arg("seed"), nb::arg("run"), release());
  m.def(
      "tabu",
      [](const Scorer& scorer, const Constraints& constraints, const Dag& start,
         std::size_t tenure, std::size_t patience, bool states, std::size_t explore,
         std::size_t restarts, std::uint64_t seed, Run& run) {
        return tabu(scorer, constraints, start,
                    {.tenure = tenure,
                     .patience = patience,
                     .states = states,
                     .explore = explore,
                     .restarts = restarts,
                     .seed = seed},
                    run);
      },
      nb::arg("scorer"), nb::arg("constraints"), nb::arg("start"), nb::arg("tenure"),
      nb::arg("patience"), nb::arg("states"), nb::arg("explore"), nb::arg("restarts"),
      nb::arg("seed"), nb::arg("run"), release());
  m.def(
      "anneal",
      [](const Scorer& scorer, const Constraints& constraints, const Dag& start,
         std::uint64_t proposals, double acceptance, double temperature, double last_temperature,
         std::size_t reheats, std::size_t restarts, std::uint64_t seed, Run& run) {
        return anneal(scorer, constraints, start,
                      {.proposals = proposals,
                       .acceptance = acceptance,
                       .temperature = temperature,
                       .last_temperature = last_temperature,
                       .reheats = reheats,
                       .restarts = restarts,
                       .seed = seed},
                      run);
      },
      nb::arg("scorer"), nb::arg("constraints"), nb::arg("start"), nb::arg("proposals"),
      nb::arg("acceptance"), nb::arg("temperature"), nb::arg("last_temperature"),
      nb::arg("reheats"), nb::arg("restarts"), nb::arg("seed"), nb::arg("run"), release());
  m.def(
      "order_search",
      [](const Scorer& scorer, const Constraints& constraints, const Dag& start,
         std::size_t chains, std::size_t patience, std::size_t enrichments, std::size_t candidates,
         std::size_t restarts, std::uint64_t seed, Run& run) {
        return order_search(scorer, constraints, start,
                            {.chains = chains,
                             .patience = patience,
                             .enrichments = enrichments,
                             .candidates = candidates},
                            {.n = restarts, .seed = seed}, run);
      },
      nb::arg("scorer"), nb::arg("constraints"), nb::arg("start"), nb::arg("chains"),
      nb::arg("patience"), nb::arg("enrichments"), nb::arg("candidates"), nb::arg("restarts"),
      nb::arg("seed"), nb::arg("run"), release());
  m.def(
      "ges",
      [](const Scorer& scorer, const Constraints& constraints, bool turning, bool repeat, Run& run) {
        return ges(scorer, constraints, {.turning = turning, .repeat = repeat}, run);
      },
      nb::arg("scorer"), nb::arg("constraints"), nb::arg("turning"), nb::arg("repeat"),
      nb::arg("run"), release());
  m.def(
      "class_moves",
      [](std::size_t n, Edges directed, Edges undirected, Operator op) {
        const Cpdag cpdag{n, std::move(directed), std::move(undirected)};
        const ParentLists member = consistent_extension(cpdag).value();
        const EquivalenceClass graph(member);
        std::vector<std::tuple<Variable, Variable, Nodes, Edges, Edges, ParentLists>> moves;
        MemberChanges changes;
        for (const ClassMove& move : class_moves(graph, op)) {
          Cpdag after = moved(graph, move);
          ParentLists changed = member;
          changes.make_move(changed, graph, move);
          moves.emplace_back(move.x, move.y, move.into, std::move(after.directed),
                             std::move(after.undirected), std::move(changed));
        }
        return moves;
      },
      nb::arg("n"), nb::arg("directed"), nb::arg("undirected"), nb::arg("op"),
      "All legal moves of a kind from a class: x, y, what points at y, the edges afterwards, and what "
      "the move makes of a member.");
  // For tests: what is taken of so many parts, from the front or not, until nothing is left.
  m.def(
      "parts_taken",
      [](std::uint32_t n, std::uint32_t n_threads, const std::vector<bool>& fronts) {
        PartsLeft left;
        left.offer(n);
        std::vector<std::pair<std::uint32_t, std::uint32_t>> taken;
        for (const bool front : fronts) {
          const auto [begin, end] = front ? left.take_front(n_threads) : left.take_back(n_threads);
          if (begin != end) taken.emplace_back(begin, end);
        }
        return taken;
      },
      nb::arg("n"), nb::arg("n_threads"), nb::arg("fronts"));
  // For tests: one class that becomes another, again and again.
  m.def(
      "class_changes",
      [](const std::vector<ParentLists>& members) {
        ParentLists last(members.at(0).size());
        EquivalenceClass graph(last);
        std::vector<std::tuple<Edges, Edges, std::size_t, Nodes, Edges, Edges>> changes;
        for (const ParentLists& member : members) {
          Nodes other_parents;
          for (Variable v = 0; v < member.size(); ++v)
            if (member[v] != last[v]) other_parents.push_back(v);
          auto [nodes, lost] = graph.become(member, other_parents);
          last = member;
          Edges directed, undirected, leads;
          for (Variable v = 0; v < graph.size(); ++v) {
            for (const Variable parent : graph.parents(v)) directed.push_back({parent, v});
            for (const Variable other : graph.neighbours(v)) undirected.push_back({v, other});
            for (Variable w = 0; w < graph.size(); ++w)
              if (graph.leads_to(v, w).value()) leads.push_back({v, w});
          }
          changes.emplace_back(std::move(directed), std::move(undirected), graph.n_edges(),
                               std::move(nodes), std::move(lost), std::move(leads));
        }
        return changes;
      },
      nb::arg("members"),
      "The class of each graph: edges, undirected ones both ways, their number, the nodes and ways that "
      "differ from the class before, and the pairs that a path joins.");
  m.def(
      "largest_of",
      [](std::size_t n, const std::vector<std::pair<std::size_t, double>>& changes) {
        LargestOf largest(n);
        std::vector<std::pair<std::size_t, double>> found;
        for (const auto& [place, number] : changes) {
          largest.set(place, number);
          found.emplace_back(largest.place(), largest.number());
        }
        return found;
      },
      nb::arg("n"), nb::arg("changes"), "The largest of n numbers, and its place, after each change.");
  m.def(
      "chow_liu",
      [](const Scorer& scorer, const Constraints& constraints, std::optional<Variable> root,
         bool forest, Run& run) {
        return chow_liu(scorer, constraints, {.root = root, .forest = forest}, run);
      },
      nb::arg("scorer"), nb::arg("constraints"), nb::arg("root").none(), nb::arg("forest"),
      nb::arg("run"), release());
  m.def("tree_augmented_naive_bayes", &tree_augmented_naive_bayes, nb::arg("scorer"),
        nb::arg("constraints"), nb::arg("target"), nb::arg("run"), release());
  m.def(
      "tree_is_directed",
      [](const Constraints& constraints, std::optional<Variable> root,
         std::optional<Variable> target) { return TreeRules(constraints, root, target).directed(); },
      nb::arg("constraints"), nb::arg("root").none(), nb::arg("target").none(), release());
  // For tests: the algorithms of trees on any weights.
  m.def("best_branching", &best_branching, nb::arg("n"), nb::arg("weights"), nb::arg("run"),
        release());
  m.def(
      "spanning_forest",
      [](std::size_t n, const std::vector<Edge>& kept, const std::vector<double>& weights,
         std::size_t rows_at_once, std::optional<Variable> root) {
        SpanningForest forest(n, kept);
        for (std::size_t begin = 0; begin < n; begin += rows_at_once) {
          const std::size_t end = std::min(n, begin + rows_at_once);
          forest.add_rows(static_cast<Variable>(begin), static_cast<Variable>(end),
                          {weights.begin() + static_cast<std::ptrdiff_t>(begin * n),
                           weights.begin() + static_cast<std::ptrdiff_t>(end * n)});
        }
        return forest.directed(root);
      },
      nb::arg("n"), nb::arg("kept"), nb::arg("weights"), nb::arg("rows_at_once"),
      nb::arg("root").none(), release());

  // For tests: the parent sets of one child, as a search over orders grows them.
  nb::class_<ParentSets>(m, "ParentSets")
      .def(nb::init<const Scorer&, const Constraints&, Variable, std::vector<Variable>, Run&>(),
           nb::arg("scorer"), nb::arg("constraints"), nb::arg("child"), nb::arg("candidates"),
           nb::arg("run"), nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>(), release())
      .def_prop_ro("candidates", &ParentSets::candidates)
      .def_prop_ro("adjacent", &ParentSets::adjacent)
      .def_prop_ro("sets",
                   [](const ParentSets& sets) {
                     std::vector<std::pair<std::uint64_t, double>> list;
                     for (const ScoredSet& set : sets.sets()) list.emplace_back(set.members, set.score);
                     return list;
                   })
      .def("parents", &ParentSets::parents, nb::arg("members"))
      .def("expand_all", &ParentSets::expand_all, nb::arg("size"), nb::arg("run"), release())
      .def("expand_best", &ParentSets::expand_best, nb::arg("n_sets"), nb::arg("run"), release())
      .def("expand", nb::overload_cast<std::uint64_t, Run&>(&ParentSets::expand),
           nb::arg("members"), nb::arg("run"), release())
      .def(
          "add",
          [](ParentSets& sets, const std::vector<Variable>& parents, double score) {
            sets.add(parents, score);
          },
          nb::arg("parents"), nb::arg("score"));

  // For tests: one walk over orders. The list of parent sets must live as long.
  nb::class_<LoneWalk>(m, "OrderWalk")
      .def(nb::init<std::vector<ParentSets>, std::vector<Variable>>(), nb::arg("of_child"),
           nb::arg("order"), nb::keep_alive<1, 2>())
      .def_prop_ro("order", [](const LoneWalk& lone) { return lone.walk.order(); })
      .def_prop_ro("score", [](const LoneWalk& lone) { return lone.walk.score(); })
      .def_prop_ro("parents", [](const LoneWalk& lone) { return lone.walk.parents(); })
      .def(
          "climb",
          [](LoneWalk& lone, std::uint64_t seed, Run& run) {
            Rng rng(seed, 0);
            lone.walk.climb(rng, run);
          },
          nb::arg("seed"), nb::arg("run"), release())
      .def(
          "shake",
          [](LoneWalk& lone, std::size_t n_moves, std::uint64_t seed) {
            Rng rng(seed, 0);
            lone.walk.shake(n_moves, rng);
          },
          nb::arg("n_moves"), nb::arg("seed"), release());

  nb::class_<OrdersFound>(m, "OrdersFound")
      .def_ro("best", &OrdersFound::best)
      .def_ro("scores", &OrdersFound::scores);
  m.def("k2_search", &k2_search, nb::arg("scorer"), nb::arg("constraints"), nb::arg("orders"),
        nb::arg("run"), release());
  m.def("random_orders", &random_orders, nb::arg("constraints"), nb::arg("count"), nb::arg("seed"),
        nb::arg("first") = 0, release());
  m.def(
      "chow_liu_order",
      [](const Scorer& scorer, const Constraints& constraints, Run& run) {
        return feasible_order(constraints, chow_liu_order(scorer, run));
      },
      nb::arg("scorer"), nb::arg("constraints"), nb::arg("run"), release());
  m.def(
      "perturb",
      [](const Scorer& scorer, const Constraints& constraints, const Dag& start,
         std::size_t rounds, double strength, std::size_t restarts, std::uint64_t seed, Run& run) {
        return perturb(
            scorer, constraints, start,
            {.rounds = rounds, .strength = strength, .restarts = restarts, .seed = seed}, run);
      },
      nb::arg("scorer"), nb::arg("constraints"), nb::arg("start"), nb::arg("rounds"),
      nb::arg("strength"), nb::arg("restarts"), nb::arg("seed"), nb::arg("run"), release());
}
