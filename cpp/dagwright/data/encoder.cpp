#include "dagwright/data/encoder.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <type_traits>
#include <utility>

#include "dagwright/base/types.hpp"
#include "dagwright/data/arrow_readers.hpp"
#include "dagwright/data/integer_window.hpp"
#include "dagwright/data/short_texts.hpp"
#include "dagwright/data/value_index.hpp"

namespace dagwright {
namespace {

using namespace arrow;

// Calls the producer's release, whatever happens in between.
template <class T>
struct Owned {
  T value{};
  Owned() = default;
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  ~Owned() {
    if (value.release != nullptr) value.release(&value);
  }
};

struct Type {
  ValueKind kind = ValueKind::kUnsupported;
  Layout layout = Layout::kNone;
};

Type type_of(std::string_view format) {
  using enum ValueKind;
  if (format.size() == 1) {
    switch (format[0]) {
      case 'n': return {kNothing, Layout::kNone};
      case 'b': return {kBoolean, Layout::kBits};
      case 'c': return {kInteger, Layout::kInt8};
      case 'C': return {kInteger, Layout::kUInt8};
      case 's': return {kInteger, Layout::kInt16};
      case 'S': return {kInteger, Layout::kUInt16};
      case 'i': return {kInteger, Layout::kInt32};
      case 'I': return {kInteger, Layout::kUInt32};
      case 'l': return {kInteger, Layout::kInt64};
      case 'L': return {kUnsigned, Layout::kUInt64};
      case 'f': return {kFloat, Layout::kFloat32};
      case 'g': return {kFloat, Layout::kFloat64};
      case 'u': return {kText, Layout::kUtf8};
      case 'U': return {kText, Layout::kLargeUtf8};
      default: return {};
    }
  }
  if (format == "vu") return {kText, Layout::kUtf8View};
  if (format == "tdD") return {kDate, Layout::kInt32};
  if (format == "tdm") return {kDate, Layout::kMillisecondDates};
  if (format.starts_with("ts")) return {kTimestamp, Layout::kInt64};
  return {};
}

// One entry of a schema's metadata: pairs of length-prefixed strings in native byte order.
template <class Visit>
void visit_metadata(const char* metadata, const Visit& visit) {
  if (metadata == nullptr) return;
  const auto text = [&metadata]() {
    const auto size = static_cast<std::size_t>(detail::load<std::int32_t>(metadata));
    const std::string_view view(metadata + sizeof(std::int32_t), size);
    metadata += sizeof(std::int32_t) + size;
    return view;
  };
  const auto n_pairs = detail::load<std::int32_t>(metadata);
  metadata += sizeof(std::int32_t);
  for (std::int32_t pair = 0; pair < n_pairs; ++pair) {
    const std::string_view key = text();
    visit(key, text());
  }
}

std::string extension_name(const ArrowSchema& schema) {
  std::string name;
  visit_metadata(schema.metadata, [&](std::string_view key, std::string_view value) {
    if (key == "ARROW:extension:name") name = value;
  });
  return name;
}

// A polars Categorical numbers its values by first sight: an encoding, not a declaration.
bool is_undeclared_dictionary(const ArrowSchema& schema) {
  bool found = false;
  visit_metadata(schema.metadata, [&](std::string_view key, std::string_view) {
    found = found || key.starts_with("_PL_CATEGORICAL");
  });
  return found;
}

constexpr std::uint32_t kMissing = std::numeric_limits<std::uint32_t>::max();
constexpr std::int64_t kBlock = 4096;  // rows that are encoded together; they stay in the cache
constexpr double kWorthThreads = 1 << 18;  // values of a batch; fewer take less than starting threads

// OwnedCodes of the entries of one chunk's dictionary, found when first needed. It looks like an index
// whose keys are the entries' positions.
template <class Read, class Index>
class DictionaryIndex {
 public:
  DictionaryIndex(const Read& read, const Stretch& entries, Index& index)
      : read_(read),
        valid_(entries),
        index_(index),
        codes_(static_cast<std::size_t>(entries.length), kUnread) {}

  std::uint32_t code(std::int64_t entry) {
    if (entry < 0 || entry >= static_cast<std::int64_t>(codes_.size())) {
      throw std::runtime_error("an index points outside of its Arrow dictionary");
    }
    std::uint32_t& known = codes_[static_cast<std::size_t>(entry)];
    if (known == kUnread) known = valid_[entry] ? index_.code(read_(entry)) : kMissing;
    return known;
  }

