// Where the values of an Arrow array lie, and how to read them: for each layout a reader, which gives
// the value of a row as an int64, a double or a Text.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <type_traits>

#include "dagwright/data/arrow.hpp"
#include "dagwright/data/value_index.hpp"

namespace dagwright::arrow {

// How the values lie in memory.
enum class Layout : std::uint8_t {
  kNone,
  kBits,
  kInt8,
  kUInt8,
  kInt16,
  kUInt16,
  kInt32,
  kUInt32,
  kInt64,
  kUInt64,
  kMillisecondDates,
  kFloat32,
  kFloat64,
  kUtf8,
  kLargeUtf8,
  kUtf8View,
};

inline bool bit(const std::uint8_t* bits, std::int64_t at) {
  return ((bits[at >> 3] >> (at & 7)) & 1) != 0;
}

// A stretch of an array: where it starts (all offsets added up) and how long it is.
struct Stretch {
  const ArrowArray& array;
  std::int64_t start;
  std::int64_t length;

  template <class T>
  const T* buffer(std::int64_t number) const {
    return static_cast<const T*>(array.buffers[number]);
  }
};

class Validity {
 public:
  explicit Validity(const Stretch& stretch)
      : bits_(stretch.array.null_count == 0 || stretch.array.n_buffers == 0
                  ? nullptr
                  : stretch.buffer<std::uint8_t>(0)),
        start_(stretch.start) {}
  bool operator[](std::int64_t row) const { return bits_ == nullptr || bit(bits_, start_ + row); }

  bool all(std::int64_t begin, std::int64_t end) const {
    if (bits_ == nullptr) return true;
    std::int64_t at = start_ + begin;
    const std::int64_t stop = start_ + end;
    for (; at < stop && (at & 7) != 0; ++at) {
      if (!bit(bits_, at)) return false;
    }
    for (; at + 8 <= stop; at += 8) {
      if (bits_[at >> 3] != 0xFF) return false;
    }
    for (; at < stop; ++at) {
      if (!bit(bits_, at)) return false;
    }
    return true;
  }

 private:
  const std::uint8_t* bits_;
  std::int64_t start_;
};

// The readers: read(row) gives an int64, a double or a Text. Those of integers also name the type
// Raw that holds them, and block(begin, n, space) gives n of these in a row.
template <class T>
struct FixedReader {
  using Raw = T;
  using Value = std::conditional_t<std::is_floating_point_v<T>, double, std::int64_t>;
  const T* values;
  Value operator()(std::int64_t row) const { return static_cast<Value>(values[row]); }
  const T* block(std::int64_t begin, std::int64_t, T*) const { return values + begin; }
};

struct BitReader {
  using Raw = std::uint8_t;
  const std::uint8_t* bits;
  std::int64_t start;
  std::int64_t operator()(std::int64_t row) const { return bit(bits, start + row); }
  const Raw* block(std::int64_t begin, std::int64_t n, Raw* space) const {
    for (std::int64_t row = 0; row < n; ++row) space[row] = bit(bits, start + begin + row);
    return space;
  }
};

struct MillisecondDateReader {
  static constexpr std::int64_t kDay = 86'400'000;
  using Raw = std::int64_t;
  const std::int64_t* times;
  std::int64_t operator()(std::int64_t row) const {
    const std::int64_t time = times[row];
    return time / kDay - (time % kDay < 0 ? 1 : 0);  // rounds down, before 1970 as well
  }
  const Raw* block(std::int64_t begin, std::int64_t n, Raw* space) const {
    for (std::int64_t row = 0; row < n; ++row) space[row] = (*this)(begin + row);
    return space;
  }
};

template <class T, class Use>
void with_fixed(const Stretch& stretch, const Use& use) {
  use(FixedReader<T>{stretch.buffer<T>(1) + stretch.start});
}

// The readers of texts: up to kShort bytes short_text(row) gives the same without a branch, and up to
// 7 bytes first_word(row, size); they may be asked for the rows up to short_end(begin, end).
template <class Offset>
struct TextReader {
  static constexpr std::uint64_t kShort = Text::kExact;
  const Offset* offsets;
  const char* bytes;
  Offset bytes_end;

