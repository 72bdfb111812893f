// From values to codes: each new value gets the next code, in the order of first sight.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace dagwright {

namespace detail {

inline std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  std::uint64_t h = (a * 0x9E3779B97F4A7C15ULL) ^ (std::rotl(b, 31) * 0xC2B2AE3D27D4EB4FULL);
  h ^= h >> 32;
  return h * 0xD6E8FEB86659FD93ULL;
}

template <class T>
T load(const char* bytes) {
  T word;
  std::memcpy(&word, bytes, sizeof(T));
  return word;
}

// Open addressing with linear probing. The owner keeps the keys by code. The table is kept sparse:
// two frequent keys in one slot would cost a mispredicted branch a row.
class CodeSlots {
 public:
  static constexpr std::uint32_t kEmpty = UINT32_MAX;

  // The code under `hash` whose key satisfies `same`; kEmpty when there is none.
  template <class Same>
  [[gnu::always_inline]] std::uint32_t find(std::uint64_t hash, const Same& same) const {
    for (std::size_t at = start(hash);; at = (at + 1) & (slots_.size() - 1)) {
      const std::uint32_t code = slots_[at];
      if (code == kEmpty || same(code)) return code;
    }
  }

  // `hash_of(code)` gives the hash of a key that is already in.
  template <class HashOf>
  void insert(std::uint32_t code, const HashOf& hash_of) {
    if (4 * (used_ + 1) > slots_.size()) {
      std::vector<std::uint32_t> old(slots_.size() * 2, kEmpty);
      old.swap(slots_);
      --shift_;
      for (const std::uint32_t moved : old) {
        if (moved != kEmpty) place(moved, hash_of(moved));
      }
    }
    place(code, hash_of(code));
    ++used_;
  }

 private:
  std::size_t start(std::uint64_t hash) const { return static_cast<std::size_t>(hash >> shift_); }
  void place(std::uint32_t code, std::uint64_t hash) {
    std::size_t at = start(hash);
    while (slots_[at] != kEmpty) at = (at + 1) & (slots_.size() - 1);
    slots_[at] = code;
  }

  std::vector<std::uint32_t> slots_ = std::vector<std::uint32_t>(1024, kEmpty);
  int shift_ = 54;  // 64 - log2(slots_.size())
  std::size_t used_ = 0;
};

}  // namespace detail

// In both indexes the look-up is forced inline, and what happens once a value is kept out of line:
// the look-up is the inner loop of reading a table.
class IntegerIndex {
 public:
  [[gnu::always_inline]] std::uint32_t code(std::int64_t key) {
    const std::uint32_t found =
        slots_.find(hash(key), [&](std::uint32_t code) { return keys_[code] == key; });
    return found == detail::CodeSlots::kEmpty ? add(key) : found;
  }

  std::vector<std::int64_t> take_keys() { return std::move(keys_); }

 private:
  static std::uint64_t hash(std::int64_t key) {
    return detail::mix(static_cast<std::uint64_t>(key), 0);
  }
  [[gnu::noinline]] std::uint32_t add(std::int64_t key) {
    keys_.push_back(key);
    const auto code = static_cast<std::uint32_t>(keys_.size() - 1);
    slots_.insert(code, [&](std::uint32_t known) { return hash(keys_[known]); });
    return code;
  }

  detail::CodeSlots slots_;
  std::vector<std::int64_t> keys_;
};

// A text and a fingerprint of two words: up to kExact bytes the text itself, padded with zeros, so
// that comparing needs no look at the bytes; beyond, only a hash.
struct Text {
  static constexpr std::uint64_t kExact = 16;

  std::uint64_t low = 0;
  std::uint64_t high = 0;
  std::uint64_t size = 0;
  const char* bytes = nullptr;

