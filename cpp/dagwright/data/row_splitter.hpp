// Splits the rows of one block into the cells of a list of variables.
#pragma once

#include <cstdint>
#include <vector>

#include "dagwright/data/bitmaps.hpp"

namespace dagwright {

class RowSplitter {
 public:
  explicit RowSplitter(const Bitmaps& bitmaps) : bitmaps_(bitmaps) {}

  // By which variables to split. Cells are numbered with the last one fastest.
  void begin(const std::vector<Variable>& variables, const std::vector<Arity>& arities);

  // Splits the given rows of the words [begin, begin + size).
  void split(const Word* rows, std::size_t begin, std::size_t size);

  // The cells with many rows, as bitmaps of `size` words: number, rows, how many.
  const std::vector<std::uint32_t>& cells() const { return cells_; }
  const std::vector<const Word*>& rows() const { return rows_; }
  const std::vector<std::uint64_t>& counts() const { return counts_; }

  // The other cells, whose few rows are listed: looking at them is cheaper than at a bitmap.
  struct RareCell {
    std::uint32_t cell;
    std::uint32_t begin, end;  // of its rows in rare_rows()
  };
  const std::vector<RareCell>& rare_cells() const { return rare_cells_; }
  const std::vector<std::uint32_t>& rare_rows() const { return rare_rows_; }  // from the block's start

 private:
  void descend(std::size_t level, const Word* rows, std::uint64_t count, std::size_t cell);
  Word* room_for(std::size_t i);  // the bitmap of the i-th cell
  void keep(std::size_t cell, const Word* rows, std::uint64_t count);

  struct Level {
    Variable variable;
    Arity arity;
    std::size_t stride;
  };
  const Bitmaps& bitmaps_;
  std::vector<Level> levels_;
  std::size_t begin_ = 0;
  std::size_t size_ = 0;
  AlignedWords scratch_;  // two for each level: rows inside and outside of a state
  std::size_t scratch_levels_ = 0;  // that there is room for
  std::vector<AlignedWords> kept_;  // the bitmaps of cells, some in each
  std::vector<std::uint32_t> cells_;
  std::vector<const Word*> rows_;
  std::vector<std::uint64_t> counts_;
  std::vector<RareCell> rare_cells_;
  std::vector<std::uint32_t> rare_rows_;
};

}  // namespace dagwright
