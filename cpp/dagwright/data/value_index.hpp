// From values to codes: each new value gets the next code, in the order of first sight.
#pragma once

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

// Open addressing with linear probing; at most half full. The owner keeps the keys by code.
class CodeSlots {
 public:
  static constexpr std::uint32_t kEmpty = UINT32_MAX;

  // The code under `hash` whose key satisfies `same`; kEmpty when there is none.
  template <class Same>
  std::uint32_t find(std::uint64_t hash, const Same& same) const {
    for (std::size_t at = start(hash);; at = (at + 1) & (slots_.size() - 1)) {
      const std::uint32_t code = slots_[at];
      if (code == kEmpty || same(code)) return code;
    }
  }

  // `hash_of(code)` gives the hash of a key that is already in.
  template <class HashOf>
  void insert(std::uint32_t code, const HashOf& hash_of) {
    if (2 * (used_ + 1) > slots_.size()) {
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

  std::vector<std::uint32_t> slots_ = std::vector<std::uint32_t>(64, kEmpty);
  int shift_ = 58;  // 64 - log2(slots_.size())
  std::size_t used_ = 0;
};

}  // namespace detail

class IntegerIndex {
 public:
  IntegerIndex() { direct_.fill(detail::CodeSlots::kEmpty); }

  std::uint32_t code(std::int64_t key) {
    // Most integer variables hold small numbers: one look into a table, no hash.
    const auto near = static_cast<std::uint64_t>(key) + kBelowZero;
    if (near < direct_.size()) {
      std::uint32_t& known = direct_[near];
      if (known == detail::CodeSlots::kEmpty) known = append(key);
      return known;
    }
    if (key == last_key_ && last_code_ != detail::CodeSlots::kEmpty) return last_code_;
    std::uint32_t found =
        slots_.find(hash(key), [&](std::uint32_t code) { return keys_[code] == key; });
    if (found == detail::CodeSlots::kEmpty) {
      found = append(key);
      slots_.insert(found, [&](std::uint32_t code) { return hash(keys_[code]); });
    }
    last_key_ = key;
    last_code_ = found;
    return found;
  }

  std::vector<std::int64_t> take_keys() { return std::move(keys_); }

 private:
  static constexpr std::uint64_t kBelowZero = 256;
  static std::uint64_t hash(std::int64_t key) {
    return detail::mix(static_cast<std::uint64_t>(key), 0);
  }
  std::uint32_t append(std::int64_t key) {
    keys_.push_back(key);
    return static_cast<std::uint32_t>(keys_.size() - 1);
  }

  std::array<std::uint32_t, 1024> direct_;
  detail::CodeSlots slots_;
  std::vector<std::int64_t> keys_;
  std::int64_t last_key_ = 0;
  std::uint32_t last_code_ = detail::CodeSlots::kEmpty;
};

// A text and a fingerprint of two words. Up to kExact bytes the fingerprint and the size tell the
// text, so that comparing needs no look at the bytes; beyond, it is only a hash.
struct Text {
  static constexpr std::uint64_t kExact = 16;

  std::uint64_t low = 0;
  std::uint64_t high = 0;
  std::uint64_t size = 0;
  const char* bytes = nullptr;

  static Text of(const char* bytes, std::uint64_t size) {
    using detail::load;
    Text text{0, 0, size, bytes};
    if (size >= 8) {
      text.low = load<std::uint64_t>(bytes);
      text.high = load<std::uint64_t>(bytes + size - 8);  // overlaps: together they cover 8..16
      if (size > kExact) {
        for (std::uint64_t at = 8; at + 8 < size; at += 8) {
          text.low = detail::mix(text.low, load<std::uint64_t>(bytes + at));
        }
      }
    } else if (size >= 4) {
      text.low = load<std::uint32_t>(bytes);
      text.high = load<std::uint32_t>(bytes + size - 4);
    } else if (size > 0) {
      text.low = load<std::uint8_t>(bytes);
      text.high = (std::uint64_t{load<std::uint8_t>(bytes + size / 2)} << 8) |
                  load<std::uint8_t>(bytes + size - 1);
    }
    return text;
  }
};

class TextIndex {
 public:
  std::uint32_t code(const Text& text) {
    if (last_code_ != detail::CodeSlots::kEmpty && same(last_code_, text)) return last_code_;
    const auto is_text = [&](std::uint32_t code) { return same(code, text); };
    std::uint32_t found = slots_.find(hash(text), is_text);
    if (found == detail::CodeSlots::kEmpty) {
      found = static_cast<std::uint32_t>(keys_.size());
      keys_.emplace_back(text.bytes, text.size);
      prints_.push_back(text);
      prints_.back().bytes = nullptr;  // the chunk's memory goes away
      slots_.insert(found, [&](std::uint32_t code) { return hash(prints_[code]); });
    }
    last_code_ = found;
    return found;
  }

  std::vector<std::string> take_keys() { return std::move(keys_); }

 private:
  static std::uint64_t hash(const Text& text) {
    return detail::mix(text.low, text.high + text.size);
  }
  bool same(std::uint32_t code, const Text& text) const {
    const Text& print = prints_[code];
    return print.low == text.low && print.high == text.high && print.size == text.size &&
           (text.size <= Text::kExact ||
            std::memcmp(keys_[code].data(), text.bytes, text.size) == 0);
  }

  detail::CodeSlots slots_;
  std::vector<std::string> keys_;
  std::vector<Text> prints_;
  std::uint32_t last_code_ = detail::CodeSlots::kEmpty;
};

}  // namespace dagwright
