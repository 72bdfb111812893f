// Products and sums of tables over the cells of a clique, which is never stored itself: its cells are
// walked in blocks small enough for the cache; in each the inputs are multiplied, and the block is added
// to the outputs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "dagwright/base/run.hpp"
#include "dagwright/base/types.hpp"

namespace dagwright {

// How the cells of a smaller table are met while those of the clique are walked. A block is cut into
// pieces of equal length; along one the table stays at one cell, or goes from cell to cell as the
// clique does.
struct View {
  enum class Kind : std::uint8_t { constant, contiguous };
  Kind kind = Kind::constant;
  std::uint32_t length = 1;            // of a piece
  std::vector<std::uint32_t> starts;   // of each piece of a block: its distance from the block's first
  std::vector<std::size_t> steps;      // along each axis; 0 where the table does not have it
};

// What becomes of a clique's cells: products are summed or the largest is kept. In logs products are sums,
// and nothing underflows; that takes about ten times as long.
struct Arithmetic {
  bool maximize = false;
  bool logs = false;
  double nothing() const { return logs ? -std::numeric_limits<double>::infinity() : 0.0; }
};

class Walk {
 public:
  // The axes of the clique, the last one fastest. Throws Stopped when the run ends.
  explicit Walk(std::vector<Arity> axes);

  // A table with these steps along the axes, 0 where it does not have one.
  View view(std::span<const std::size_t> steps) const;

  struct Input {
    const View* view;
    const double* values;  // at the clique's first cell
  };
  struct Output {
    const View* view;
    double* values;  // set to `nothing` by the caller
  };
  // For every output: out[cell] = sum, or maximum, over the clique's cells that it meets. To the last bit
  // the same for any number of threads.
  void run(std::span<const Input> inputs, std::span<const Output> outputs, Arithmetic arithmetic,
           Run& run) const;

  std::size_t n_cells() const { return n_cells_; }

 private:
  // The cells where `axis` is at `state`; all of them without an axis.
  struct Part {
    std::size_t axis, state;
  };
  void walk(std::span<const Input> inputs, std::span<const Output> outputs, Arithmetic arithmetic,
            const Part* part, Run& run) const;
  void share_out(std::span<const Input> inputs, std::vector<Output> outputs, Arithmetic arithmetic,
                 Run& run) const;
  std::size_t extent(const View& view) const;  // from the first to the last cell that is met

  std::vector<Arity> outer_axes_, inner_axes_;
  std::size_t block_ = 1;
  std::size_t n_cells_ = 1;
};

}  // namespace dagwright
