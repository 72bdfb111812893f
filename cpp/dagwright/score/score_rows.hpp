// Numbers of sets that have one variable more than a base set, all of one base set together.
#pragma once

#include <atomic>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
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
//
// The numbers lie in chunks that are made unknown when the first one of them is put: so a row costs who makes it
// next to nothing, and its memory goes at once to the thread that fills it.
class ScoreRow {
 public:
  using Word = std::uint64_t;

  ScoreRow() = default;
  // Its words lie in a block, which stays as long as one of its rows is used: marks, which are zero, and
  // numbers, which nobody has touched.
  ScoreRow(std::shared_ptr<Word[]> block, Word* marks, Word* numbers, std::size_t n_variables)
      : block_(std::move(block)), marks_(marks), numbers_(numbers), n_variables_(n_variables) {}
  static std::size_t n_marks(std::size_t n_variables) { return (n_variables + kMarked - 1) / kMarked; }

  // NaN if it is not known.
  double at(Variable v) const {
    const Word marks = std::atomic_ref(marks_[v / kMarked]).load(std::memory_order_acquire);
    if ((marks >> (v / kChunk % 64) & 1) == 0) return std::numeric_limits<double>::quiet_NaN();
    return std::bit_cast<double>(std::atomic_ref(numbers_[v]).load(std::memory_order_relaxed));
  }
  void put(Variable v, double number) const {
    const Word marks = std::atomic_ref(marks_[v / kMarked]).load(std::memory_order_relaxed);
    if ((marks >> (v / kChunk % 64) & 1) == 0) make_unknown(v);
    std::atomic_ref(numbers_[v]).store(std::bit_cast<Word>(number), std::memory_order_relaxed);
  }

 private:
  static constexpr std::size_t kChunk = 64;           // numbers
  static constexpr std::size_t kMarked = 64 * kChunk;  // numbers whose chunks have their marks in one word

  // Of two threads that do this at once one may lose what it has put: that is counted again.
  void make_unknown(Variable v) const;

  std::shared_ptr<Word[]> block_;
  Word* marks_ = nullptr;  // a bit for each chunk: it was made unknown, and may have numbers since
  Word* numbers_ = nullptr;
  std::size_t n_variables_ = 0;
};

// One family against all candidates needs two rows, which is far less to look for than two numbers a
// candidate. When the memory bound is reached all rows are forgotten; who uses one goes on with it.
class ScoreRows {
 public:
  ScoreRows(std::size_t n_variables, std::size_t max_bytes);

  // The rows of some base sets, each made if there is none.
  void find_rows(std::span<const Fingerprint> bases, std::span<ScoreRow* const> rows);

  // The rows while none is made: to be held for a moment.
  class Use;
  Use use() const;

  std::size_t size() const;  // numbers, the unknown ones of a row too
  std::size_t bytes() const;

 private:
  struct Hash {
    std::size_t operator()(const Fingerprint& key) const { return key.low; }
  };
  struct Rows {
    std::mutex mutex;  // held for a moment: that others may read at once would save nothing
    std::unordered_map<Fingerprint, ScoreRow, Hash> by_base;
    std::shared_ptr<ScoreRow::Word[]> block;  // for the next rows
    std::size_t n_in_block = 0;
  };

  ScoreRow new_row(Rows& rows) const;

  std::size_t n_variables_;
  std::size_t most_rows_;
  std::size_t rows_of_block_;
  PerProcess<Rows> rows_;
};

class ScoreRows::Use {
 public:
  // The number of a set, if it is in the row of any of the sets with one member less; the members may come in
  // several lists.
  std::optional<double> find(const Fingerprint& set,
                             std::initializer_list<std::span<const Variable>> members) const;

 private:
  friend class ScoreRows;
  explicit Use(Rows& rows);
  const Rows& rows_;
  std::unique_lock<std::mutex> lock_;
};

}  // namespace dagwright
