#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "bindings.hpp"
#include "dagwright/base/wide.hpp"
#include "dagwright/posterior/best_dags.hpp"
#include "dagwright/posterior/exact_posterior.hpp"
#include "dagwright/posterior/paths.hpp"
#include "dagwright/posterior/sample_graphs.hpp"
#include "dagwright/posterior/sum_over_dags.hpp"

using namespace dagwright;

namespace {

// The mantissa's two words, and the exponent.
std::tuple<std::uint64_t, std::uint64_t, std::int64_t> words_of(const Wide& number) {
  return {number.high, number.low, number.exponent};
}

}  // namespace

void bind_posterior(nb::module_& m) {
  using release = nb::call_guard<nb::gil_scoped_release>;
  nb::enum_<Over>(m, "Over").value("dags", Over::dags).value("orders", Over::orders);
  nb::class_<ExactPosterior>(m, "ExactPosterior")
      .def_ro("log_total", &ExactPosterior::log_total)
      .def_prop_ro("n_families", [](const ExactPosterior& p) { return p.weights.n_families(); })
      .def_prop_ro("total", [](const ExactPosterior& p) { return words_of(p.totals.back()); },
                   "For tests: the sum over all DAGs, each child's largest weight being 1.")
      .def("edge_probabilities",
           [](const ExactPosterior& p) { return to_numpy(std::vector(p.edge_probabilities)); })
      .def(
          "parent_sets",
          [](const ExactPosterior& p, Variable child) {
            std::vector<Set> sets;
            for (const Set set : p.weights.children.at(child).sets) {
              sets.push_back(with_room_for_bit(set, child));
            }
            return std::pair(to_numpy(std::move(sets)),
                             to_numpy(std::vector(p.family_probabilities.at(child))));
          },
          nb::arg("child"), "The sets of parents as bits, and their probabilities.")
      .def(
          "sample",
          [](const ExactPosterior& p, std::size_t n_graphs, std::uint64_t seed, Run& run) {
            std::vector<Set> parents;
            {
              const nb::gil_scoped_release released;
              parents = sample_graphs(p, n_graphs, seed, run);
            }
            return to_numpy(std::move(parents));
          },
          nb::arg("n_graphs"), nb::arg("seed"), nb::arg("run"))
      .def(
          "best",
          [](const ExactPosterior& p, std::size_t k, Run& run) {
            BestDags best;
            {
              const nb::gil_scoped_release released;
              best = best_dags(p.weights, k, run);
            }
            return std::pair(to_numpy(std::move(best.parents)),
                             to_numpy(std::move(best.log_weights)));
          },
          nb::arg("k"), nb::arg("run"))
      .def(
          "path_probabilities",
          [](const ExactPosterior& p, Run& run) {
            std::vector<double> paths;
            {
              const nb::gil_scoped_release released;
              paths = path_probabilities(p, run);
            }
            return to_numpy(std::move(paths));
          },
          nb::arg("run"));
  m.def(
      "exact_posterior",
      [](const Scorer& scorer, const Constraints& constraints, Over over, Run& run) {
        return exact_posterior(posterior_weights(scorer, constraints, run), over, run);
      },
      nb::arg("scorer"), nb::arg("constraints"), nb::arg("over"), nb::arg("run"), release());
  m.def(
      "log_total_of_prior",
      [](const Scorer& scorer, const Constraints& constraints, Over over, Run& run) {
        return log_total(prior_weights(scorer, constraints, run), over, run);
      },
      nb::arg("scorer"), nb::arg("constraints"), nb::arg("over"), nb::arg("run"), release());
  m.def(
      "exact_posterior_of_weights",
      [](std::vector<std::vector<double>> logs, Over over, Run& run) {
        return exact_posterior(given_weights(std::move(logs)), over, run);
      },
      nb::arg("logs"), nb::arg("over"), nb::arg("run"), release(),
      "Of any logs of weights: for each child those of all sets of others, -inf for none.");
  m.def(
      "exact_posterior_bytes",
      [](std::size_t n, Over over, double n_families) {
        return exact_posterior_bytes(n, over) + kBytesOfAFamily * n_families;
      },
      nb::arg("n"), nb::arg("over"), nb::arg("n_families"));
  m.def("best_dags_bytes", &best_dags_bytes, nb::arg("n"), nb::arg("k"));
  m.def("dag_error_bound", &dag_error_bound, nb::arg("n"));
  m.def(
      "wide_exp", [](double x) { return words_of(Wide::exp(x)); }, nb::arg("x"),
      "For tests: the weight of a log.");
}
