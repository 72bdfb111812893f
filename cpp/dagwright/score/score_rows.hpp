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
// The numbers lie in chunks that are made unknown when the first ones of them are put: so a row costs who makes it
// next to nothing, and its memory goes at once to the thread that fills it. Marks and chunks begin at cache lines.
class ScoreRow {
 public:
  using Word = std::uint64_t;
  static constexpr std::size_t kChunk = 32;  // numbers

  ScoreRow() = default;
  // Its words lie in a block, which stays as long as one of its rows is used: marks, which are zero, and numbers, which
  // nobody has touched.
  ScoreRow(std::shared_ptr<Word[]> block, Word* marks, Word* numbers)
      : block_(std::move(block)), marks_(marks), numbers_(numbers) {}
  static std::size_t n_chunks(std::size_t n_variables) { return (n_variables + kChunk - 1) / kChunk; }
  // Words.
  static std::size_t size_of_marks(std::size_t n_variables) {
    constexpr std::size_t kBytesOfALine = 64;
    return (n_chunks(n_variables) + kBytesOfALine - 1) / kBytesOfALine * (kBytesOfALine / sizeof(Word));
  }

  // NaN if it is not known.
  double at(Variable v) const {
    return is_begun(v) ? number(numbers_[v]) : std::numeric_limits<double>::quiet_NaN();
  }
  // Calls for what tells which numbers are known, which another thread may have.
  void prefetch() const { __builtin_prefetch(marks_); }
  // The same for many; they are best sorted.
  void read(std::span<const Variable> variables, std::span<double> numbers) const;
  void put(std::span<const Variable> variables, std::span<const double> numbers) const;
  // The numbers of all variables but some, one by one and by threads at once: in a new row none is seen before all are
  // there.
  void put_hidden(Variable v, double number) const { put(numbers_[v], number); }
  void show_all(std::size_t n_variables, std::span<const Variable> except) const;

 private:
  // A byte for each chunk, so that who sets one need not wait for the others.
  std::uint8_t& mark(Variable v) const { return reinterpret_cast<std::uint8_t*>(marks_)[v / kChunk]; }
  // Whether the chunk of v was made unknown, and may have numbers since.
  bool is_begun(Variable v) const { return std::atomic_ref(mark(v)).load(std::memory_order_acquire) != 0; }
  static double number(Word& word) {
    return std::bit_cast<double>(std::atomic_ref(word).load(std::memory_order_relaxed));
  }
  static void put(Word& word, double number) {
    std::atomic_ref(word).store(std::bit_cast<Word>(number), std::memory_order_relaxed);
  }

  std::shared_ptr<Word[]> block_;
  Word* marks_ = nullptr;
  Word* numbers_ = nullptr;
};

// One family against all candidates needs two rows, which is far less to look for than two numbers a
// candidate. When the memory bound is reached all rows are forgotten; who uses one goes on with it.
class ScoreRows {
 public:
  ScoreRows(std::size_t n_variables, std::size_t max_bytes);

  // The row of a base set, made if there is none; new ones have no numbers yet.
  struct Found {
    ScoreRow row;
    bool is_new = false;
  };
  void find_rows(std::span<const Fingerprint> bases, std::span<Found* const> rows);

  // The rows while none is made: to be held for a moment.
  class Use;
  Use use() const;

  std::size_t most_rows() const { return most_rows_; }
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
  bool empty() const { return rows_.by_base.empty(); }
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
