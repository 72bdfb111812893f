// Encodes a stream of Arrow record batches: for each variable its distinct values and, row by row,
// codes into them. What the values mean (dates, sorted states, refusals) is decided by the caller.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "dagwright/data/arrow.hpp"

namespace dagwright {

using NarrowCodes = std::vector<std::uint8_t>;
using WideCodes = std::vector<std::uint16_t>;
using OwnedCodes = std::variant<NarrowCodes, WideCodes>;

enum class ValueKind : std::uint8_t {
  kBoolean,
  kInteger,    // integers hold int64
  kUnsigned,   // integers hold the bits of uint64
  kText,
  kDate,       // integers hold days since 1970-01-01
  kTimestamp,  // integers hold units of `format` since 1970-01-01
  kFloat,      // never encoded: all numbers are gathered
  kNothing,    // Arrow's null type: every row is missing
  kUnsupported,
};

struct EncodedVariable {
  std::string name;
  std::string format;  // the Arrow format of the values; an extension type gives its name instead
  ValueKind kind = ValueKind::kUnsupported;
  bool keeps_unused = false;  // a dictionary declared the values, seen or not
  bool keeps_order = false;   // and all its chunks agree on their order
  bool too_many = false;      // more than kMaxArity distinct values: codes are incomplete

  OwnedCodes codes;  // 0 where missing; narrow to 256 values; empty when gathered
  std::vector<std::int64_t> integers;  // distinct values; which order they have means nothing
  std::vector<std::string> texts;

  std::vector<double> floats;         // gathered numbers, one a row; NaN where missing
  std::vector<std::int64_t> wholes;   // likewise for integers; 0 where missing
  std::vector<std::int64_t> missing;  // rows without a value, ascending
};

struct EncodedStream {
  std::int64_t n_rows = 0;
  std::vector<EncodedVariable> variables;
};

// Reads the stream to its end. Integer variables named in `gathered` come back as numbers, not
// codes. Throws std::runtime_error when the stream fails or is no stream of record batches.
EncodedStream encode_stream(ArrowArrayStream& stream, const std::vector<std::string>& gathered);

// codes[i] -> new_code[codes[i]], narrow when n_states <= 256. OwnedCodes without an entry become 0.
OwnedCodes recode(const std::uint8_t* codes, std::size_t n_rows,
             const std::vector<std::uint16_t>& new_code, std::size_t n_states);
OwnedCodes recode(const std::uint16_t* codes, std::size_t n_rows,
             const std::vector<std::uint16_t>& new_code, std::size_t n_states);

}  // namespace dagwright
