// Numbers from a string of bytes. Beyond its end all are 0, so that any string, and any part of one,
// is the description of a case.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace dagwright::fuzz {

class ByteReader {
 public:
  explicit ByteReader(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}

  std::uint8_t byte() { return next_ < bytes_.size() ? bytes_[next_++] : 0; }
  std::uint32_t two_bytes() {
    const std::uint32_t low = byte();
    return low | std::uint32_t{byte()} << 8;
  }
  std::uint64_t below(std::uint64_t bound) {
    return (bound > 256 ? two_bytes() : byte()) % bound;
  }
  template <class T, std::size_t N>
  T one_of(const T (&values)[N]) {
    return values[below(N)];
  }

 private:
  std::span<const std::uint8_t> bytes_;
  std::size_t next_ = 0;
};

}  // namespace dagwright::fuzz
