#include <nanobind/stl/function.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <optional>
#include <tuple>

#include "bindings.hpp"
#include "dagwright/data/count_bitmap.hpp"
#include "dagwright/data/count_extensions.hpp"
#include "dagwright/data/count_extensions_histogram.hpp"
#include "dagwright/data/count_pairs.hpp"
#include "dagwright/data/count_source.hpp"
#include "dagwright/data/counters.hpp"
#include "dagwright/data/time_counters.hpp"
#include "dagwright/data/weight_unit.hpp"

using namespace dagwright;

namespace {

using Narrow = nb::ndarray<const std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Wide = nb::ndarray<const std::uint16_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

using Weights = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

std::vector<double> to_vector(const Weights& weights) {
  return {weights.data(), weights.data() + weights.size()};
}

std::shared_ptr<Table> make_table(const std::vector<nb::object>& arrays,
                                  std::vector<Arity> arities, std::size_t n_rows,
                                  const Weights& weights) {
  // The arrays stay alive as long as the table; a chunk may end on a thread without the GIL.
  std::shared_ptr<std::vector<nb::object>> owner(new std::vector<nb::object>(arrays),
                                                 [](std::vector<nb::object>* p) {
                                                   nb::gil_scoped_acquire gil;
                                                   delete p;
                                                 });
  std::vector<Codes> codes;
  for (const nb::object& array : arrays) {
    Narrow narrow;
    Wide wide;
    Codes c;
    std::size_t size = 0;
    // Never converted: a copy in another type would lose bits, and be gone before the table.
    if (nb::try_cast(array, narrow, false)) {
      c.narrow = narrow.data();
      size = narrow.size();
    } else if (nb::try_cast(array, wide, false)) {
      c.wide = wide.data();
      size = wide.size();
    } else {
      throw nb::type_error("codes are contiguous uint8 or uint16 arrays");
    }
    if (size != n_rows) throw nb::value_error("one code a row is needed");
    codes.push_back(c);
  }
  return std::make_shared<Table>(std::move(codes), std::move(arities), n_rows, to_vector(weights),
                                 std::move(owner));
}

FamilyShape shape_of(const Table& table, Variable child, std::vector<Variable> parents) {
  FamilyShape shape;
  shape.child_arity = table.arity(child);
  for (const Variable parent : parents) shape.parent_arities.push_back(table.arity(parent));
  shape.family = {child, std::move(parents)};
  return shape;
}

const Kernels& kernels_named(const std::string& name) {
  for (const Kernels* kernels : available_kernels()) {
    if (name == kernels->name) return *kernels;
  }
  throw nb::value_error("this processor has no such kernels");
}

}  // namespace

