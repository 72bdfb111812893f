// Rows of spins, -1 or +1: one bit a row for each variable, and row weights that add up to 1.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "dagwright/base/types.hpp"

namespace dagwright {

using SpinWord = std::uint64_t;  // 64 rows of one variable: bit k is row k, set for +1

class Spins {
 public:
  // `bits` has the words of one variable after the other. Rows beyond the weights are none: their
  // bits are ignored. Throws std::invalid_argument where sizes do not fit or weights add up to nothing.
  Spins(std::size_t n_variables, std::vector<SpinWord> bits, std::vector<double> weights);

  std::size_t n_variables() const { return n_variables_; }
  std::size_t n_words() const { return n_words_; }
  const SpinWord* bits(Variable v) const { return bits_.data() + std::size_t{v} * n_words_; }
  // One a row, zeros up to the end of the last word.
  const double* weights() const { return weights_.data(); }

 private:
  std::size_t n_variables_;
  std::size_t n_words_;
  std::vector<SpinWord> bits_;
  std::vector<double> weights_;
};

}  // namespace dagwright
