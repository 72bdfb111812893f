// The contingency table of one family: all that a score sees of the data.
//
// Only observed cells are visited (count > 0). Configurations of the parents come in the order of
// their states, the first parent slowest; within one, the child's states ascend. Both storages keep
// that order, so that sums over cells are the same to the last bit.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "dagwright/base/types.hpp"

namespace dagwright {

class Run;

// What a score may know of a family without its counts.
struct FamilyShape {
  Family family;
  Arity child_arity = 1;
  std::vector<Arity> parent_arities;

  // q, the number of parent configurations. A double, so that no product wraps around: it is exact
  // up to 2^53 and infinite beyond 1e308.
  double n_configs() const {
    double q = 1.0;
    for (const Arity r : parent_arities) q *= r;
    return q;
  }
  double n_cells() const { return n_configs() * child_arity; }
  double n_parameters() const { return n_configs() * (child_arity - 1.0); }
};

// The observed part of a family's table as flat lists, for those who want arrays.
struct ObservedCells {
  std::vector<std::uint32_t> config_states;  // the parents' states, one configuration after another
  std::vector<Count> config_totals;
  std::vector<std::uint32_t> cell_configs;  // a cell's place in config_totals
  std::vector<std::uint32_t> cell_states;
  std::vector<Count> cell_counts;
};

class FamilyCounts {
 public:
  // Dense: one number for each of the q * r cells, unobserved ones 0.
  static FamilyCounts dense(FamilyShape shape, std::vector<Count> cells);

  // Sparse: the observed configurations (their parents' states, one after the other), where each
  // one's cells begin, and the cells.
  static FamilyCounts sparse(FamilyShape shape, std::vector<std::uint16_t> config_states,
                             std::vector<std::size_t> config_begin,
                             std::vector<std::uint16_t> cell_states, std::vector<Count> cell_counts);

  // Dense, in place: gives the cells to fill, all 0; memory of an earlier family is used again.
  std::vector<Count>& begin_dense(const FamilyShape& shape);
  void end_dense() { sum_up(); }

  const FamilyShape& shape() const { return shape_; }
  Count total() const { return total_; }
  bool is_dense() const { return config_begin_.empty(); }

  // Of a dense table: all cells, the child's state fastest, and all configurations.
  std::span<const Count> dense_cells() const { return cells_; }
  std::span<const Count> dense_config_totals() const { return config_totals_; }

  // From now on for_each_cell and for_each_config throw Stopped when this run ends: a table of millions
  // of cells takes long to score. Copies do not know the run.
  void stop_with(Run& run) { run_.pointer = &run; }

  // fn(count, config, state) for every observed cell.
  template <class Fn>
  void for_each_cell(Fn&& fn) const {
    for_each_block([&](std::size_t begin, std::size_t end) {
      if (is_dense()) {
        const Count* cell = cells_.data() + begin * shape_.child_arity;
        for (std::size_t config = begin; config < end; ++config) {
          for (State state = 0; state < shape_.child_arity; ++state, ++cell) {
            if (*cell > 0) fn(*cell, config, state);
          }
        }
      } else {
        for (std::size_t config = begin; config < end; ++config) {
          for (std::size_t i = config_begin_[config]; i < config_begin_[config + 1]; ++i) {
            fn(cells_[i], config, State{cell_states_[i]});
          }
        }
      }
    });
  }

  // fn(total, config) for every observed configuration of the parents.
  template <class Fn>
  void for_each_config(Fn&& fn) const {
    for_each_block([&](std::size_t begin, std::size_t end) {
      for (std::size_t config = begin; config < end; ++config) {
        if (config_totals_[config] > 0) fn(config_totals_[config], config);
      }
    });
  }

  // The parents' states in a configuration named by its number above.
  std::vector<State> config_states(std::size_t config) const;

  ObservedCells observed() const;

  // Counts add up over chunks of rows. Throws Stopped, with the counts as they were, when the run ends.
  void add(const FamilyCounts& other, Run& run);

 private:
  FamilyShape shape_;
  Count total_ = 0;
  std::vector<Count> cells_;
  std::vector<Count> config_totals_;
  std::vector<std::uint16_t> config_states_;
  std::vector<std::size_t> config_begin_;
  std::vector<std::uint16_t> cell_states_;

  struct RunPointer {
    RunPointer() = default;
    RunPointer(const RunPointer&) {}
    RunPointer& operator=(const RunPointer&) { return *this = RunPointer(); }
    RunPointer(RunPointer&&) = default;
    RunPointer& operator=(RunPointer&&) = default;
    Run* pointer = nullptr;
  };
  RunPointer run_;

  void sum_up();
  void look() const;  // whether the run has ended
  // fn(begin, end) for blocks of configurations.
  template <class Fn>
  void for_each_block(Fn&& fn) const {
    constexpr std::size_t kBlock = 1024;
    for (std::size_t begin = 0; begin < config_totals_.size(); begin += kBlock) {
      if (begin > 0) look();
      fn(begin, std::min(begin + kBlock, config_totals_.size()));
    }
  }
};

}  // namespace dagwright
