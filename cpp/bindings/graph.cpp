#include <nanobind/operators.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include "bindings.hpp"
#include "dagwright/graph/constraints.hpp"
#include "dagwright/graph/cpdag.hpp"
#include "dagwright/graph/dag.hpp"
#include "dagwright/graph/enumerate.hpp"
#include "dagwright/graph/order.hpp"
#include "edge_caster.hpp"

namespace dw = dagwright;

namespace {

using Nodes = std::vector<dw::Variable>;
using Edges = std::vector<dw::Edge>;

Nodes members(const dw::NodeSet& set) {
  Nodes nodes;
  set.for_each([&](dw::Variable v) { nodes.push_back(v); });
  return nodes;
}

void bind_functions(nb::module_& m) {
  m.def("find_cycle", [](std::size_t n, const Edges& edges) { return dw::find_cycle(n, edges); },
        nb::arg("n"), nb::arg("edges"));
  m.def("topological_order", &dw::topological_order, nb::arg("parents"));
  m.def("cpdag",
        [](const dw::ParentLists& parents) {
          dw::Cpdag cpdag = dw::cpdag_of(parents);
          return std::pair(std::move(cpdag.directed), std::move(cpdag.undirected));
        },
        nb::arg("parents"), "The compelled and the reversible edges.");
  m.def("consistent_extension",
        [](std::size_t n, Edges directed, Edges undirected, const dw::Constraints* constraints) {
          const dw::Cpdag pdag{n, std::move(directed), std::move(undirected)};
          return constraints ? dw::consistent_extension(pdag, *constraints)
                             : dw::consistent_extension(pdag);
        },
        nb::arg("n"), nb::arg("directed"), nb::arg("undirected"),
        nb::arg("constraints") = nb::none(), "The parents of each node, or None.");
  m.def("all_dags", &dw::all_dags, nb::arg("n"), "The parents of each node as bits.");
}

void bind_dag(nb::module_& m) {
  nb::class_<dw::Dag>(m, "Dag", "A mutable graph over numbered nodes, as searches use it.")
      .def(nb::init<std::size_t>(), nb::arg("n"))
      .def(nb::init<dw::ParentLists>(), nb::arg("parents"))
      .def("__len__", &dw::Dag::size)
      .def_prop_ro("n_edges", &dw::Dag::n_edges)
      .def_prop_ro("parent_lists", &dw::Dag::parent_lists)
      .def_prop_ro("edges", &dw::Dag::edges)
      .def("has_edge", &dw::Dag::has_edge, nb::arg("from_"), nb::arg("to"))
      .def("parents", &dw::Dag::parents, nb::arg("node"))
      .def("parent_set", [](const dw::Dag& dag, dw::Variable v) { return members(dag.parent_set(v)); },
           nb::arg("node"))
      .def("ancestors", [](const dw::Dag& dag, dw::Variable v) { return members(dag.ancestors(v)); },
           nb::arg("node"))
      .def("can_add", &dw::Dag::can_add, nb::arg("from_"), nb::arg("to"))
      .def("can_reverse", &dw::Dag::can_reverse, nb::arg("from_"), nb::arg("to"))
      .def("can_set_parents", &dw::Dag::can_set_parents, nb::arg("node"), nb::arg("parents"))
      .def("add", &dw::Dag::add, nb::arg("from_"), nb::arg("to"))
      .def("remove", &dw::Dag::remove, nb::arg("from_"), nb::arg("to"))
      .def("reverse", &dw::Dag::reverse, nb::arg("from_"), nb::arg("to"))
      .def("set_parents", &dw::Dag::set_parents, nb::arg("node"), nb::arg("parents"))
      .def("topological_order", &dw::Dag::topological_order)
      .def(nb::self == nb::self, nb::sig("def __eq__(self, arg: object, /) -> bool"));
}

void bind_constraints(nb::module_& m) {
  nb::class_<dw::Constraints>(m, "Constraints", "What a search over numbered nodes may do.")
      .def("__init__",
           [](dw::Constraints* self, std::size_t n, Edges required, Edges forbidden, Edges adjacent,
              std::vector<std::int32_t> tiers, std::optional<std::size_t> max_parents,
              std::optional<double> max_parameters, std::vector<dw::Arity> arities) {
             new (self) dw::Constraints(dw::ConstraintSpec{
                 n, std::move(required), std::move(forbidden), std::move(adjacent),
                 std::move(tiers), max_parents.value_or(dw::kAnyNumberOfParents),
                 max_parameters.value_or(dw::kAnyNumberOfParameters), std::move(arities)});
           },
           nb::arg("n"), nb::kw_only(), nb::arg("required") = Edges{},
           nb::arg("forbidden") = Edges{}, nb::arg("adjacent") = Edges{},
           nb::arg("tiers") = std::vector<std::int32_t>{}, nb::arg("max_parents") = nb::none(),
           nb::arg("max_parameters") = nb::none(), nb::arg("arities") = std::vector<dw::Arity>{})
      .def("__len__", &dw::Constraints::size)
      .def_prop_ro("limits_edges", &dw::Constraints::limits_edges)
      .def("allowed", &dw::Constraints::allowed, nb::arg("parent"), nb::arg("child"))
      .def("required", &dw::Constraints::required, nb::arg("parent"), nb::arg("child"))
      .def("adjacent", &dw::Constraints::adjacent, nb::arg("a"), nb::arg("b"))
      .def("may_add", &dw::Constraints::may_add, nb::arg("parent"), nb::arg("child"))
      .def("may_remove", &dw::Constraints::may_remove, nb::arg("parent"), nb::arg("child"))
      .def("may_reverse", &dw::Constraints::may_reverse, nb::arg("from_"), nb::arg("to"))
      .def("fits",
           [](const dw::Constraints& self, dw::Variable child, const Nodes& parents) {
             return self.fits(child, parents);
           },
           nb::arg("child"), nb::arg("parents"))
      .def("fits_with",
           [](const dw::Constraints& self, dw::Variable child, const Nodes& parents,
              dw::Variable extra) { return self.fits_with(child, parents, extra); },
           nb::arg("child"), nb::arg("parents"), nb::arg("extra"))
      .def("satisfied_by", &dw::Constraints::satisfied_by, nb::arg("dag"))
      .def("feasible_dag",
           [](const dw::Constraints& self) {
             dw::FeasibleDag feasible = self.feasible_dag();
             return std::pair(std::move(feasible.dag), std::move(feasible.stuck));
           },
           "The smallest graph that satisfies the constraints, or None and the nodes in the way.");
}

}  // namespace

void bind_graph(nb::module_& m) {
  bind_functions(m);
  bind_dag(m);
  bind_constraints(m);
}
