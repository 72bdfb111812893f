// The inner loops on spins, one set of functions for each instruction set. All sets give the same
// numbers to the last bit: every sum is eight sums, of the rows k with k % 8 = 0 .. 7, added at the end.
#pragma once

#include <cstddef>
#include <vector>

#include "dagwright/markov/spins.hpp"

namespace dagwright {

struct SpinKernels {
  const char* name;
  // out[k] = start + the sum of values[j] over the columns j with bit k set.
  void (*combine)(double start, const SpinWord* const* columns, const double* values,
                  std::size_t n_columns, std::size_t n_words, double* out);
  // sums[j] += the sum of terms[k] over the rows k with bit k of columns[j] set.
  void (*sums)(const double* terms, const SpinWord* const* columns, std::size_t n_columns,
               std::size_t n_words, double* sums);
  // The same over the rows where columns[j] and `base` differ.
  void (*sums_differ)(const double* terms, const SpinWord* base, const SpinWord* const* columns,
                      std::size_t n_columns, std::size_t n_words, double* sums);
  // With u = target * lean: the sum of weight * log(1 + e^(-2u)); its derivatives by lean, row by row.
  double (*logistic)(const double* lean, const SpinWord* target, const double* weights,
                     std::size_t n_words, double* first, double* second);
  // The same of weight * e^-u.
  double (*exponential)(const double* lean, const SpinWord* target, const double* weights,
                        std::size_t n_words, double* first, double* second);
};

// The fastest set that this processor has.
const SpinKernels& best_spin_kernels();

// Every set that this processor has, the plain one first: tests compare them.
std::vector<const SpinKernels*> available_spin_kernels();

}  // namespace dagwright
