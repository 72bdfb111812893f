#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/vector.h>

#include "bindings.hpp"
#include "edge_caster.hpp"
#include "dagwright/search/branching.hpp"
#include "dagwright/search/chow_liu.hpp"
#include "dagwright/search/feasible_order.hpp"
#include "dagwright/search/hill_climb.hpp"
#include "dagwright/search/k2_search.hpp"
#include "dagwright/search/spanning_forest.hpp"
#include "dagwright/search/start.hpp"
#include "dagwright/search/tree.hpp"
#include "dagwright/search/tree_augmented_naive_bayes.hpp"

using namespace dagwright;

void bind_search(nb::module_& m) {
  nb::enum_<Operator>(m, "Operator")
      .value("add", Operator::add)
      .value("remove", Operator::remove)
      .value("reverse", Operator::reverse);
  nb::enum_<Finish>(m, "Finish")
      .value("local_optimum", Finish::local_optimum)
      .value("max_steps", Finish::max_steps)
      .value("stopped", Finish::stopped)
      .value("done", Finish::done);
  nb::class_<Step>(m, "Step")
      .def_ro("op", &Step::op)
      .def_ro("start", &Step::from)
      .def_ro("end", &Step::to)
      .def_ro("gain", &Step::gain)
      .def_ro("score", &Step::score);
  nb::class_<Found>(m, "Found")
      .def_prop_ro("parents", [](const Found& found) { return found.dag.parent_lists(); })
      .def_ro("score", &Found::score)
      .def_ro("trace", &Found::trace)
      .def_ro("finish", &Found::finish);

  using release = nb::call_guard<nb::gil_scoped_release>;
  m.def(
      "empty_start", [](const Constraints& c) { return empty_start(c).parent_lists(); },
      nb::arg("constraints"), release());
  m.def(
      "complete_start", [](const Constraints& c) { return complete_start(c).parent_lists(); },
      nb::arg("constraints"), release());
  m.def(
      "random_start",
      [](const Constraints& c, std::uint64_t seed) {
        Rng rng(seed, 0);
        return random_start(c, rng).parent_lists();
      },
      nb::arg("constraints"), nb::arg("seed"), release());
  m.def(
      "hill_climb",
      [](const Scorer& scorer, const Constraints& constraints, ParentLists start, bool first,
         std::uint64_t max_steps, double min_gain, Run& run) {
        return hill_climb(scorer, constraints, Dag(std::move(start)),
                          {.first = first, .max_steps = max_steps, .min_gain = min_gain}, run);
      },
      nb::arg("scorer"), nb::arg("constraints"), nb::arg("start"), nb::arg("first"),
      nb::arg("max_steps"), nb::arg("min_gain"), nb::arg("run"), release());

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

  nb::class_<OrdersFound>(m, "OrdersFound")
      .def_ro("best", &OrdersFound::best)
      .def_ro("scores", &OrdersFound::scores);
  m.def("k2_search", &k2_search, nb::arg("scorer"), nb::arg("constraints"), nb::arg("orders"),
        nb::arg("run"), release());
  m.def("random_orders", &random_orders, nb::arg("constraints"), nb::arg("count"), nb::arg("seed"),
        release());
  m.def(
      "chow_liu_order",
      [](const Scorer& scorer, const Constraints& constraints, Run& run) {
        return feasible_order(constraints, chow_liu_order(scorer, run));
      },
      nb::arg("scorer"), nb::arg("constraints"), nb::arg("run"), release());
}
