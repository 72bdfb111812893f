#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "bindings.hpp"
#include "dagwright/markov/neighbourhoods.hpp"

using namespace dagwright;

namespace {

using Bytes = nb::ndarray<const std::uint8_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Values = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

std::vector<double> to_vector(const Values& values) {
  return {values.data(), values.data() + values.size()};
}

// `bits` has one row of bytes a variable, eight rows of data a byte, up to a whole number of words.
Spins make_spins(const Bytes& bits, const Values& weights) {
  const std::size_t n_words = (weights.size() + 63) / 64;
  if (bits.shape(1) != 8 * n_words) throw nb::value_error("whole words of bits are needed");
  std::vector<SpinWord> words(bits.shape(0) * n_words);
  std::memcpy(words.data(), bits.data(), 8 * words.size());
  return Spins(bits.shape(0), std::move(words), to_vector(weights));
}

void check_lists(const Spins& spins, const Candidates& lists) {
  if (lists.size() != spins.n_variables()) throw nb::value_error("one list a variable is needed");
  for (std::size_t target = 0; target < lists.size(); ++target) {
    for (const Variable v : lists[target]) {
      if (v >= spins.n_variables() || v == target) throw nb::value_error("no such neighbour");
    }
  }
}

const SpinKernels& kernels_named(const std::string& name) {
  for (const SpinKernels* kernels : available_spin_kernels()) {
    if (name == kernels->name) return *kernels;
  }
  throw nb::value_error("this processor has no such kernels");
}

}  // namespace

