#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/vector.h>

#include "bindings.hpp"
#include "dagwright/search/anneal.hpp"
#include "dagwright/search/hill_climb.hpp"
#include "dagwright/search/perturb.hpp"
#include "dagwright/search/start.hpp"
#include "dagwright/search/tabu.hpp"

using namespace dagwright;

void bind_search(nb::module_& m) {
  nb::enum_<Operator>(m, "Operator")
      .value("add", Operator::add)
      .value("remove", Operator::remove)
      .value("reverse", Operator::reverse);
  nb::enum_<Finish>(m, "Finish")
      .value("local_optimum", Finish::local_optimum)
      .value("max_steps", Finish::max_steps)
      .value("patience", Finish::patience)
      .value("stopped", Finish::stopped);
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
      [](const Scorer& scorer, const Constraints& constraints, ParentLists start_lists, bool first,
         std::uint64_t max_steps, double min_gain, std::size_t restarts, std::size_t perturbation,
         std::uint64_t seed, Run& run) {
        const Dag start(std::move(start_lists));
        const HillClimb spec{.first = first, .max_steps = max_steps, .min_gain = min_gain};
        const Restarts again{.n = restarts, .seed = seed};
        return perturbation == 0
                   ? hill_climb_from_random(scorer, constraints, start, spec, again, run)
                   : hill_climb_perturbed(scorer, constraints, start, spec, perturbation, again,
                                          run);
      },
      nb::arg("scorer"), nb::arg("constraints"), nb::arg("start"), nb::arg("first"),
      nb::arg("max_steps"), nb::arg("min_gain"), nb::arg("restarts"), nb::arg("perturbation"),
      nb::arg("seed"), nb::arg("run"), release());
  m.def(
      "tabu",
      [](const Scorer& scorer, const Constraints& constraints, ParentLists start,
         std::size_t tenure, std::size_t patience, bool states, std::size_t explore,
         std::size_t restarts, std::uint64_t seed, Run& run) {
        return tabu(scorer, constraints, Dag(std::move(start)),
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
      [](const Scorer& scorer, const Constraints& constraints, ParentLists start,
         std::uint64_t proposals, double acceptance, double temperature, double last_temperature,
         std::size_t reheats, std::size_t restarts, std::uint64_t seed, Run& run) {
        return anneal(scorer, constraints, Dag(std::move(start)),
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
      "perturb",
      [](const Scorer& scorer, const Constraints& constraints, ParentLists start,
         std::size_t rounds, double strength, std::size_t restarts, std::uint64_t seed, Run& run) {
        return perturb(
            scorer, constraints, Dag(std::move(start)),
            {.rounds = rounds, .strength = strength, .restarts = restarts, .seed = seed}, run);
      },
      nb::arg("scorer"), nb::arg("constraints"), nb::arg("start"), nb::arg("rounds"),
      nb::arg("strength"), nb::arg("restarts"), nb::arg("seed"), nb::arg("run"), release());
}