  // The code of each entry, if all have one that a byte can hold; empty otherwise.
  std::vector<std::uint8_t> narrow_codes() const {
    if (!std::ranges::all_of(codes_, [](std::uint32_t code) { return code < 256; })) return {};
    std::vector<std::uint8_t> narrow(codes_.size());
    std::ranges::transform(codes_, narrow.begin(),
                           [](std::uint32_t code) { return static_cast<std::uint8_t>(code); });
    return narrow;
  }

  // Gives every entry a code. False when the entries come in another order than in the chunks
  // before: codes count up with first sight, so entries in the same order count up too.
  bool declare_all() {
    std::uint32_t next = 0;
    for (std::size_t entry = 0; entry < codes_.size(); ++entry) {
      const std::uint32_t known = code(static_cast<std::int64_t>(entry));
      if (known == kMissing || known < next) continue;
      if (known > next) return false;
      ++next;
    }
    return true;
  }

 private:
  static constexpr std::uint32_t kUnread = kMissing - 1;
  const Read& read_;
  Validity valid_;
  Index& index_;
  std::vector<std::uint32_t> codes_;
};

// Writes codes until the end or the first code that `Code` cannot hold; returns where it stopped.
template <class Code, class Read, class Index>
std::int64_t encode_rows(const Read& read, const Validity& valid, Index& index, Code* __restrict codes,
                         std::int64_t begin, std::int64_t end, std::int64_t first_row,
                         std::vector<std::int64_t>& missing) {
  for (std::int64_t row = begin; row < end; ++row) {
    const std::uint32_t code = valid[row] ? index.code(read(row)) : kMissing;
    if (code > std::numeric_limits<Code>::max()) {
      if (code != kMissing) return row;
      missing.push_back(first_row + row);
      codes[row] = 0;
      continue;
    }
    codes[row] = static_cast<Code>(code);
  }
  return end;
}

class VariableEncoder {
 public:
  VariableEncoder(const ArrowSchema& schema, const std::vector<std::string>& gathered) {
    out_.name = schema.name == nullptr ? "" : schema.name;
    const ArrowSchema& values = schema.dictionary == nullptr ? schema : *schema.dictionary;
    out_.format = values.format;
    type_ = values.dictionary == nullptr || &values == &schema ? type_of(values.format) : Type{};
    for (const ArrowSchema* part : {&schema, &values}) {
      const std::string extension = extension_name(*part);
      // The numbers of an unknown type mean something else than numbers; text stays text.
      if (extension.empty() || type_.kind == ValueKind::kText) continue;
      out_.format = extension;
      type_ = {};
    }
    out_.kind = type_.kind;
    gathers_ = std::ranges::find(gathered, out_.name) != gathered.end();
    if (schema.dictionary != nullptr) {
      index_layout_ = type_of(schema.format).layout;
      out_.keeps_unused = out_.keeps_order = !is_undeclared_dictionary(schema);
      uses_window_ = false;  // the order of the dictionary counts, not that of the integers
    }
  }

  void begin_in(NarrowCodes room) { out_.codes = std::move(room); }

  void append(const Stretch& rows, std::int64_t first_row) {
    if (out_.kind == ValueKind::kUnsupported || out_.too_many) return;
    if (out_.kind == ValueKind::kNothing) return append_missing(rows.length, first_row);
    if (index_layout_ != Layout::kNone) return append_dictionary(rows, first_row);
    if (rows.length == 0) return;
    const Validity valid(rows);
    with_values(type_.layout, rows, [&](const auto& read) {
      using Value = ValueOf<decltype(read)>;
      if constexpr (std::is_same_v<Value, Text>) {
        make_room(first_row + rows.length);
        encode_texts(read, valid, rows.length, first_row);
      } else if (gathers<Value>()) {
        gather(rows.length, first_row,
               [&](std::int64_t row) { return std::pair{valid[row], valid[row] ? read(row) : 0}; });
      } else if constexpr (std::is_same_v<Value, std::int64_t>) {
        make_room(first_row + rows.length);
        encode_integers(read, valid, rows.length, first_row);
      }
    });
  }

  bool too_many() const { return out_.too_many; }

  EncodedVariable finish() {
    if (uses_window_) leave_window();
    out_.integers = integers_.take_keys();
    out_.texts = texts_.take_keys();
    std::visit([](auto& codes) { codes.fit(); }, out_.codes);
    out_.floats.fit();
    out_.wholes.fit();
    return std::move(out_);
  }

