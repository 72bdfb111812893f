// What one thread has counted of a family's extensions.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dagwright/data/bitmaps.hpp"
#include "dagwright/data/row_splitter.hpp"

namespace dagwright {

// For every candidate one number for each cell of the family and state of the candidate, and the number of
// rows in each cell.
class ExtensionTally {
 public:
  ExtensionTally(const Table& table, const Bitmaps& bitmaps) : table_(table), bitmaps_(bitmaps) {}

  // Candidates, which stay where they are, with nothing counted yet.
  void begin(std::span<const Variable> candidates, std::size_t n_cells);

  // Adds one block. `skipped` is a cell that need not be counted: it follows from the others.
  void add(const RowSplitter& cells, std::size_t begin, std::size_t size, double weight,
           std::size_t skipped);
  void add(const ExtensionTally& other);

  // The counts of candidate c at cell * r + state, with what was left out put in.
  const double* completed(std::size_t c, std::size_t skipped);

 private:
  std::size_t add_some(const RowSplitter& cells, std::size_t c, std::size_t begin, std::size_t size,
                       double weight);
  void complete_two_states(double* counts, Variable x, std::size_t skipped) const;
  void add_rare(const RowSplitter& cells, const Word* state, double weight, std::size_t r,
                double* counts) const;

  const Table& table_;
  const Bitmaps& bitmaps_;
  std::span<const Variable> candidates_;
  std::vector<std::size_t> begins_;
  std::vector<double> counts_;
  std::vector<double> cell_totals_;
  std::vector<std::uint32_t> big_;
  std::vector<const Word*> rows_;
  std::vector<const Word*> states_;   // of some candidates, in the block
  std::vector<std::uint64_t> found_;  // rows of each big cell in each of these
};

}  // namespace dagwright
