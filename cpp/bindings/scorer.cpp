#include "dagwright/score/scorer.hpp"

#include <nanobind/operators.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>

#include "bindings.hpp"
#include "dagwright/score/fingerprint.hpp"

using namespace dagwright;

namespace {

using FamilyTuple = std::pair<Variable, std::vector<Variable>>;

Family to_family(FamilyTuple tuple) { return {tuple.first, std::move(tuple.second)}; }

// Families as Python names them, kept for the core to work on while other threads run Python.
struct Families {
  std::vector<Family> list;
};

// The numbers that a dict has for names. Names mostly are the same objects again, which is seen at once. Of plain
// strings no Python runs, so that none can go meanwhile and leave its place to another.
class NumbersOfNames {
 public:
  explicit NumbersOfNames(const nb::dict& numbers) : numbers_(numbers) {}

  // False where the dict has none, or the name is no plain string.
  bool find(nb::handle name, Variable& out) {
    if (!PyUnicode_CheckExact(name.ptr())) return false;
    Known& known = known_[reinterpret_cast<std::uintptr_t>(name.ptr()) / 16 % known_.size()];
    if (known.name != name.ptr()) {
      PyObject* const number = PyDict_GetItemWithError(numbers_.ptr(), name.ptr());
      if (number == nullptr) {
        PyErr_Clear();
        return false;
      }
      known = {name.ptr(), nb::cast<Variable>(nb::handle(number))};
    }
    out = known.number;
    return true;
  }

  bool find_all(nb::handle names, std::vector<Variable>& out) {
    const auto each = [&](const auto& sequence) {
      out.resize(nb::len(sequence));
      for (std::size_t i = 0; i < out.size(); ++i) {
        if (!find(sequence[i], out[i])) return false;
      }
      return true;
    };
    if (nb::isinstance<nb::tuple>(names)) return each(nb::borrow<nb::tuple>(names));
    if (nb::isinstance<nb::list>(names)) return each(nb::borrow<nb::list>(names));
    return false;
  }

 private:
  struct Known {
    PyObject* name = nullptr;
    Variable number = 0;
  };
  const nb::dict& numbers_;
  std::array<Known, 1024> known_;
};

// None unless every pair is plainly right: (name, tuple or list of other, distinct names). Thousands
// come at a time; Python looks closer at what is not, and says what is wrong with it.
std::optional<Families> families_by_name(const nb::dict& numbers, const nb::list& pairs) {
  Families families;
  families.list.resize(nb::len(pairs));
  NumbersOfNames known(numbers);
  for (std::size_t i = 0; i < families.list.size(); ++i) {
    const nb::handle pair = pairs[i];
    if (!nb::isinstance<nb::tuple>(pair) || nb::len(pair) != 2) return std::nullopt;
    const auto both = nb::borrow<nb::tuple>(pair);
    auto& [child, parents] = families.list[i];
    if (!known.find(both[0], child) || !known.find_all(both[1], parents)) return std::nullopt;
    std::sort(parents.begin(), parents.end());
    if (std::adjacent_find(parents.begin(), parents.end()) != parents.end() ||
        std::binary_search(parents.begin(), parents.end(), child)) {
      return std::nullopt;
    }
  }
  return families;
}

Families families_of_graph(const std::vector<std::vector<Variable>>& parents,
                           const std::vector<Variable>& numbers) {
  Families families;
  families.list.resize(parents.size());
  for (std::size_t i = 0; i < parents.size(); ++i) {
    Family& family = families.list[i];
    family.child = numbers.at(i);
    for (const Variable parent : parents[i]) family.parents.push_back(numbers.at(parent));
    std::sort(family.parents.begin(), family.parents.end());
  }
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

  // For tests.
  nb::class_<Fingerprint>(m, "Fingerprint")
      .def(nb::init<>())
      .def_ro("low", &Fingerprint::low)
      .def_ro("high", &Fingerprint::high)
      .def_static("of_member", &Fingerprint::of_member, nb::arg("number"))
      .def_static(
          "of_sets",
          [](nb::ndarray<const Variable, nb::ndim<2>, nb::c_contig, nb::device::cpu> sets) {
            std::vector<std::uint64_t> low, high;
            for (std::size_t i = 0; i < sets.shape(0); ++i) {
              const auto members = std::span(sets.data() + i * sets.shape(1), sets.shape(1));
              const Fingerprint set = Fingerprint::of_set(members);
              low.push_back(set.low);
              high.push_back(set.high);
            }
            return std::pair(to_numpy(std::move(low)), to_numpy(std::move(high)));
          },
          nb::arg("sets"), "The low and high words of many sets of one size, a set a row.")
      .def(nb::self + nb::self)
      .def(nb::self - nb::self)
      .def(nb::self == nb::self, nb::sig("def __eq__(self, arg: object, /) -> bool"));

  nb::class_<ScorerStats>(m, "ScorerStats")
      .def_ro("asked", &ScorerStats::asked)
      .def_ro("counted", &ScorerStats::counted)
      .def_ro("cached", &ScorerStats::cached)
      .def_ro("cache_bytes", &ScorerStats::cache_bytes);

  nb::class_<Families>(m, "Families")
      .def(nb::new_([](std::vector<FamilyTuple> numbered) {
             Families families;
             for (auto& family : numbered) families.list.push_back(to_family(std::move(family)));
             return families;
           }),
           nb::arg("numbered"))
      .def_static("by_name", &families_by_name, nb::arg("numbers"), nb::arg("pairs"))
      .def_static("of_graph", &families_of_graph, nb::arg("parents"), nb::arg("numbers"),
                  "The families of a graph whose nodes have other numbers here.");

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
          [](const Scorer& scorer, const Families& families, Run& run) {
            std::vector<double> scores;
            {
              const nb::gil_scoped_release released;
              scores = scorer.local(families.list, run);
            }
            return to_numpy(std::move(scores));
          },
          nb::arg("families"), nb::arg("run"))
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
          "upper_bounds",
          [](const Scorer& scorer, const Families& families, Run& run) {
            return scorer.upper_bounds(families.list, run);
          },
          nb::arg("families"), nb::arg("run"), release())
      .def(
          "drop_hopeless",
          [](const Scorer& scorer, FamilyTuple family, double score, const std::vector<double>& information,
             std::vector<Variable> candidates) {
            const Family asked = to_family(std::move(family));
            scorer.log_prior(asked);  // throws if there is no such family
            const auto is_none = [&](Variable x) { return x >= scorer.n_variables(); };
            if (information.size() != scorer.n_variables() || std::any_of(candidates.begin(), candidates.end(), is_none))
              throw std::invalid_argument("no such variable");
            scorer.drop_hopeless(asked, score, information, candidates);
            return candidates;
          },
          nb::arg("family"), nb::arg("score"), nb::arg("information"), nb::arg("candidates"), release())
      .def(
          "log_prior",
          [](const Scorer& scorer, FamilyTuple family) {
            return scorer.log_prior(to_family(std::move(family)));
          },
          nb::arg("family"), release())
      .def("stats", &Scorer::stats);
}
