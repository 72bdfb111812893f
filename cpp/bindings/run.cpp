#include "dagwright/base/run.hpp"

#include <nanobind/stl/optional.h>

#include <limits>
#include <memory>
#include <optional>

#include "bindings.hpp"

using namespace dagwright;

namespace {

StopReason interrupted_or_throw() {
  if (!PyErr_ExceptionMatches(PyExc_KeyboardInterrupt)) throw nb::python_error();
  PyErr_Clear();
  return StopReason::interrupted;
}

// Looks for Ctrl-C, then asks the Python side whether to go on.
Run::Report reporter(std::optional<nb::callable> report) {
  // Python objects are let go with the GIL held, on whatever thread the run ends.
  std::shared_ptr<nb::callable> kept(report ? new nb::callable(*report) : nullptr,
                                     [](nb::callable* p) {
                                       nb::gil_scoped_acquire gil;
                                       delete p;
                                     });
  return [kept](const Progress& progress) {
    nb::gil_scoped_acquire gil;
    if (PyErr_CheckSignals() != 0) return interrupted_or_throw();
    if (!kept) return StopReason::none;
    PyObject* answer =
        PyObject_CallFunctionObjArgs(kept->ptr(), nb::cast(progress).ptr(), nullptr);
    if (answer == nullptr) return interrupted_or_throw();
    const int stop = PyObject_IsTrue(answer);
    Py_DECREF(answer);
    if (stop < 0) throw nb::python_error();
    return stop ? StopReason::callback : StopReason::none;
  };
}

}  // namespace

void bind_run(nb::module_& m) {
  nb::enum_<StopReason>(m, "StopReason")
      .value("none", StopReason::none)
      .value("time_limit", StopReason::time_limit)
      .value("callback", StopReason::callback)
      .value("interrupted", StopReason::interrupted)
      .value("failed", StopReason::failed);

  nb::class_<Progress>(m, "Progress")
      .def_rw("step", &Progress::step)
      .def_rw("families_scored", &Progress::families_scored)
      .def_rw("score", &Progress::score)
      .def_rw("seconds", &Progress::seconds);

  m.def("end_spare_threads", &ThreadPool::end_spare);
  nb::class_<Run>(m, "Run")
      .def(
          "__init__",
          [](Run* self, unsigned threads, double time_limit, std::optional<nb::callable> report) {
            new (self) Run(threads, time_limit, reporter(std::move(report)));
          },
          nb::arg("threads") = 1u,
          nb::arg("time_limit") = std::numeric_limits<double>::infinity(),
          nb::arg("report") = nb::none())
      .def("poll", &Run::poll, nb::call_guard<nb::gil_scoped_release>())
      .def_prop_ro("stopping", &Run::stopping)
      .def_prop_ro("reason", &Run::reason)
      .def_prop_ro("seconds", &Run::seconds)
      .def_ro("progress", &Run::progress);
}