void bind_counts(nb::module_& m) {
  const auto move = nb::rv_policy::move;
  nb::class_<ObservedCells>(m, "ObservedCells")
      .def_prop_ro(
          "config_states", [](const ObservedCells& o) { return to_numpy(o.config_states); }, move)
      .def_prop_ro(
          "config_totals", [](const ObservedCells& o) { return to_numpy(o.config_totals); }, move)
      .def_prop_ro(
          "cell_configs", [](const ObservedCells& o) { return to_numpy(o.cell_configs); }, move)
      .def_prop_ro(
          "cell_states", [](const ObservedCells& o) { return to_numpy(o.cell_states); }, move)
      .def_prop_ro(
          "cell_counts", [](const ObservedCells& o) { return to_numpy(o.cell_counts); }, move);

  nb::class_<FamilyCounts>(m, "FamilyCounts")
      .def_prop_ro("child", [](const FamilyCounts& c) { return c.shape().family.child; })
      .def_prop_ro("parents", [](const FamilyCounts& c) { return c.shape().family.parents; })
      .def_prop_ro("n_states", [](const FamilyCounts& c) { return c.shape().child_arity; })
      .def_prop_ro("parents_n_states", [](const FamilyCounts& c) { return c.shape().parent_arities; })
      .def_prop_ro("n_configs", [](const FamilyCounts& c) { return c.shape().n_configs(); })
      .def_prop_ro("total", &FamilyCounts::total)
      .def_prop_ro("is_dense", &FamilyCounts::is_dense)
      .def("observed", &FamilyCounts::observed);

  nb::class_<WeightUnit>(m, "WeightUnit")
      .def(nb::init<>())
      .def("add",
           [](WeightUnit& unit, const Weights& weights) {
             std::for_each_n(weights.data(), weights.size(), [&](double w) { unit.add(w); });
           },
           nb::arg("weights"))
      .def("add_rows",  // that count once each
           [](WeightUnit& unit, std::size_t n_rows) {
             for (std::size_t row = 0; row < n_rows; ++row) unit.add(1.0);
           },
           nb::arg("n_rows"))
      .def_prop_ro("value", &WeightUnit::value)
      .def("round",
           [](const WeightUnit& unit, const Weights& weights) {
             return to_numpy(unit.round(to_vector(weights)));
           },
           nb::arg("weights"));

  nb::class_<Table>(m, "Table")
      .def(nb::new_(&make_table), nb::arg("codes"), nb::arg("arities"), nb::arg("n_rows"),
           nb::arg("weights"))
      .def_prop_ro("total", &Table::total)
      .def("state_totals",
           [](const Table& table) {
             std::vector<std::vector<Count>> totals;
             for (Variable v = 0; v < table.n_variables(); ++v) {
               totals.push_back(table.state_totals(v));
             }
             return totals;
           },
           nb::call_guard<nb::gil_scoped_release>())
      .def("reordered", &Table::reordered, nb::arg("order"))
      .def(
          "count",
          [](const Table& table, Variable child, std::vector<Variable> parents,
             const std::string& counter) {
            const FamilyShape shape = shape_of(table, child, std::move(parents));
            Run run;
            if (counter == "dense") return count_dense(table, shape, run);
            if (counter == "sparse") return count_sparse(table, shape, run);
            if (counter == "naive") return count_naive(table, shape);
            throw nb::value_error("the counters are dense, sparse, naive");
          },
          nb::arg("child"), nb::arg("parents"), nb::arg("counter"),
          nb::call_guard<nb::gil_scoped_release>());

  // For tests: each instruction set that this processor has, and the counters that use them.
  m.def("kernel_sets", [] {
    std::vector<std::string> names;
    for (const Kernels* kernels : available_kernels()) names.emplace_back(kernels->name);
    return names;
  });
  m.def(
      "count_bitmap",
      [](const Table& table, Variable child, std::vector<Variable> parents,
         const std::string& kernels) -> std::optional<FamilyCounts> {
        const Bitmaps bitmaps(table, kernels_named(kernels));
        const FamilyShape shape = shape_of(table, child, std::move(parents));
        if (!can_count_bitmap(bitmaps, shape.family)) return std::nullopt;
        Run run;
        FamilyCounts counts;
        const Family* const family = &shape.family;
        const BatchPairs pairs(bitmaps, std::span(&family, 1), run);
        BitmapCounter(bitmaps, pairs, run).count(shape, counts);
        return counts;
      },
      nb::arg("table"), nb::arg("child"), nb::arg("parents"), nb::arg("kernels"),
      nb::call_guard<nb::gil_scoped_release>());
  m.def(
      "count_extensions",
      [](const Table& table, Variable child, std::vector<Variable> parents,
         const std::vector<Variable>& candidates, const std::string& kernels, unsigned threads,
         bool histogram) -> std::optional<std::vector<FamilyCounts>> {
        const Bitmaps bitmaps(table, kernels_named(kernels));
        const FamilyShape shape = shape_of(table, child, std::move(parents));
        if (!can_count_extensions(bitmaps, shape)) return std::nullopt;
        for (const Variable x : candidates) {
          if (!bitmaps.has(x)) return std::nullopt;
        }
        Run run(threads);
        std::vector<FamilyCounts> out(candidates.size());
        const auto use = [&](std::size_t i, const ExtensionCounts& counts) {
          out[i] = counts.family();
        };
        if (histogram) {
          count_extensions_histogram(table, shape, candidates, run, use);
        } else {
          ExtensionCounter counter(table, bitmaps);
          counter.begin(shape);
          counter.count(candidates, run, use);
        }
        return out;
      },
      nb::arg("table"), nb::arg("child"), nb::arg("parents"), nb::arg("candidates"),
      nb::arg("kernels"), nb::arg("threads"), nb::arg("histogram"),
      nb::call_guard<nb::gil_scoped_release>());

  // (v, w, counts of v's states by w's) for each pair, in whatever order they come.
  m.def(
      "count_pairs",
      [](const Table& table, Variable begin, Variable end, const std::string& kernels,
         unsigned threads) {
        const Bitmaps bitmaps(table, kernels_named(kernels));
        Run run(threads);
        std::mutex mutex;
        std::vector<std::tuple<Variable, Variable, std::vector<Count>>> out;
        count_pairs(bitmaps, table.arities(), begin, end, run,
                    [&](Variable v, Variable w, const PairCounts& counts) {
                      std::vector<Count> cells(std::size_t{table.arity(v)} * table.arity(w));
                      counts.for_each_cell([&](Count count, State s, State t) {
                        cells[s * table.arity(w) + t] = count;
                      });
                      const std::lock_guard lock(mutex);
                      out.emplace_back(v, w, std::move(cells));
                    });
        return out;
      },
      nb::arg("table"), nb::arg("begin"), nb::arg("end"), nb::arg("kernels"), nb::arg("threads"),
      nb::call_guard<nb::gil_scoped_release>());

  // For the benchmarks and the test of the cost model.
  nb::enum_<Counter>(m, "Counter")
      .value("bitmap", Counter::bitmap)
      .value("dense", Counter::dense)
      .value("sparse", Counter::sparse);
  m.def(
      "cheapest_counter",
      [](const Table& table, Variable child, std::vector<Variable> parents) {
        const Bitmaps bitmaps(table, best_kernels());
        const FamilyShape shape = shape_of(table, child, std::move(parents));
        const bool bitmap = can_count_bitmap(bitmaps, shape.family);
        return cheapest_counter(shape, table.n_rows(), bitmap ? bitmaps.planes().size() : 0,
                                bitmaps.kernels().word_cost);
      },
      nb::arg("table"), nb::arg("child"), nb::arg("parents"),
      nb::call_guard<nb::gil_scoped_release>());
  m.def(
      "seconds_to_count",
      [](const Table& table, Variable child, std::vector<Variable> parents, Counter counter) {
        return seconds_to_count(table, shape_of(table, child, std::move(parents)), counter);
      },
      nb::arg("table"), nb::arg("child"), nb::arg("parents"), nb::arg("counter"),
      nb::call_guard<nb::gil_scoped_release>());
  m.def(
      "seconds_one_against_all",
      [](const Table& table, Variable child, std::vector<Variable> parents,
         const std::vector<Variable>& candidates) {
        const auto seconds = seconds_one_against_all(
            table, shape_of(table, child, std::move(parents)), candidates);
        return std::tuple(seconds.counted, seconds.bare_loop);
      },
      nb::arg("table"), nb::arg("child"), nb::arg("parents"), nb::arg("candidates"),
      nb::call_guard<nb::gil_scoped_release>());

  nb::class_<CountSource>(m, "CountSource")
      .def_prop_ro("n_rows", &CountSource::n_rows)
      .def_prop_ro("total", &CountSource::total)
      .def_prop_ro("arities", &CountSource::arities)
      .def(
          "reweighted",
          [](const CountSource& source, const Weights& weights) {
            return source.reweighted(to_vector(weights));
          },
          nb::arg("weights"), nb::call_guard<nb::gil_scoped_release>())
      .def(
          "count",
          [](const CountSource& source, Variable child, std::vector<Variable> parents, Run& run) {
            const Family family{child, std::move(parents)};
            std::optional<FamilyCounts> result;
            source.count(std::span(&family, 1), run,
                         [&](std::size_t, const FamilyCounts& counts) { result = counts; });
            return *result;
          },
          nb::arg("child"), nb::arg("parents"), nb::arg("run"),
          nb::call_guard<nb::gil_scoped_release>())
      .def(
          "count_all",  // the families in one pass
          [](const CountSource& source,
             const std::vector<std::pair<Variable, std::vector<Variable>>>& families, Run& run) {
            std::vector<Family> wanted;
            for (const auto& [child, parents] : families) wanted.push_back({child, parents});
            std::vector<FamilyCounts> counts(wanted.size());
            source.count(wanted, run,
                         [&](std::size_t i, const FamilyCounts& own) { counts[i] = own; });
            return counts;
          },
          nb::arg("families"), nb::arg("run"), nb::call_guard<nb::gil_scoped_release>());

  nb::class_<TableSource, CountSource>(m, "TableSource")
      .def(nb::new_([](std::shared_ptr<Table> table) {
             nb::gil_scoped_release release;
             return std::make_shared<TableSource>(std::move(table));
           }),
           nb::arg("table"));

  // `chunks` is called once a pass and gives an iterable of Table.
  nb::class_<ChunkedSource, CountSource>(m, "ChunkedSource")
      .def(nb::new_([](std::vector<Arity> arities, nb::callable chunks) {
             std::shared_ptr<nb::callable> kept(new nb::callable(std::move(chunks)),
                                                [](nb::callable* p) {
                                                  nb::gil_scoped_acquire gil;
                                                  delete p;
                                                });
             nb::gil_scoped_release release;
             return std::make_shared<ChunkedSource>(
                 std::move(arities), [kept](const std::function<void(const Table&)>& visit) {
                   nb::gil_scoped_acquire gil;
                   for (nb::handle chunk : nb::iter((*kept)())) {
                     const auto& table = nb::cast<const Table&>(chunk);
                     nb::gil_scoped_release during;
                     visit(table);
                   }
                 });
           }),
           nb::arg("arities"), nb::arg("chunks"));
}
