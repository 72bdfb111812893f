#include "dagwright/data/encoder.hpp"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <thread>
#include <utility>

#include "bindings.hpp"
#include "dagwright/data/recode.hpp"

namespace dw = dagwright;
using namespace nb::literals;

namespace {

template <class T>
nb::ndarray<nb::numpy, T, nb::ndim<1>> to_numpy(dw::Buffer<T> values) {
  auto* kept = new dw::Buffer<T>(std::move(values));
  nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<dw::Buffer<T>*>(p); });
  return {kept->data(), {kept->size()}, owner};
}

nb::object codes_to_numpy(dw::OwnedCodes&& codes) {
  return std::visit([](auto& values) { return nb::cast(to_numpy(std::move(values))); }, codes);
}

nb::typed<nb::list, nb::bytes> to_bytes(const std::vector<std::string>& texts) {
  nb::typed<nb::list, nb::bytes> out;
  for (const std::string& text : texts) out.append(nb::bytes(text.data(), text.size()));
  return out;
}

std::pair<std::int64_t, std::vector<dw::EncodedVariable>> encode_stream(
    nb::capsule stream, const std::vector<std::string>& gathered, bool until_too_many,
    nb::ndarray<std::uint8_t, nb::ndim<2>, nb::c_contig, nb::device::cpu> room) {
  if (std::string_view(stream.name() == nullptr ? "" : stream.name()) != "arrow_array_stream") {
    throw nb::type_error("encode_stream needs a capsule named arrow_array_stream");
  }
  auto* source = static_cast<ArrowArrayStream*>(stream.data());
  if (source->release == nullptr) throw nb::value_error("the Arrow stream was already read");
  nb::gil_scoped_release without_gil;
  const auto look_for_ctrl_c = [](const dw::Progress&) {
    nb::gil_scoped_acquire gil;
    if (PyErr_CheckSignals() == 0) return dw::StopReason::none;
    PyErr_Clear();
    return dw::StopReason::interrupted;
  };
  dw::EncodedStream encoded = dw::encode_stream(
      *source, gathered, until_too_many, {room.data(), room.shape(0), room.shape(1)},
      std::max(1u, std::thread::hardware_concurrency()), look_for_ctrl_c);
  return {encoded.n_rows, std::move(encoded.variables)};
}

template <class Code>
void recode(nb::ndarray<Code, nb::ndim<1>, nb::c_contig, nb::device::cpu> codes,
            const std::vector<std::uint16_t>& new_code) {
  dw::recode(codes.data(), codes.size(), new_code);
}

}  // namespace

void bind_encoder(nb::module_& m) {
  nb::enum_<dw::ValueKind>(m, "ValueKind")
      .value("BOOLEAN", dw::ValueKind::kBoolean)
      .value("INTEGER", dw::ValueKind::kInteger)
      .value("UNSIGNED", dw::ValueKind::kUnsigned)
      .value("TEXT", dw::ValueKind::kText)
      .value("DATE", dw::ValueKind::kDate)
      .value("TIMESTAMP", dw::ValueKind::kTimestamp)
      .value("FLOAT", dw::ValueKind::kFloat)
      .value("NOTHING", dw::ValueKind::kNothing)
      .value("UNSUPPORTED", dw::ValueKind::kUnsupported);

  nb::class_<dw::EncodedVariable>(m, "EncodedVariable")
      .def_ro("name", &dw::EncodedVariable::name)
      .def_ro("format", &dw::EncodedVariable::format)
      .def_ro("kind", &dw::EncodedVariable::kind)
      .def_ro("keeps_unused", &dw::EncodedVariable::keeps_unused)
      .def_ro("keeps_order", &dw::EncodedVariable::keeps_order)
      .def_ro("too_many", &dw::EncodedVariable::too_many)
      .def_ro("integers", &dw::EncodedVariable::integers)
      .def_prop_ro("texts", [](const dw::EncodedVariable& v) { return to_bytes(v.texts); })
      .def_prop_ro("in_room",
                   [](const dw::EncodedVariable& v) {
                     const auto* narrow = std::get_if<dw::NarrowCodes>(&v.codes);
                     return narrow != nullptr && narrow->is_lent();
                   })
      .def("take_codes", [](dw::EncodedVariable& v) { return codes_to_numpy(std::move(v.codes)); },
           nb::sig("def take_codes(self) -> numpy.typing.NDArray[numpy.uint8 | numpy.uint16]"))
      .def("take_floats", [](dw::EncodedVariable& v) { return to_numpy(std::move(v.floats)); })
      .def("take_wholes", [](dw::EncodedVariable& v) { return to_numpy(std::move(v.wholes)); })
      .def("take_missing", [](dw::EncodedVariable& v) { return to_numpy(std::move(v.missing)); });

  m.def("encode_stream", &encode_stream, "stream"_a, "gathered"_a, "until_too_many"_a,
        nb::arg("room").noconvert(),
        "Number of rows, and the encoded variables of an Arrow stream.");
  using release = nb::call_guard<nb::gil_scoped_release>;
  // Never converted: a copy would be recoded, and the codes not.
  m.def("recode", &recode<std::uint8_t>, nb::arg("codes").noconvert(), "new_code"_a, release(),
        "Replace codes by new_code[codes], in place.");
  m.def("recode", &recode<std::uint16_t>, nb::arg("codes").noconvert(), "new_code"_a, release());
}
