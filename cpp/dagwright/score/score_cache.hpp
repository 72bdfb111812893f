// Numbers by list of variables (a set, or a child followed by its parents), within a memory bound.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "dagwright/base/types.hpp"

namespace dagwright {

// A flat hash table; the keys lie one after the other in one array. When the bound is reached all is
// forgotten, which costs time and changes no answer.
class ScoreCache {
 public:
  explicit ScoreCache(std::size_t max_bytes);
  // The key's hash, which the other two want; its place in memory is called for.
  std::uint64_t prefetch(std::span<const Variable> key) const;
  std::optional<double> find(std::span<const Variable> key, std::uint64_t hash) const;
  void insert(std::span<const Variable> key, std::uint64_t hash, double value);
  std::size_t size() const { return size_; }
  std::size_t bytes() const;

 private:
  struct Slot {
    std::uint64_t hash = 0;  // 0 marks an empty slot
    std::uint32_t begin = 0;
    std::uint32_t length = 0;
    double value = 0;
  };
  std::size_t find_slot(std::uint64_t hash, std::span<const Variable> key) const;
  void grow();
  void clear();

  std::size_t max_bytes_;
  std::size_t size_ = 0;
  std::vector<Slot> slots_;
  std::vector<Variable> keys_;
};

}  // namespace dagwright
