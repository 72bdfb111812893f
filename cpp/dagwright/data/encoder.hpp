// Encodes a stream of Arrow record batches: for each variable its distinct values and, row by row,
// codes into them. What the values mean (dates, sorted states, refusals) is decided by the caller.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "dagwright/base/run.hpp"
#include "dagwright/data/arrow.hpp"
#include "dagwright/data/buffer.hpp"

namespace dagwright {

using NarrowCodes = Buffer<std::uint8_t>;
using WideCodes = Buffer<std::uint16_t>;
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

  Buffer<double> floats;              // gathered numbers, one a row; NaN where missing
  Buffer<std::int64_t> wholes;        // likewise for integers; 0 where missing
  std::vector<std::int64_t> missing;  // rows without a value, ascending
};

struct EncodedStream {
  std::int64_t n_rows = 0;
  std::vector<EncodedVariable> variables;
};

// Memory for narrow codes, of which each variable has `n_rows`: one large piece costs the system far
// less than many small ones.
struct Room {
  std::uint8_t* codes = nullptr;
  std::size_t n_variables = 0;
  std::size_t n_rows = 0;
};

// Reads the stream to its end, batch by batch, so that no more than the codes and one batch is in
// memory; or until a variable has too many values, if so asked. Integer variables named in
// `gathered` come back as numbers, not codes. Codes stay in the room as long as they fit. Throws
// std::runtime_error when the stream fails or is no stream of record batches, and Stopped when
// `report`, which is asked during large batches, says so.
EncodedStream encode_stream(ArrowArrayStream& stream, const std::vector<std::string>& gathered,
                            bool until_too_many, Room room, unsigned threads,
                            const Run::Report& report);

}  // namespace dagwright
