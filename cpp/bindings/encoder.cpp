#include "dagwright/data/encoder.hpp"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <utility>

#include "bindings.hpp"

namespace dw = dagwright;
using namespace nb::literals;

namespace {

nb::object codes_to_numpy(dw::OwnedCodes&& codes) {
  return std::visit([](auto& values) { return nb::cast(to_numpy(std::move(values))); }, codes);
}

nb::typed<nb::list, nb::bytes> to_bytes(const std::vector<std::string>& texts) {
  nb::typed<nb::list, nb::bytes> out;
  for (const std::string& text : texts) out.append(nb::bytes(text.data(), text.size()));
  return out;
}

std::pair<std::int64_t, std::vector<dw::EncodedVariable>> encode_stream(
    nb::capsule stream, const std::vector<std::string>& gathered) {
  if (std::string_view(stream.name() == nullptr ? "" : stream.name()) != "arrow_array_stream") {
    throw nb::type_error("encode_stream needs a capsule named arrow_array_stream");
  }
  auto* source = static_cast<ArrowArrayStream*>(stream.data());
  if (source->release == nullptr) throw nb::value_error("the Arrow stream was already read");
  nb::gil_scoped_release without_gil;
  dw::EncodedStream encoded = dw::encode_stream(*source, gathered);
  return {encoded.n_rows, std::move(encoded.variables)};
}

template <class Code>
using CodeArray = nb::ndarray<const Code, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class Code>
nb::object recode(CodeArray<Code> codes, const std::vector<std::uint16_t>& new_code,
                  std::size_t n_states) {
  dw::OwnedCodes out;
  {
    nb::gil_scoped_release without_gil;
    out = dw::recode(codes.data(), codes.shape(0), new_code, n_states);
  }
  return codes_to_numpy(std::move(out));
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
      .def("take_codes", [](dw::EncodedVariable& v) { return codes_to_numpy(std::move(v.codes)); },
           nb::sig("def take_codes(self) -> numpy.typing.NDArray[numpy.uint8 | numpy.uint16]"))
      .def("take_floats", [](dw::EncodedVariable& v) { return to_numpy(std::move(v.floats)); })
      .def("take_wholes", [](dw::EncodedVariable& v) { return to_numpy(std::move(v.wholes)); })
      .def("take_missing", [](dw::EncodedVariable& v) { return to_numpy(std::move(v.missing)); });

  m.def("encode_stream", &encode_stream, "stream"_a, "gathered"_a,
        "Number of rows, and the encoded variables of an Arrow stream.");
  m.def("recode", &recode<std::uint8_t>, "codes"_a, "new_code"_a, "n_states"_a,
        nb::sig("def recode(codes: numpy.typing.NDArray[numpy.uint8], new_code: Sequence[int], "
                "n_states: int) -> numpy.typing.NDArray[numpy.uint8 | numpy.uint16]"),
        "new_code[codes], in the width that n_states asks for.");
  m.def("recode", &recode<std::uint16_t>, "codes"_a, "new_code"_a, "n_states"_a,
        nb::sig("def recode(codes: numpy.typing.NDArray[numpy.uint16], new_code: Sequence[int], "
                "n_states: int) -> numpy.typing.NDArray[numpy.uint8 | numpy.uint16]"));
}