 private:
  template <class Value>
  bool gathers() const {
    const bool is_number = out_.kind == ValueKind::kInteger || out_.kind == ValueKind::kUnsigned;
    return std::is_same_v<Value, double> || (gathers_ && is_number);
  }

  void append_missing(std::int64_t length, std::int64_t first_row) {
    make_room(first_row + length);
    for (std::int64_t row = first_row; row < first_row + length; ++row) {
      out_.missing.push_back(row);
      std::get<NarrowCodes>(out_.codes)[static_cast<std::size_t>(row)] = 0;
    }
  }

  void append_dictionary(const Stretch& rows, std::int64_t first_row) {
    if (rows.array.dictionary == nullptr) {
      throw std::runtime_error("an Arrow dictionary array comes without its dictionary");
    }
    const ArrowArray& dictionary = *rows.array.dictionary;
    const Stretch entries{dictionary, dictionary.offset, dictionary.length};
    if (rows.length == 0 && entries.length == 0) return;
    const Validity valid(rows);
    with_values(type_.layout, entries, [&](const auto& read) {
      using Value = ValueOf<decltype(read)>;
      if constexpr (std::is_same_v<Value, Text>) {
        encode_dictionary(read, entries, texts_, valid, rows, first_row);
      } else if (gathers<Value>()) {
        gather_dictionary(read, entries, valid, rows, first_row);
      } else if constexpr (std::is_same_v<Value, std::int64_t>) {
        encode_dictionary(read, entries, integers_, valid, rows, first_row);
      }
    });
  }

  template <class Read, class Index>
  void encode_dictionary(const Read& read, const Stretch& entries, Index& index,
                         const Validity& valid, const Stretch& rows, std::int64_t first_row) {
    DictionaryIndex<Read, Index> known(read, entries, index);
    if (out_.keeps_unused && !known.declare_all()) out_.keeps_order = false;
    if (rows.length == 0) return;
    make_room(first_row + rows.length);
    const std::vector<std::uint8_t> narrow = known.narrow_codes();
    with_integers(index_layout_, rows, [&](const auto& entry) {
      for (std::int64_t begin = 0; begin < rows.length && !out_.too_many; begin += kBlock) {
        const std::int64_t end = std::min(begin + kBlock, rows.length);
        if (!valid.all(begin, end) || !look_up(narrow, entry.values, begin, end, first_row)) {
          encode(entry, known, valid, begin, end, first_row);
        }
      }
    });
  }

  // Encodes rows without missing values by their dictionary's codes; false if it cannot.
  template <class T>
  bool look_up(const std::vector<std::uint8_t>& codes_of_entries, const T* entries, std::int64_t begin,
               std::int64_t end, std::int64_t first_row) {
    auto* codes = std::get_if<NarrowCodes>(&out_.codes);
    if (codes == nullptr || codes_of_entries.empty()) return false;
    using Position = std::make_unsigned_t<T>;  // a negative one becomes a great one
    Position last = 0;
    for (std::int64_t row = begin; row < end; ++row) {
      last = std::max(last, static_cast<Position>(entries[row]));
    }
    if (last >= codes_of_entries.size()) return false;
    std::uint8_t* __restrict out = codes->data() + first_row;
    const std::uint8_t* __restrict table = codes_of_entries.data();
    // As a rule the first dictionary is the only one, and positions are codes.
    bool positions_are_codes = true;
    for (std::size_t at = 0; at <= last; ++at) {
      positions_are_codes = positions_are_codes && table[at] == at;
    }
    for (std::int64_t row = begin; row < end; ++row) {
      const auto position = static_cast<Position>(entries[row]);
      out[row] = positions_are_codes ? static_cast<std::uint8_t>(position) : table[position];
    }
    return true;
  }

  template <class Read>
  void gather_dictionary(const Read& read, const Stretch& entries, const Validity& valid,
                         const Stretch& rows, std::int64_t first_row) {
    if (rows.length == 0) return;
    const Validity valid_entry(entries);
    using Value = ValueOf<Read>;
    with_integers(index_layout_, rows, [&](const auto& entry) {
      gather(rows.length, first_row, [&](std::int64_t row) {
        if (!valid[row]) return std::pair{false, Value{}};
        const std::int64_t at = entry(row);
        if (at < 0 || at >= entries.length) {
          throw std::runtime_error("an index points outside of its Arrow dictionary");
        }
        return valid_entry[at] ? std::pair{true, read(at)} : std::pair{false, Value{}};
      });
    });
  }

