// One bitmap a state: bit i says whether row i has it. The most common state of each variable is left
// out, because its rows are those that are in no other.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "dagwright/base/types.hpp"
#include "dagwright/data/kernels.hpp"
#include "dagwright/data/table.hpp"

namespace dagwright {

// Variables with more states have no bitmaps, which then take at most twice the memory of the codes.
inline constexpr Arity kMostBitmapStates = 16;

// Words aligned to a cache line, not set to anything.
class AlignedWords {
 public:
  explicit AlignedWords(std::size_t n_words = 0);
  Word* data() { return words_.get(); }
  const Word* data() const { return words_.get(); }

 private:
  struct Free {
    void operator()(Word* words) const;
  };
  std::unique_ptr<Word[], Free> words_;
};

class Bitmaps {
 public:
  Bitmaps(const Table& table, const Kernels& kernels);
  Bitmaps(const Bitmaps&) = delete;
  Bitmaps& operator=(const Bitmaps&) = delete;

  std::size_t n_rows() const { return n_rows_; }
  std::size_t n_variables() const { return variables_.size(); }
  Arity arity(Variable v) const { return static_cast<Arity>(variables_[v].rows_by_state.size()); }
  std::size_t n_words() const { return n_words_; }
  const Kernels& kernels() const { return kernels_; }

  // Variables with many states have none: histograms count them faster.
  bool has(Variable v) const { return variables_[v].has; }
  State left_out(Variable v) const { return variables_[v].left_out; }
  const Word* state(Variable v, State s) const {
    const OfVariable& variable = variables_[v];
    return variable.words.data() + (s < variable.left_out ? s : s - 1) * n_words_;
  }
  // Rows with each state, whatever their weights.
  const std::vector<std::uint64_t>& rows_by_state(Variable v) const {
    return variables_[v].rows_by_state;
  }

  // The rows that count: one set when every row counts once, else the binary digits of the weights.
  struct WeightPlane {
    AlignedWords rows;
    double weight;  // of each row in the set
  };
  const std::vector<WeightPlane>& planes() const { return planes_; }
  bool counts_all_rows() const { return unweighted_; }
  // Weights that are no multiples of 1/16, or too large, have no planes.
  bool has_planes() const { return !planes_.empty(); }

 private:
  struct OfVariable {
    bool has = false;
    State left_out = 0;
    AlignedWords words;
    std::vector<std::uint64_t> rows_by_state;
  };
  void make_variable(const Table& table, Variable v);
  void make_planes(const Table& table);

  std::size_t n_rows_;
  std::size_t n_words_;
  const Kernels& kernels_;
  bool unweighted_;
  std::vector<OfVariable> variables_;
  std::vector<WeightPlane> planes_;
};

}  // namespace dagwright
