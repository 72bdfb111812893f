#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/vector.h>

#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "bindings.hpp"
#include "dagwright/infer/belief_propagation.hpp"
#include "dagwright/infer/clique_tree.hpp"
#include "dagwright/infer/gibbs.hpp"
#include "dagwright/infer/joint_table.hpp"
#include "dagwright/infer/network.hpp"
#include "dagwright/infer/predict.hpp"
#include "dagwright/infer/propagation.hpp"
#include "dagwright/infer/relevance.hpp"
#include "dagwright/infer/sample_rows.hpp"

using namespace dagwright;

namespace {

using Values = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

std::vector<double> to_vector(const Values& values) {
  return {values.data(), values.data() + values.size()};
}

std::shared_ptr<Network> make_network(std::vector<Arity> arities,
                                      std::vector<std::vector<Variable>> scopes,
                                      const std::vector<Values>& values) {
  if (scopes.size() != values.size()) throw nb::value_error("one table a family is needed");
  std::vector<Factor> factors;
  for (std::size_t i = 0; i < scopes.size(); ++i) {
    factors.push_back({std::move(scopes[i]), to_vector(values[i])});
  }
  return std::make_shared<Network>(std::move(arities), std::move(factors));
}

Evidence make_evidence(std::vector<std::pair<Variable, State>> states,
                       const std::vector<std::pair<Variable, Values>>& likelihoods) {
  Evidence evidence{std::move(states), {}};
  for (const auto& [v, values] : likelihoods) evidence.likelihoods.emplace_back(v, to_vector(values));
  return evidence;
}

template <class T>
nb::list to_list(std::vector<std::vector<T>> values) {
  nb::list out;
  for (auto& own : values) out.append(to_numpy(std::move(own)));
  return out;
}

}  // namespace