  // number(row) gives whether there is one, and the number.
  template <class Number>
  void gather(std::int64_t length, std::int64_t first_row, const Number& number) {
    using Value = typename std::invoke_result_t<Number, std::int64_t>::second_type;
    const auto size = static_cast<std::size_t>(first_row + length);
    if constexpr (std::is_same_v<Value, double>) {
      out_.floats.resize(size);
    } else {
      out_.wholes.resize(size);
    }
    for (std::int64_t row = 0; row < length; ++row) {
      auto [present, value] = number(row);
      const auto at = static_cast<std::size_t>(first_row + row);
      if constexpr (std::is_same_v<Value, double>) {
        present = present && !std::isnan(value);
        out_.floats[at] = present ? value : std::numeric_limits<double>::quiet_NaN();
      } else {
        out_.wholes[at] = value;
      }
      if (!present) out_.missing.push_back(first_row + row);
    }
  }

  void make_room(std::int64_t n_rows) {
    const auto size = static_cast<std::size_t>(n_rows);
    std::visit([size](auto& codes) { codes.resize(size); }, out_.codes);
  }

  // Texts go through the table of short ones where they can, block by block, else through the index.
  template <class Read>
  void encode_texts(const Read& read, const Validity& valid, std::int64_t length,
                    std::int64_t first_row) {
    for (std::int64_t begin = 0; begin < length && !out_.too_many; begin += kBlock) {
      const std::int64_t end = std::min(begin + kBlock, length);
      auto* narrow = std::get_if<NarrowCodes>(&out_.codes);
      std::int64_t rest = begin;
      if (narrow != nullptr && valid.all(begin, end)) {
        rest = read.short_end(begin, end);
        if (!short_texts_.encode(read, begin, rest, narrow->data() + first_row)) rest = begin;
      }
      if (rest == end) continue;
      encode(read, texts_, valid, rest, end, first_row);
      short_texts_.learn(texts_.prints(), Read::kShort);
    }
  }

  // Integers go through the window as long as they fit, block by block, then through the index.
  template <class Read>
  void encode_integers(const Read& read, const Validity& valid, std::int64_t length,
                       std::int64_t first_row) {
    for (std::int64_t begin = 0; begin < length && !out_.too_many; begin += kBlock) {
      const std::int64_t end = std::min(begin + kBlock, length);
      if (uses_window_ && encode_block(read, valid, begin, end, first_row)) continue;
      if (uses_window_) leave_window();
      encode(read, integers_, valid, begin, end, first_row);
    }
  }

  template <class Read>
  bool encode_block(const Read& read, const Validity& valid, std::int64_t begin, std::int64_t end,
                    std::int64_t first_row) {
    using Raw = typename Read::Raw;
    const std::int64_t n = end - begin;
    std::array<Raw, kBlock> space;
    const Raw* values = read.block(begin, n, space.data());
    const bool complete = valid.all(begin, end);
    if (!complete) {  // what lies in a missing row is arbitrary: put the value before it there
      std::int64_t first_valid = begin;
      while (first_valid < end && !valid[first_valid]) ++first_valid;
      if (first_valid == end) {
        mark_missing(valid, begin, end, first_row);
        return true;
      }
      Raw before = values[first_valid - begin];
      for (std::int64_t row = 0; row < n; ++row) {
        if (valid[begin + row]) before = values[row];
        space[static_cast<std::size_t>(row)] = before;
      }
      values = space.data();
    }
    if (!window_.placed()) {
      const auto [low, high] = std::minmax_element(values, values + n, [](Raw a, Raw b) {
        return static_cast<std::int64_t>(a) < static_cast<std::int64_t>(b);
      });
      const auto lowest = static_cast<std::int64_t>(*low);
      if (!window_.place<Raw>(lowest, static_cast<std::int64_t>(*high))) return false;
    }
    std::uint8_t* codes = std::get<NarrowCodes>(out_.codes).data() + first_row + begin;
    if (!window_.encode(values, n, codes)) return false;
    if (!complete) mark_missing(valid, begin, end, first_row);
    return true;
  }

  void mark_missing(const Validity& valid, std::int64_t begin, std::int64_t end,
                    std::int64_t first_row) {
    auto& codes = std::get<NarrowCodes>(out_.codes);
    for (std::int64_t row = begin; row < end; ++row) {
      if (valid[row]) continue;
      out_.missing.push_back(first_row + row);
      codes[static_cast<std::size_t>(first_row + row)] = 0;
    }
  }

