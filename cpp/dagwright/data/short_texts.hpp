// A few short texts and their codes, in a table where each has a slot of its own: whole blocks of
// rows are encoded without a branch. A block with any other text is left to the index.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "dagwright/data/value_index.hpp"

namespace dagwright {

class ShortTexts {
 public:
  // The codes of the rows from begin to end; false if one of their texts is not in the table.
  template <class Read>
  bool encode(const Read& read, std::int64_t begin, std::int64_t end, std::uint8_t* codes) const {
    switch (n_words_) {
      case 1: return encode_keys<OneWord>(read, begin, end, codes);
      case 2: return encode_keys<TwoWords>(read, begin, end, codes);
      default: return false;
    }
  }

  // Makes the table of all texts that an index knows; there is none if they are many or long.
  void learn(const std::vector<Text>& texts, std::uint64_t most_bytes) {
    if (texts.size() == n_texts_) return;
    n_texts_ = texts.size();
    n_words_ = 0;
    if (texts.size() > kMostTexts) return;
    std::uint64_t longest = 0;
    for (const Text& text : texts) longest = std::max(longest, text.size);
    if (longest > most_bytes) return;
    if (longest <= OneWord::kMostBytes) {
      if (place<OneWord>(texts)) n_words_ = 1;
    } else if (longest <= TwoWords::kMostBytes) {
      if (place<TwoWords>(texts)) n_words_ = 2;
    }
  }

 private:
  static constexpr std::size_t kMostTexts = 32;
  static constexpr int kSlotBits = 8;  // a few kilobytes: there may be thousands of variables
  static constexpr std::size_t kSlots = std::size_t{1} << kSlotBits;
  static constexpr int kLastByte = std::endian::native == std::endian::little ? 56 : 0;

  // All that a short text is: its bytes, padded with zeros, and in the last one its size.
  struct OneWord {
    static constexpr std::uint64_t kMostBytes = 7;
    std::uint64_t low = 0;

    template <class Read>
    [[gnu::always_inline]] static OneWord of(const Read& read, std::int64_t row, std::uint64_t& size) {
      return {read.first_word(row, size) ^ (size << kLastByte)};
    }
    static OneWord of(const Text& text) { return {text.low ^ (text.size << kLastByte)}; }
    [[gnu::always_inline]] std::uint64_t mixed() const { return low; }
    [[gnu::always_inline]] std::uint64_t difference(const std::uint64_t* words) const {
      return words[0] ^ low;
    }
    void write(std::uint64_t* words) const { words[0] = low; }
  };
  struct TwoWords {
    static constexpr std::uint64_t kMostBytes = 15;
    std::uint64_t low = 0;
    std::uint64_t high = 0;

    template <class Read>
    [[gnu::always_inline]] static TwoWords of(const Read& read, std::int64_t row,
                                              std::uint64_t& size) {
      const Text text = read.short_text(row);
      size = text.size;
      return of(text);
    }
    [[gnu::always_inline]] static TwoWords of(const Text& text) {
      return {text.low, text.high ^ (text.size << kLastByte)};
    }
    [[gnu::always_inline]] std::uint64_t mixed() const {
      return low + high * 0xC2B2AE3D27D4EB4FULL;
    }
    [[gnu::always_inline]] std::uint64_t difference(const std::uint64_t* words) const {
      return (words[0] ^ low) | (words[1] ^ high);
    }
    void write(std::uint64_t* words) const {
      words[0] = low;
      words[1] = high;
    }
  };

  [[gnu::always_inline]] static std::size_t slot(std::uint64_t mixed, std::uint64_t multiplier) {
    return static_cast<std::size_t>((mixed * multiplier) >> (64 - kSlotBits));
  }

  template <class Key, class Read>
  bool encode_keys(const Read& read_texts, std::int64_t begin, std::int64_t end,
                   std::uint8_t* __restrict codes) const {
    const Read read = read_texts;  // its own copy: the codes, being bytes, may be anyone's memory
    const std::uint64_t multiplier = multiplier_;
    const auto* __restrict words = words_.data();
    const std::uint8_t* __restrict code_of_slot = codes_.data();
    std::uint64_t strange = 0;
    for (std::int64_t row = begin; row < end; ++row) {
      std::uint64_t size = 0;
      const Key key = Key::of(read, row, size);
      const std::size_t at = slot(key.mixed(), multiplier);
      strange |= key.difference(words[at].data()) | (size & ~Key::kMostBytes);
      codes[row] = code_of_slot[at];
    }
    return strange == 0;
  }

  template <class Key>
  bool place(const std::vector<Text>& texts) {
    // Each multiplier is as good as drawn at random: one in eight gives 32 texts a slot each.
    multiplier_ = 0x9E3779B97F4A7C15ULL;
    for (int attempt = 0; attempt < 200; ++attempt) {
      if (place_all<Key>(texts)) return true;
      multiplier_ = detail::mix(multiplier_, 1) | 1;
    }
    return false;
  }

  template <class Key>
  bool place_all(const std::vector<Text>& texts) {
    std::array<bool, kSlots> taken{};
    for (auto& words : words_) words = {~std::uint64_t{0}, ~std::uint64_t{0}};  // of no text
    for (std::size_t code = 0; code < texts.size(); ++code) {
      const Key key = Key::of(texts[code]);
      const std::size_t at = slot(key.mixed(), multiplier_);
      if (taken[at]) return false;
      taken[at] = true;
      key.write(words_[at].data());
      codes_[at] = static_cast<std::uint8_t>(code);
    }
    return true;
  }

  int n_words_ = 0;  // of a key; 0: there is no table
  std::size_t n_texts_ = 0;
  std::uint64_t multiplier_ = 0;
  std::array<std::array<std::uint64_t, 2>, kSlots> words_;
  std::array<std::uint8_t, kSlots> codes_{};
};

}  // namespace dagwright