  // `readable`: how many bytes may be read from `bytes` on, at least `size`.
  [[gnu::always_inline]] static Text of(const char* bytes, std::uint64_t size,
                                        std::uint64_t readable) {
    using detail::load;
    if (size > kExact) return long_text(bytes, size);
    if (readable < kExact) return short_text_at_the_end(bytes, size);
    return of_short(bytes, size);
  }
  // Of a text of up to kExact bytes, all of which may be read; of a longer one, nothing of use.
  // Without branches on the size: sizes are as random as the data.
  [[gnu::always_inline]] static Text of_short(const char* bytes, std::uint64_t size) {
    using detail::load;
    const std::uint64_t kept = std::min(size, kExact);
    return {load<std::uint64_t>(bytes) & kMask[kept],
            load<std::uint64_t>(bytes + 8) & kMask[kept + kExact + 1], size, bytes};
  }

  // Of a text of up to 7 bytes, `low` alone.
  [[gnu::always_inline]] static std::uint64_t first_word(const char* bytes, std::uint64_t size) {
    return detail::load<std::uint64_t>(bytes) & kMask[size & 7];
  }

 private:
  [[gnu::noinline]] static Text short_text_at_the_end(const char* bytes, std::uint64_t size) {
    using detail::load;
    char padded[kExact] = {};
    if (size > 0) std::memcpy(padded, bytes, size);
    return {load<std::uint64_t>(padded), load<std::uint64_t>(padded + 8), size, bytes};
  }
  [[gnu::noinline]] static Text long_text(const char* bytes, std::uint64_t size) {
    using detail::load;
    Text text{load<std::uint64_t>(bytes), load<std::uint64_t>(bytes + size - 8), size, bytes};
    for (std::uint64_t at = 8; at + 8 < size; at += 8) {
      text.low = detail::mix(text.low, load<std::uint64_t>(bytes + at));
    }
    return text;
  }

  // The bytes to keep of the first word (by size), then of the second.
  static constexpr std::array<std::uint64_t, 2 * (kExact + 1)> kMask = [] {
    std::array<std::uint64_t, 2 * (kExact + 1)> mask{};
    for (std::uint64_t size = 0; size <= kExact; ++size) {
      for (std::uint64_t byte = 0; byte < size; ++byte) {
        const bool is_little = std::endian::native == std::endian::little;
        const std::uint64_t place = is_little ? byte % 8 : 7 - byte % 8;
        mask[size + (byte < 8 ? 0 : kExact + 1)] |= std::uint64_t{0xFF} << (8 * place);
      }
    }
    return mask;
  }();
};

class TextIndex {
 public:
  [[gnu::always_inline]] std::uint32_t code(const Text& text) {
    const std::uint32_t found =
        slots_.find(hash(text), [&](std::uint32_t code) { return same(code, text); });
    return found == detail::CodeSlots::kEmpty ? add(text) : found;
  }

  std::vector<std::string> take_keys() { return std::move(keys_); }
  // The fingerprints of the texts, by code.
  const std::vector<Text>& prints() const { return prints_; }

 private:
  [[gnu::always_inline]] static std::uint64_t hash(const Text& text) {
    return detail::mix(text.low, text.high + text.size);
  }
  [[gnu::always_inline]] bool same(std::uint32_t code, const Text& text) const {
    const Text& print = prints_[code];
    return print.low == text.low && print.high == text.high && print.size == text.size &&
           (text.size <= Text::kExact ||
            std::memcmp(keys_[code].data(), text.bytes, text.size) == 0);
  }
  [[gnu::noinline]] std::uint32_t add(Text text) {
    const auto code = static_cast<std::uint32_t>(keys_.size());
    keys_.emplace_back(text.bytes, text.size);
    text.bytes = nullptr;  // the chunk's memory goes away
    prints_.push_back(text);
    slots_.insert(code, [&](std::uint32_t known) { return hash(prints_[known]); });
    return code;
  }

  detail::CodeSlots slots_;
  std::vector<std::string> keys_;
  std::vector<Text> prints_;
};

}  // namespace dagwright