  // The index takes over the integers of the window, and the codes what it says.
  void leave_window() {
    uses_window_ = false;
    if (!window_.placed()) return;
    window_.compact(std::get<NarrowCodes>(out_.codes));
    for (const std::int64_t integer : window_.integers()) integers_.code(integer);
  }

  template <class Read, class Index>
  void encode(const Read& read, Index& index, const Validity& valid, std::int64_t begin,
              std::int64_t end, std::int64_t first_row) {
    std::int64_t done = begin;
    if (auto* narrow = std::get_if<NarrowCodes>(&out_.codes)) {
      done = encode_rows(read, valid, index, narrow->data() + first_row, done, end, first_row,
                         out_.missing);
      if (done == end) return;
      WideCodes wide(narrow->size());
      std::copy_n(narrow->data(), first_row + done, wide.data());
      out_.codes = std::move(wide);
    }
    auto& wide = std::get<WideCodes>(out_.codes);
    done = encode_rows(read, valid, index, wide.data() + first_row, done, end, first_row,
                       out_.missing);
    if (done == end) return;
    out_.too_many = true;
    out_.codes = NarrowCodes{};
  }

  EncodedVariable out_;
  Type type_;
  Layout index_layout_ = Layout::kNone;  // kNone: not dictionary-encoded
  bool gathers_ = false;
  bool uses_window_ = true;
  IntegerWindow window_;
  IntegerIndex integers_;
  TextIndex texts_;
  ShortTexts short_texts_;
};

void check(ArrowArrayStream& stream, int status) {
  if (status == 0) return;
  const char* reason = stream.get_last_error(&stream);
  throw std::runtime_error(reason == nullptr ? "the Arrow stream failed" : reason);
}

void check_record_batch(const ArrowArray& batch, std::size_t n_variables) {
  if (batch.n_children != static_cast<std::int64_t>(n_variables)) {
    throw std::runtime_error("an Arrow record batch does not fit its schema");
  }
  const Validity valid(Stretch{batch, batch.offset, batch.length});
  if (!valid.all(0, batch.length)) {
    throw std::runtime_error("an Arrow record batch has null records");
  }
}

}  // namespace

EncodedStream encode_stream(ArrowArrayStream& stream, const std::vector<std::string>& gathered,
                            bool until_too_many, Room room, unsigned threads,
                            const Run::Report& report) {
  Owned<ArrowSchema> schema;
  check(stream, stream.get_schema(&stream, &schema.value));
  if (std::strcmp(schema.value.format, "+s") != 0) {
    throw std::runtime_error("the Arrow stream has no record batches");
  }
  std::vector<VariableEncoder> encoders;
  encoders.reserve(static_cast<std::size_t>(schema.value.n_children));
  for (std::int64_t child = 0; child < schema.value.n_children; ++child) {
    encoders.emplace_back(*schema.value.children[child], gathered);
    const auto place = static_cast<std::size_t>(child);
    if (place < room.n_variables) {
      encoders.back().begin_in(NarrowCodes(room.codes + place * room.n_rows, room.n_rows));
    }
  }
  EncodedStream out;
  std::optional<Run> run;
  while (true) {
    Owned<ArrowArray> batch;
    check(stream, stream.get_next(&stream, &batch.value));
    if (batch.value.release == nullptr) break;  // the end of the stream
    check_record_batch(batch.value, encoders.size());
    const auto append = [&](std::size_t child) {
      const ArrowArray& array = *batch.value.children[child];
      encoders[child].append({array, array.offset + batch.value.offset, batch.value.length},
                             out.n_rows);
    };
    const double n_values =
        static_cast<double>(batch.value.length) * static_cast<double>(encoders.size());
    if (n_values < kWorthThreads) {
      for (std::size_t child = 0; child < encoders.size(); ++child) append(child);
    } else {
      if (!run) {
        const auto most = static_cast<unsigned>(std::min<std::size_t>(encoders.size(), threads));
        run.emplace(most, std::numeric_limits<double>::infinity(), report);
      }
      run->parallel_for(encoders.size(), append);
    }
    out.n_rows += batch.value.length;
    if (until_too_many && std::ranges::any_of(encoders, &VariableEncoder::too_many)) break;
  }
  for (VariableEncoder& encoder : encoders) out.variables.push_back(encoder.finish());
  return out;
}

}  // namespace dagwright
