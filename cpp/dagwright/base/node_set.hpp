// A set of nodes as bits. Memory is taken by the first set(), so that n sets over n nodes cost
// n * n bits only where there is something to remember (n may be 100,000).
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "dagwright/base/types.hpp"

namespace dagwright {

class NodeSet {
 public:
  NodeSet() = default;
  explicit NodeSet(std::size_t n_nodes) : n_nodes_(n_nodes) {}

  bool test(Variable v) const {
    return !words_.empty() && ((words_[v / kBits] >> (v % kBits)) & 1U) != 0;
  }

  void set(Variable v) {
    allocate();
    words_[v / kBits] |= Word{1} << (v % kBits);
  }

  void reset(Variable v) {
    if (!words_.empty()) words_[v / kBits] &= ~(Word{1} << (v % kBits));
  }

  void clear() { std::fill(words_.begin(), words_.end(), Word{0}); }

  std::size_t count() const {
    std::size_t total = 0;
    for (const Word word : words_) total += static_cast<std::size_t>(std::popcount(word));
    return total;
  }

  bool empty() const {
    return std::all_of(words_.begin(), words_.end(), [](Word word) { return word == 0; });
  }

  // Both sets of a binary operation are over the same nodes.
  NodeSet& operator|=(const NodeSet& other) {
    if (other.words_.empty()) return *this;
    allocate();
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] |= other.words_[i];
    return *this;
  }

  bool operator==(const NodeSet& other) const {
    if (n_nodes_ != other.n_nodes_) return false;
    if (words_.empty()) return other.empty();
    if (other.words_.empty()) return empty();
    return words_ == other.words_;
  }

  // Calls fn(v) for every member, smallest first.
  template <class Function>
  void for_each(Function&& fn) const {
    for (std::size_t i = 0; i < words_.size(); ++i)
      for (Word word = words_[i]; word != 0; word &= word - 1)
        fn(static_cast<Variable>(i * kBits + static_cast<std::size_t>(std::countr_zero(word))));
  }

 private:
  using Word = std::uint64_t;
  static constexpr std::size_t kBits = 64;

  void allocate() {
    if (words_.empty()) words_.resize((n_nodes_ + kBits - 1) / kBits);
  }

  std::size_t n_nodes_ = 0;
  std::vector<Word> words_;  // empty as long as nothing was ever in the set
};

}  // namespace dagwright
