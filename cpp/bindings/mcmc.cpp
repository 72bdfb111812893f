#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "bindings.hpp"
#include "dagwright/mcmc/linear_extensions.hpp"
#include "dagwright/mcmc/order_chain.hpp"
#include "dagwright/mcmc/parent_table.hpp"
#include "dagwright/mcmc/partition_chain.hpp"
#include "dagwright/mcmc/sampler.hpp"
#include "dagwright/mcmc/structure_chain.hpp"
#include "dagwright/mcmc/time_order_moves.hpp"

using namespace dagwright;

namespace {

using States = std::vector<std::vector<std::vector<std::int32_t>>>;

}  // namespace

void bind_mcmc(nb::module_& m) {
  using release = nb::call_guard<nb::gil_scoped_release>;
  nb::class_<ParentTable>(m, "ParentTable")
      .def(nb::init<const Scorer&, const Constraints&, ParentLists, Run&>(), nb::arg("scorer"),
           nb::arg("constraints"), nb::arg("candidates"), nb::arg("run"), release())
      .def_static("bytes", &ParentTable::bytes, nb::arg("candidates"));
  nb::class_<Draws>(m, "Draws")
      .def_ro("parent_sets", &Draws::parent_sets)
      .def_prop_ro(
          "numbers", [](const Draws& d) { return to_numpy(std::vector(d.numbers)); },
          nb::rv_policy::move)
      .def_prop_ro(
          "scores", [](const Draws& d) { return to_numpy(std::vector(d.scores)); },
          nb::rv_policy::move)
      .def_prop_ro(
          "log_corrections",
          [](const Draws& d) { return to_numpy(std::vector(d.log_corrections)); },
          nb::rv_policy::move);
  nb::class_<Sampler>(m, "Sampler")
      .def("blocks", &Sampler::blocks, nb::arg("n_blocks"), nb::arg("keep"), nb::arg("run"), release())
      .def_prop_ro("n_done", &Sampler::n_done)
      .def_prop_ro("states", &Sampler::states)
      .def_prop_ro("log_densities", &Sampler::log_densities, "By chain, at temperature 1.")
      .def_prop_ro("stats", &Sampler::stats);
  m.def(
      "structure_sampler",
      [](const Scorer& scorer, const ParentTable& table, const Constraints& constraints,
         const States& states, std::vector<double> betas, std::size_t thin, std::uint64_t seed,
         std::uint64_t n_done, double reversal, Run& run) {
        const auto make = [&scorer, &table, &constraints, reversal](
                              const std::vector<std::int32_t>& state, Run& run) {
          return std::make_unique<StructureChain>(scorer, table, constraints, state, reversal, run);
        };
        return Sampler(make, states, std::move(betas), thin, seed, n_done, run);
      },
      nb::arg("scorer"), nb::arg("table"), nb::arg("constraints"), nb::arg("states"),
      nb::arg("betas"), nb::arg("thin"), nb::arg("seed"), nb::arg("n_done"), nb::arg("reversal"),
      nb::arg("run"), nb::keep_alive<0, 1>(), nb::keep_alive<0, 2>(), nb::keep_alive<0, 3>(),
      release());
  m.def(
      "order_sampler",
      [](const ParentTable& table, const States& states, std::vector<double> betas,
         std::size_t thin, std::uint64_t seed, std::uint64_t n_done, Run& run) {
        const auto make = [&table](const std::vector<std::int32_t>& state, Run&) {
          return std::make_unique<OrderChain>(table, state);
        };
        return Sampler(make, states, std::move(betas), thin, seed, n_done, run);
      },
      nb::arg("table"), nb::arg("states"), nb::arg("betas"), nb::arg("thin"), nb::arg("seed"),
      nb::arg("n_done"), nb::arg("run"), nb::keep_alive<0, 1>(), release());
  m.def(
      "partition_sampler",
      [](const ParentTable& table, const Constraints& constraints, const States& states,
         std::vector<double> betas, std::size_t thin, std::uint64_t seed, std::uint64_t n_done,
         double reversal, double orders, Run& run) {
        const PartitionChain::Shares shares{reversal, orders};
        const auto make = [&table, &constraints, shares](const std::vector<std::int32_t>& state,
                                                         Run&) {
          return std::make_unique<PartitionChain>(table, constraints, state, shares);
        };
        return Sampler(make, states, std::move(betas), thin, seed, n_done, run);
      },
      nb::arg("table"), nb::arg("constraints"), nb::arg("states"), nb::arg("betas"),
      nb::arg("thin"), nb::arg("seed"), nb::arg("n_done"), nb::arg("reversal"), nb::arg("orders"),
      nb::arg("run"), nb::keep_alive<0, 1>(), nb::keep_alive<0, 2>(),
      release());
  m.def(
      "time_order_moves",
      [](const ParentTable& table, std::uint64_t n_moves, std::uint64_t seed) {
        const OrderMoveTimes times = time_order_moves(table, n_moves, seed);
        return std::tuple(times.bare, times.chain);
      },
      nb::arg("table"), nb::arg("n_moves"), nb::arg("seed"), release());
  m.def("log_linear_extensions", &log_linear_extensions, nb::arg("parents"));
}
