// Numbers of sets that have one variable more than a base set, all of one base set together.
#pragma once

#include <atomic>
#include <cmath>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "dagwright/base/per_process.hpp"
#include "dagwright/score/fingerprint.hpp"

namespace dagwright {

// By variable. Threads may read and write at once; what another one writes meanwhile is seen or not.
class ScoreRow {
 public:
  ScoreRow() = default;
  // The numbers lie in a block, which stays as long as one of its rows is used.
  ScoreRow(std::shared_ptr<double[]> block, double* numbers)
      : block_(std::move(block)), numbers_(numbers) {}

  // NaN if it is not known.
  double at(Variable v) const {
    return std::atomic_ref(numbers_[v]).load(std::memory_order_relaxed);
  }
  void put(Variable v, double number) {
    std::atomic_ref(numbers_[v]).store(number, std::memory_order_relaxed);
  }

 private:
  std::shared_ptr<double[]> block_;
  double* numbers_ = nullptr;
};

// One family against all candidates needs two rows, which is far less to look for than two numbers a
// candidate. When the memory bound is reached all rows are forgotten; who uses one goes on with it.
class ScoreRows {
 public:
  ScoreRows(std::size_t n_variables, std::size_t max_bytes);

  // The rows of some base sets, each made if there is none.
  void find_rows(std::span<const Fingerprint> bases, std::span<ScoreRow* const> rows);

  // The number of a set, if it is in the row of any of the sets with one member less.
  std::optional<double> find(const Fingerprint& set, std::span<const Variable> members) const;

  std::size_t size() const;  // numbers, the unknown ones of a row too
  std::size_t bytes() const;

 private:
  struct Hash {
    std::size_t operator()(const Fingerprint& key) const { return key.low; }
  };
  struct Rows {
    std::mutex mutex;  // held for a moment: that others may read at once would save nothing
    std::unordered_map<Fingerprint, ScoreRow, Hash> by_base;
    std::shared_ptr<double[]> block;  // for the next rows
    std::size_t n_in_block = 0;
  };

  ScoreRow new_row(Rows& rows) const;

  std::size_t n_variables_;
  std::size_t most_rows_;
  std::size_t rows_of_block_;
  PerProcess<Rows> rows_;
};

}  // namespace dagwright
