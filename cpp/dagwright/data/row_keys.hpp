// Each row's cell as a key of a few words that compare like the cells: for tables too large to number.
#pragma once

#include <bit>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "dagwright/base/run.hpp"
#include "dagwright/data/family_counts.hpp"
#include "dagwright/data/table.hpp"

namespace dagwright {

// A word holds as many variables as fit, the last one fastest, so that any number of parents has a
// key; the child is the last variable of the last word. A row's weight, if it has one, lies behind
// its key. The keys take 8 bytes a row or not much more than the codes, and are sorted in place.
class RowKeys {
 public:
  // Throws Stopped, as sort() does, when the run ends before all is done.
  RowKeys(const Table& table, const FamilyShape& shape, Run& run);
  void sort();

  std::size_t size() const { return n_rows_; }
  std::span<const std::uint64_t> key(std::size_t i) const {
    return {words_.get() + i * stride_, key_words_.size()};
  }
  double weight(std::size_t i) const {
    return weighted_ ? std::bit_cast<double>(words_[i * stride_ + stride_ - 1]) : 1.0;
  }
  bool same_cell(std::size_t i, std::size_t j) const;
  bool same_config(std::size_t i, std::size_t j) const;
  State child_state(std::size_t i) const {
    return static_cast<State>(key(i).back() % child_arity_);
  }
  // Appends the parents' states.
  void append_config(std::size_t i, std::vector<std::uint16_t>& out) const;

 private:
  struct KeyWord {
    std::vector<Arity> arities;  // of its variables
    std::uint64_t bound = 1;     // their product
  };
  // Eight bits of a key, the most significant first; the last of a word may repeat some.
  struct Digit {
    std::size_t word;
    int shift;
  };
  void fill(const Table& table, const std::vector<Variable>& variables);
  // Compiled for one and for two words a row, and for any number (0).
  template <std::size_t Stride>
  void sort(std::size_t begin, std::size_t end, std::size_t digit);
  template <std::size_t Stride>
  void sort_few(std::size_t begin, std::size_t end);
  template <std::size_t Stride>
  std::uint64_t* at(std::size_t i) {
    return words_.get() + i * (Stride == 0 ? stride_ : Stride);
  }
  template <std::size_t Stride>
  void swap(std::size_t i, std::size_t j);
  void tick(std::size_t work);

  Run& run_;
  std::size_t n_rows_;
  std::uint64_t child_arity_;
  bool weighted_;
  std::vector<KeyWord> key_words_;
  std::size_t stride_ = 0;
  std::vector<Digit> digits_;
  std::unique_ptr<std::uint64_t[]> words_;  // not set to 0 at once: that alone takes half a second
  std::size_t ticks_ = 0;
};

}  // namespace dagwright
