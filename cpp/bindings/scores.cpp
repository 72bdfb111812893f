#include <nanobind/stl/function.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <utility>
#include <vector>

#include "bindings.hpp"
#include "dagwright/infer/joint_table.hpp"
#include "dagwright/score/aic.hpp"
#include "dagwright/score/bde.hpp"
#include "dagwright/score/bdeu.hpp"
#include "dagwright/score/bic.hpp"
#include "dagwright/score/k2.hpp"
#include "dagwright/score/log_likelihood.hpp"
#include "dagwright/score/structure_prior.hpp"

using namespace dagwright;

namespace {

// A score whose formula is a Python function of the counts.
class PythonScore final : public Score {
 public:
  PythonScore(nb::callable local, bool score_equivalent)
      : local_(std::move(local)), score_equivalent_(score_equivalent) {}
  double local(const FamilyCounts& counts) const override {
    nb::gil_scoped_acquire gil;
    return nb::cast<double>(local_(nb::cast(counts, nb::rv_policy::copy)));
  }
  bool score_equivalent() const override { return score_equivalent_; }

 private:
  nb::callable local_;
  bool score_equivalent_;
};

}  // namespace

void bind_scores(nb::module_& m) {
  nb::class_<Score>(m, "Score")
      .def("local", &Score::local)
      .def("upper_bound", &Score::upper_bound)
      .def_prop_ro("score_equivalent", &Score::score_equivalent)
      .def_prop_ro("set_function", [](const Score& score) {
        return dynamic_cast<const SetScore*>(&score) != nullptr;
      });
  nb::class_<LogLikelihood, Score>(m, "LogLikelihood").def(nb::init<>());
  nb::class_<AIC, Score>(m, "AIC").def(nb::init<>());
  nb::class_<BIC, Score>(m, "BIC").def(nb::init<>());
  nb::class_<Penalized, Score>(m, "Penalized").def(nb::init<double>(), nb::arg("phi"));
  nb::class_<K2, Score>(m, "K2").def(nb::init<>());
  nb::class_<BDeu, Score>(m, "BDeu").def(nb::init<double>(), nb::arg("ess"));
  nb::class_<SymmetricDirichlet, Score>(m, "SymmetricDirichlet")
      .def(nb::init<double>(), nb::arg("alpha"));
  nb::class_<BDe, Score>(m, "BDe")
      .def(
          "__init__",
          [](BDe* self, double ess, std::vector<double> joint, std::vector<Arity> arities) {
            new (self) BDe(ess, marginals_of(std::move(joint), std::move(arities)));
          },
          nb::arg("ess"), nb::arg("joint"), nb::arg("arities"))
      .def(
          "__init__",
          [](BDe* self, double ess, std::shared_ptr<Network> network) {
            new (self) BDe(ess, [network = std::move(network)](const auto& variables) {
              return joint_table(network, variables);
            });
          },
          nb::arg("ess"), nb::arg("network"));
  nb::class_<PythonScore, Score>(m, "PythonScore")
      .def(nb::init<nb::callable, bool>(), nb::arg("local"), nb::arg("score_equivalent"));

  nb::class_<StructurePrior>(m, "StructurePrior");
  nb::class_<EdgePenalty, StructurePrior>(m, "EdgePenalty")
      .def(nb::init<double>(), nb::arg("log_weight"));
  nb::class_<EdgeWeights, StructurePrior>(m, "EdgeWeights")
      .def(nb::init<std::size_t, std::vector<double>>(), nb::arg("n"), nb::arg("log_weights"));
  nb::class_<ParentCountPrior, StructurePrior>(m, "ParentCountPrior")
      .def(nb::init<std::vector<double>>(), nb::arg("log_weights"));
  nb::class_<ModularPrior, StructurePrior>(m, "ModularPrior")
      .def(
          "__init__",
          [](ModularPrior* self, std::function<double(Variable, std::vector<Variable>)> log_weight) {
            new (self) ModularPrior([log_weight = std::move(log_weight)](const Family& family) {
              return log_weight(family.child, family.parents);
            });
          },
          nb::arg("log_weight"));
}