void bind_infer(nb::module_& m) {
  nb::exception<ImpossibleEvidence>(m, "ImpossibleEvidence", PyExc_RuntimeError);
  nb::class_<Network>(m, "Network")
      .def(nb::new_(&make_network), nb::arg("arities"), nb::arg("scopes"), nb::arg("values"));

  m.def("relevant_families",  // in the network of a question; see CliqueTree
        [](const Network& network, std::vector<Variable> targets, std::vector<Variable> observed,
           std::vector<Variable> intervened, std::vector<Variable> soft,
           bool probability_of_evidence) {
          return relevant_families(network, Question{std::move(targets), std::move(observed),
                                                     std::move(intervened), std::move(soft), false,
                                                     false, probability_of_evidence});
        },
        nb::arg("network"), nb::arg("targets"), nb::arg("observed"), nb::arg("intervened"),
        nb::arg("soft"), nb::arg("probability_of_evidence"));
  m.def("joint_table",
        [](std::shared_ptr<Network> network, const std::vector<Variable>& variables) {
          return to_numpy(joint_table(std::move(network), variables));
        },
        nb::arg("network"), nb::arg("variables"));

  nb::class_<CliqueTree>(m, "CliqueTree")
      .def(nb::new_([](std::shared_ptr<Network> network, std::vector<Variable> targets,
                       std::vector<Variable> observed, std::vector<Variable> intervened,
                       std::vector<Variable> soft, bool every_variable,
                       bool maximize_targets, bool probability_of_evidence) {
             const nb::gil_scoped_release release;
             Run run(1, std::numeric_limits<double>::infinity(), [](const Progress&) {
               const nb::gil_scoped_acquire gil;  // planning takes long for a hopeless question
               if (PyErr_CheckSignals() == 0) return StopReason::none;
               PyErr_Clear();
               return StopReason::interrupted;
             });
             return std::make_shared<CliqueTree>(
                 std::move(network),
                 Question{std::move(targets), std::move(observed), std::move(intervened),
                          std::move(soft), every_variable, maximize_targets,
                          probability_of_evidence},
                 run);
           }),
           nb::arg("network"), nb::arg("targets"), nb::arg("observed"), nb::arg("intervened"),
           nb::arg("soft"), nb::arg("every_variable"), nb::arg("maximize_targets"),
           nb::arg("probability_of_evidence"))
      .def_prop_ro("cells", &CliqueTree::cells)
      .def_prop_ro("largest", &CliqueTree::largest)
      .def_prop_ro("bytes", &CliqueTree::bytes)
      .def_prop_ro("own_bytes", &CliqueTree::own_bytes)
      .def_prop_ro("operations", &CliqueTree::operations)
      .def_prop_ro("families", &CliqueTree::families)
      .def_prop_ro("order", &CliqueTree::order)
      .def_prop_ro("cliques", [](const CliqueTree& tree) {
        std::vector<std::vector<Variable>> scopes;
        for (const auto& clique : tree.cliques()) scopes.push_back(clique.scope);
        return scopes;
      });

  const auto release = nb::call_guard<nb::gil_scoped_release>();
  nb::class_<Propagation>(m, "Propagation")
      .def(nb::new_([](std::shared_ptr<CliqueTree> tree) {
             return std::make_shared<Propagation>(std::move(tree));
           }),
           nb::arg("tree"))
      .def("set",
           [](Propagation& p, std::vector<std::pair<Variable, State>> states,
              const std::vector<std::pair<Variable, Values>>& likelihoods) {
             p.set(make_evidence(std::move(states), likelihoods));
           },
           nb::arg("states"), nb::arg("likelihoods"))
      .def_prop_ro("cells", &Propagation::cells)
      .def("log_probability", &Propagation::log_probability, nb::arg("run"), release)
      .def("in_one_clique",
           [](const Propagation& p, const std::vector<Variable>& variables) {
             return p.in_one_clique(variables);
           },
           nb::arg("variables"))
      .def("joint",
           [](Propagation& p, const std::vector<Variable>& variables, Run& run) {
             std::vector<double> values;
             {
               const nb::gil_scoped_release released;
               values = p.joint(variables, run);
             }
             return to_numpy(std::move(values));
           },
           nb::arg("variables"), nb::arg("run"))
      .def("marginals",
           [](Propagation& p, const std::vector<Variable>& variables, Run& run) {
             std::vector<std::vector<double>> values;
             {
               const nb::gil_scoped_release released;
               values = p.marginals(variables, run);
             }
             return to_list(std::move(values));
           },
           nb::arg("variables"), nb::arg("run"))
      .def("most_probable", &Propagation::most_probable, nb::arg("all"), nb::arg("run"), release)
      .def("sample",
           [](Propagation& p, std::size_t n_rows, std::uint64_t seed,
              const std::vector<Variable>& keep, Run& run) {
             std::vector<std::vector<std::uint16_t>> codes;
             {
               const nb::gil_scoped_release released;
               codes = p.sample(n_rows, seed, keep, run);
             }
             return to_list(std::move(codes));
           },
           nb::arg("n_rows"), nb::arg("seed"), nb::arg("keep"), nb::arg("run"));

  m.def(
      "predict",
      [](std::shared_ptr<CliqueTree> tree, Variable target, const std::vector<Variable>& given,
         const Table& table, Run& run) {
        Predictions found;
        {
          const nb::gil_scoped_release released;
          std::vector<Codes> codes;
          for (Variable v = 0; v < table.n_variables(); ++v) codes.push_back(table.codes(v));
          found = predict(std::move(tree), target, given, codes, table.n_rows(), run);
        }
        return std::pair(to_numpy(std::move(found.posteriors)), to_numpy(std::move(found.logs)));
      },
      nb::arg("tree"), nb::arg("target"), nb::arg("given"), nb::arg("table"), nb::arg("run"));

  m.def(
      "sample_rows",
      [](const Network& network, std::size_t n_rows, std::uint64_t seed,
         std::vector<std::pair<Variable, State>> states,
         const std::vector<std::pair<Variable, Values>>& likelihoods,
         const std::vector<Variable>& intervened, const std::vector<Variable>& keep, Run& run) {
        const Evidence evidence = make_evidence(std::move(states), likelihoods);
        Rows rows;
        {
          const nb::gil_scoped_release released;
          rows = sample_rows(network, n_rows, seed, evidence, intervened, keep, run);
        }
        return std::pair(to_list(std::move(rows.codes)), to_numpy(std::move(rows.log_weights)));
      },
      nb::arg("network"), nb::arg("n_rows"), nb::arg("seed"), nb::arg("states"),
      nb::arg("likelihoods"), nb::arg("intervened"), nb::arg("keep"), nb::arg("run"));

  m.def(
      "gibbs",
      [](const Network& network, std::size_t chains, std::size_t warmup, std::size_t n_rows,
         std::uint64_t seed, std::vector<std::pair<Variable, State>> states,
         const std::vector<std::pair<Variable, Values>>& likelihoods,
         const std::vector<Variable>& intervened, const std::vector<Variable>& keep, Run& run) {
        const Evidence evidence = make_evidence(std::move(states), likelihoods);
        Rows rows;
        {
          const nb::gil_scoped_release released;
          rows = gibbs(network, chains, warmup, n_rows, seed, evidence, intervened, keep, run);
        }
        return to_list(std::move(rows.codes));
      },
      nb::arg("network"), nb::arg("chains"), nb::arg("warmup"), nb::arg("n_rows"), nb::arg("seed"),
      nb::arg("states"), nb::arg("likelihoods"), nb::arg("intervened"), nb::arg("keep"),
      nb::arg("run"));

  nb::class_<Beliefs>(m, "Beliefs")
      .def_ro("marginals", &Beliefs::marginals)
      .def_ro("iterations", &Beliefs::iterations)
      .def_ro("change", &Beliefs::change);
  m.def(
      "belief_propagation",
      [](const Network& network, std::vector<std::pair<Variable, State>> states,
         const std::vector<std::pair<Variable, Values>>& likelihoods,
         const std::vector<Variable>& intervened, const std::vector<Variable>& variables,
         std::size_t max_iterations, double tolerance, double damping, Run& run) {
        const Evidence evidence = make_evidence(std::move(states), likelihoods);
        const nb::gil_scoped_release released;
        return belief_propagation(network, evidence, intervened, variables, max_iterations,
                                  tolerance, damping, run);
      },
      nb::arg("network"), nb::arg("states"), nb::arg("likelihoods"), nb::arg("intervened"),
      nb::arg("variables"), nb::arg("max_iterations"), nb::arg("tolerance"), nb::arg("damping"),
      nb::arg("run"));
}