  [[gnu::always_inline]] Text operator()(std::int64_t row) const {
    const Offset begin = offsets[row];
    return Text::of(bytes + begin, static_cast<std::uint64_t>(offsets[row + 1] - begin),
                    static_cast<std::uint64_t>(bytes_end - begin));
  }
  [[gnu::always_inline]] Text short_text(std::int64_t row) const {
    const Offset begin = offsets[row];
    return Text::of_short(bytes + begin, static_cast<std::uint64_t>(offsets[row + 1] - begin));
  }
  [[gnu::always_inline]] std::uint64_t first_word(std::int64_t row, std::uint64_t& size) const {
    const Offset begin = offsets[row];
    size = static_cast<std::uint64_t>(offsets[row + 1] - begin);
    return Text::first_word(bytes + begin, size);
  }
  // Both read kExact bytes from where a text begins.
  std::int64_t short_end(std::int64_t begin, std::int64_t end) const {
    while (end > begin && bytes_end - offsets[end - 1] < Offset{Text::kExact}) --end;
    return end;
  }
};

template <class Offset, class Use>
void with_text(const Stretch& stretch, const Use& use) {
  const Offset* offsets = stretch.buffer<Offset>(1) + stretch.start;
  const Offset end = stretch.length == 0 ? 0 : offsets[stretch.length];
  use(TextReader<Offset>{offsets, stretch.buffer<char>(2), end});
}

struct TextViewReader {
  static constexpr std::int64_t kSize = 16;
  static constexpr std::uint64_t kShort = 12;
  const char* views;
  const void* const* blocks;

  [[gnu::always_inline]] Text operator()(std::int64_t row) const {
    using detail::load;
    const char* view = views + row * kSize;
    const std::uint64_t size = load<std::uint32_t>(view);
    if (size <= kShort) return short_text(row);
    const auto* block = static_cast<const char*>(blocks[load<std::int32_t>(view + 8)]);
    return Text::of(block + load<std::int32_t>(view + 12), size, size);
  }
  // Zero-padded by the specification: the view is the text.
  [[gnu::always_inline]] Text short_text(std::int64_t row) const {
    using detail::load;
    const char* view = views + row * kSize;
    return {load<std::uint64_t>(view + 4), load<std::uint32_t>(view + 12),
            load<std::uint32_t>(view), view + 4};
  }
  [[gnu::always_inline]] std::uint64_t first_word(std::int64_t row, std::uint64_t& size) const {
    const char* view = views + row * kSize;
    size = detail::load<std::uint32_t>(view);
    return detail::load<std::uint64_t>(view + 4);
  }
  std::int64_t short_end(std::int64_t, std::int64_t end) const { return end; }
};

template <class Use>
void with_text_views(const Stretch& stretch, const Use& use) {
  use(TextViewReader{stretch.buffer<char>(1) + stretch.start * TextViewReader::kSize,
                     stretch.array.buffers + 2});
}

template <class Use>
void with_integers(Layout layout, const Stretch& stretch, const Use& use) {
  switch (layout) {
    case Layout::kInt8: return with_fixed<std::int8_t>(stretch, use);
    case Layout::kUInt8: return with_fixed<std::uint8_t>(stretch, use);
    case Layout::kInt16: return with_fixed<std::int16_t>(stretch, use);
    case Layout::kUInt16: return with_fixed<std::uint16_t>(stretch, use);
    case Layout::kInt32: return with_fixed<std::int32_t>(stretch, use);
    case Layout::kUInt32: return with_fixed<std::uint32_t>(stretch, use);
    case Layout::kInt64: return with_fixed<std::int64_t>(stretch, use);
    case Layout::kUInt64: return with_fixed<std::uint64_t>(stretch, use);
    default: throw std::runtime_error("an Arrow dictionary has indices that are no integers");
  }
}

template <class Use>
void with_values(Layout layout, const Stretch& stretch, const Use& use) {
  switch (layout) {
    case Layout::kBits:
      return use(BitReader{stretch.buffer<std::uint8_t>(1), stretch.start});
    case Layout::kMillisecondDates:
      return use(MillisecondDateReader{stretch.buffer<std::int64_t>(1) + stretch.start});
    case Layout::kFloat32: return with_fixed<float>(stretch, use);
    case Layout::kFloat64: return with_fixed<double>(stretch, use);
    case Layout::kUtf8: return with_text<std::int32_t>(stretch, use);
    case Layout::kLargeUtf8: return with_text<std::int64_t>(stretch, use);
    case Layout::kUtf8View: return with_text_views(stretch, use);
    default: return with_integers(layout, stretch, use);
  }
}

template <class Read>
using ValueOf = std::invoke_result_t<Read, std::int64_t>;

}  // namespace dagwright::arrow