void bind_neighbourhoods(nb::module_& m) {
  nb::enum_<NeighbourhoodLoss>(m, "NeighbourhoodLoss")
      .value("logistic", NeighbourhoodLoss::logistic)
      .value("rise", NeighbourhoodLoss::rise)
      .value("log_rise", NeighbourhoodLoss::log_rise);

  nb::class_<Spins>(m, "Spins").def(nb::new_(&make_spins), nb::arg("bits"), nb::arg("weights"));

  nb::class_<NeighbourhoodSettings>(m, "NeighbourhoodSettings")
      .def(nb::new_([](NeighbourhoodLoss loss, double ridge, double tolerance) {
             return NeighbourhoodSettings{loss, ridge, tolerance};
           }),
           nb::arg("loss"), nb::arg("ridge"), nb::arg("tolerance"));

  nb::class_<Neighbourhood>(m, "Neighbourhood")
      .def_ro("penalty", &Neighbourhood::penalty)
      .def_ro("field", &Neighbourhood::field)
      .def_ro("variables", &Neighbourhood::variables)
      .def_ro("couplings", &Neighbourhood::couplings)
      .def_ro("loss", &Neighbourhood::loss)
      .def_ro("residual", &Neighbourhood::residual)
      .def_ro("steps", &Neighbourhood::steps);

  nb::class_<PathStep>(m, "PathStep")
      .def_ro("penalty", &PathStep::penalty)
      .def_ro("n_neighbours", &PathStep::n_neighbours)
      .def_ro("criterion", &PathStep::criterion);

  nb::class_<ChosenNeighbourhood>(m, "ChosenNeighbourhood")
      .def_ro("best", &ChosenNeighbourhood::best)
      .def_ro("path", &ChosenNeighbourhood::path);

  m.def("neighbourhoods",
        [](const Spins& spins, const Candidates& candidates, const std::vector<double>& penalties,
           const NeighbourhoodSettings& settings, Run& run) {
          check_lists(spins, candidates);
          nb::gil_scoped_release release;
          return neighbourhoods(spins, candidates, penalties, settings, run);
        },
        nb::arg("spins"), nb::arg("candidates"), nb::arg("penalties"), nb::arg("settings"),
        nb::arg("run"));
  m.def("choose_neighbourhoods",
        [](const Spins& spins, const Candidates& candidates, double n_rows, double gamma,
           double n_possible, std::size_t n_penalties, double smallest, std::size_t patience,
           const NeighbourhoodSettings& settings, Run& run) {
          check_lists(spins, candidates);
          nb::gil_scoped_release release;
          return choose_neighbourhoods(
              spins, candidates, ExtendedBic{n_rows, gamma, n_possible, n_penalties, smallest, patience},
              settings, run);
        },
        nb::arg("spins"), nb::arg("candidates"), nb::arg("n_rows"), nb::arg("gamma"),
        nb::arg("n_possible"), nb::arg("n_penalties"), nb::arg("smallest"), nb::arg("patience"), nb::arg("settings"),
        nb::arg("run"));
  m.def("neighbourhood_gradients",  // losses, by fields, by couplings: one list after the other
        [](const Spins& spins, const std::vector<double>& fields, const Candidates& variables,
           const std::vector<std::vector<double>>& couplings, NeighbourhoodLoss loss, Run& run) {
          check_lists(spins, variables);
          if (fields.size() != variables.size() || couplings.size() != variables.size()) {
            throw nb::value_error("one field and one list of couplings a variable are needed");
          }
          for (std::size_t v = 0; v < variables.size(); ++v) {
            if (variables[v].size() != couplings[v].size()) {
              throw nb::value_error("one coupling a neighbour is needed");
            }
          }
          std::vector<NeighbourhoodGradient> found;
          {
            nb::gil_scoped_release release;
            found = neighbourhood_gradients(spins, fields, variables, couplings, loss, run);
          }
          std::vector<double> losses, by_field, by_coupling;
          for (const NeighbourhoodGradient& own : found) {
            losses.push_back(own.loss);
            by_field.push_back(own.by_field);
            by_coupling.insert(by_coupling.end(), own.by_coupling.begin(), own.by_coupling.end());
          }
          return nb::make_tuple(to_numpy(std::move(losses)), to_numpy(std::move(by_field)),
                                to_numpy(std::move(by_coupling)));
        },
        nb::arg("spins"), nb::arg("fields"), nb::arg("variables"), nb::arg("couplings"),
        nb::arg("loss"), nb::arg("run"));

  m.def("spin_kernel_names", [] {
    std::vector<std::string> names;
    for (const SpinKernels* kernels : available_spin_kernels()) names.push_back(kernels->name);
    return names;
  });
  // Every kernel of one set, for tests: lean, loss, its derivatives, and their sums by variable.
  m.def("run_spin_kernels",
        [](const std::string& name, const Spins& spins, Variable target, double start,
           const std::vector<double>& values, bool logistic) {
          const SpinKernels& kernels = kernels_named(name);
          const std::size_t n = spins.n_words(), n_variables = spins.n_variables();
          if (values.size() != n_variables || target >= n_variables) {
            throw nb::value_error("one value a variable is needed");
          }
          std::vector<const SpinWord*> columns;
          for (Variable v = 0; v < n_variables; ++v) columns.push_back(spins.bits(v));
          std::vector<double> lean(64 * n), first(64 * n), second(64 * n);
          std::vector<double> sums(n_variables), differ(n_variables);
          kernels.combine(start, columns.data(), values.data(), n_variables, n, lean.data());
          const double loss =
              (logistic ? kernels.logistic : kernels.exponential)(
                  lean.data(), spins.bits(target), spins.weights(), n, first.data(), second.data());
          kernels.sums(first.data(), columns.data(), n_variables, n, sums.data());
          kernels.sums_differ(second.data(), spins.bits(target), columns.data(), n_variables, n,
                              differ.data());
          return nb::make_tuple(loss, to_numpy(std::move(lean)), to_numpy(std::move(first)),
                                to_numpy(std::move(second)), to_numpy(std::move(sums)),
                                to_numpy(std::move(differ)));
        },
        nb::arg("name"), nb::arg("spins"), nb::arg("target"), nb::arg("start"), nb::arg("values"),
        nb::arg("logistic"));
}
