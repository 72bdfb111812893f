#include <nanobind/stl/vector.h>

#include <span>
#include <utility>
#include <vector>

#include "bindings.hpp"
#include "dagwright/markov/factor_belief_propagation.hpp"
#include "dagwright/markov/factor_scopes.hpp"
#include "dagwright/markov/gibbs_factors.hpp"
#include "dagwright/markov/spanning_forests.hpp"

using namespace dagwright;

namespace {

using Values = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class T>
nb::list to_list(std::vector<std::vector<T>> values) {
  nb::list out;
  for (auto& own : values) out.append(to_numpy(std::move(own)));
  return out;
}

}  // namespace

void bind_markov(nb::module_& m) {
  nb::exception<ImpossibleFactors>(m, "ImpossibleFactors", PyExc_RuntimeError);
  nb::class_<FactorScopes>(m, "FactorScopes")
      .def(nb::init<std::vector<Arity>, std::vector<std::vector<Variable>>>(), nb::arg("arities"),
           nb::arg("scopes"))
      .def_prop_ro("n_cells", [](const FactorScopes& scopes) { return scopes.n_cells(); })
      .def(
          "shares_of_forests",
          [](const FactorScopes& scopes, std::size_t n_forests) {
            std::vector<double> shares;
            {
              const nb::gil_scoped_release released;
              shares = shares_of_forests(scopes, n_forests);
            }
            return to_numpy(std::move(shares));
          },
          nb::arg("n_forests"));

  nb::class_<GibbsChains>(m, "GibbsChains")
      .def(nb::init<FactorScopes, std::size_t, std::uint64_t>(), nb::arg("scopes"),
           nb::arg("n_chains"), nb::arg("seed"))
      .def(
          "set_log_values",
          [](GibbsChains& chains, const Values& values) {
            chains.set_log_values(std::span(values.data(), values.size()));
          },
          nb::arg("log_values"))
      .def(
          "count",
          [](GibbsChains& chains, std::size_t n_rows, std::size_t thin, bool by_chain, Run& run) {
            std::vector<std::uint32_t> counts;
            {
              const nb::gil_scoped_release released;
              counts = chains.count(n_rows, thin, by_chain, run);
            }
            return to_numpy(std::move(counts));
          },
          nb::arg("n_rows"), nb::arg("thin"), nb::arg("by_chain"), nb::arg("run"))
      .def(
          "rows",
          [](GibbsChains& chains, std::size_t n_rows, std::size_t thin, Run& run) {
            std::vector<std::vector<std::uint16_t>> rows;
            {
              const nb::gil_scoped_release released;
              rows = chains.rows(n_rows, thin, run);
            }
            return to_list(std::move(rows));
          },
          nb::arg("n_rows"), nb::arg("thin"), nb::arg("run"));

  nb::class_<FactorBeliefs>(m, "FactorBeliefs")
      .def_prop_ro(
          "marginals", [](const FactorBeliefs& b) { return to_numpy(std::vector(b.marginals)); },
          nb::rv_policy::move)
      .def_prop_ro(
          "cells", [](const FactorBeliefs& b) { return to_numpy(std::vector(b.cells)); },
          nb::rv_policy::move)
      .def_ro("log_z", &FactorBeliefs::log_z)
      .def_ro("iterations", &FactorBeliefs::iterations)
      .def_ro("inconsistency", &FactorBeliefs::inconsistency);
  nb::class_<FactorBeliefPropagation>(m, "FactorBeliefPropagation")
      .def(nb::init<FactorScopes, std::vector<double>>(), nb::arg("scopes"), nb::arg("shares"))
      .def(
          "propagate",
          [](FactorBeliefPropagation& propagation, const Values& values, std::size_t max_iterations,
             double tolerance, double damping, Run& run) {
            const nb::gil_scoped_release released;
            return propagation.propagate(std::span(values.data(), values.size()), max_iterations,
                                         tolerance, damping, run);
          },
          nb::arg("log_values"), nb::arg("max_iterations"), nb::arg("tolerance"),
          nb::arg("damping"), nb::arg("run"));
}
