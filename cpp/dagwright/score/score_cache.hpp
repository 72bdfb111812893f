// Numbers by fingerprint of a set of variables, within a memory bound.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "dagwright/score/fingerprint.hpp"

namespace dagwright {

// A flat hash table. When the bound is reached all is forgotten, which costs time and changes no
// answer.
class ScoreCache {
 public:
  explicit ScoreCache(std::size_t max_bytes);
  // Calls for the key's place in memory: find and insert are then faster.
  void prefetch(const Fingerprint& key) const { __builtin_prefetch(&slots_[first_place(key)]); }
  std::optional<double> find(const Fingerprint& key) const {
    const Slot& slot = slots_[place(key)];
    return slot.key == key ? std::optional(slot.value) : std::nullopt;
  }
  void insert(const Fingerprint& key, double value);
  std::size_t size() const { return size_; }
  std::size_t bytes() const { return slots_.capacity() * sizeof(Slot); }

 private:
  struct Slot {
    Fingerprint key{0, 0};  // as it is where the slot is empty
    double value = 0;
  };
  std::size_t first_place(const Fingerprint& key) const { return key.low & (slots_.size() - 1); }
  // Where the key is, or the empty place where it would be put.
  std::size_t place(const Fingerprint& key) const {
    std::size_t i = first_place(key);
    while (slots_[i].key != key && slots_[i].key != Slot{}.key) i = (i + 1) & (slots_.size() - 1);
    return i;
  }
  void make_room();

  std::size_t max_bytes_;
  std::size_t size_ = 0;
  std::vector<Slot> slots_;
};

}  // namespace dagwright
