#include "dagwright/score/scorer.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/vector.h>

#include "bindings.hpp"

using namespace dagwright;

namespace {

using FamilyTuple = std::pair<Variable, std::vector<Variable>>;

Family to_family(FamilyTuple tuple) { return {tuple.first, std::move(tuple.second)}; }

std::vector<Family> to_families(std::vector<FamilyTuple> tuples) {
  std::vector<Family> families;
  families.reserve(tuples.size());
  for (auto& tuple : tuples) families.push_back(to_family(std::move(tuple)));
  return families;
}

}  // namespace

void bind_scorer(nb::module_& m) {
  // FamilyError(message, child, parents): the Python side puts the names.
  static PyObject* const family_error =  // kept for as long as the process lives
      PyErr_NewException("dagwright._core.FamilyError", PyExc_RuntimeError, nullptr);
  m.attr("FamilyError") = nb::handle(family_error);
  nb::register_exception_translator([](const std::exception_ptr& p, void*) {
    try {
      std::rethrow_exception(p);
    } catch (const FamilyError& error) {
      const nb::object value =
          nb::make_tuple(error.what(), error.family.child, nb::cast(error.family.parents));
      PyErr_SetObject(family_error, value.ptr());
    } catch (const Stopped& stopped) {
      const bool interrupted = stopped.reason == StopReason::interrupted;
      PyErr_SetString(interrupted ? PyExc_KeyboardInterrupt : PyExc_TimeoutError,
                      "the run was stopped");
    }
  });

  nb::class_<ScorerStats>(m, "ScorerStats")
      .def_ro("asked", &ScorerStats::asked)
      .def_ro("counted", &ScorerStats::counted)
      .def_ro("cached", &ScorerStats::cached)
      .def_ro("cache_bytes", &ScorerStats::cache_bytes);

  using release = nb::call_guard<nb::gil_scoped_release>;
  nb::class_<Scorer>(m, "Scorer")
      .def(nb::new_([](std::shared_ptr<CountSource> source, std::shared_ptr<Score> score,
                       std::shared_ptr<StructurePrior> prior, std::size_t cache_bytes) {
             return std::make_shared<Scorer>(std::move(source), std::move(score),
                                             std::move(prior), cache_bytes);
           }),
           nb::arg("source"), nb::arg("score"), nb::arg("prior").none(), nb::arg("cache_bytes"))
      .def_prop_ro("score_equivalent", &Scorer::score_equivalent)
      .def(
          "local",
          [](const Scorer& scorer, std::vector<FamilyTuple> families, Run& run) {
            return scorer.local(to_families(std::move(families)), run);
          },
          nb::arg("families"), nb::arg("run"), release())
      .def(
          "gains",
          [](const Scorer& scorer, FamilyTuple family, const std::vector<Variable>& candidates,
             Run& run) { return scorer.gains(to_family(std::move(family)), candidates, run); },
          nb::arg("family"), nb::arg("candidates"), nb::arg("run"), release())
      .def(
          "pair_information",
          [](const Scorer& scorer, Variable begin, Variable end, std::optional<Variable> given,
             Run& run) {
            nb::gil_scoped_release released;
            auto information = scorer.pair_information(begin, end, given, run);
            nb::gil_scoped_acquire acquired;
            return to_numpy(std::move(information));
          },
          nb::arg("begin"), nb::arg("end"), nb::arg("given").none(), nb::arg("run"))
      .def(
          "pair_gains",
          [](const Scorer& scorer, Variable begin, Variable end, Run& run) {
            nb::gil_scoped_release released;
            PairGains gains = scorer.pair_gains(begin, end, run);
            nb::gil_scoped_acquire acquired;
            return std::pair(to_numpy(std::move(gains.forward)),
                             to_numpy(std::move(gains.backward)));
          },
          nb::arg("begin"), nb::arg("end"), nb::arg("run"))
      .def("entropy", &Scorer::entropy, nb::arg("variables"), nb::arg("run"), release())
      .def(
          "upper_bound",
          [](const Scorer& scorer, FamilyTuple family, Run& run) {
            return scorer.upper_bound(to_family(std::move(family)), run);
          },
          nb::arg("family"), nb::arg("run"), release())
      .def(
          "log_prior",
          [](const Scorer& scorer, FamilyTuple family) {
            return scorer.log_prior(to_family(std::move(family)));
          },
          nb::arg("family"), release())
      .def("stats", &Scorer::stats);
}
