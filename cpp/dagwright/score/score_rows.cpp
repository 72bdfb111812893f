#include "dagwright/score/score_rows.hpp"

#include <algorithm>
#include <limits>
#include <mutex>
#include <new>

#include "dagwright/base/wait_awake.hpp"

namespace dagwright {

namespace {

// Rows take their memory in blocks: asking for that of each one takes longer than filling it.
constexpr std::size_t kBytesOfABlock = 64 * 1024;

// Of a row: its words, and what finding it takes.
std::size_t bytes_of_row(std::size_t n_variables) {
  return 128 + (ScoreRow::size_of_marks(n_variables) + ScoreRow::n_chunks(n_variables) * ScoreRow::kChunk) *
                   sizeof(ScoreRow::Word);
}

// Without values, and beginning at a cache line.
std::shared_ptr<ScoreRow::Word[]> words_at_line(std::size_t n_words) {
  constexpr std::align_val_t kLine{64};
  auto* const words = static_cast<ScoreRow::Word*>(::operator new(n_words * sizeof(ScoreRow::Word), kLine));
  return std::shared_ptr<ScoreRow::Word[]>(
      words, [](ScoreRow::Word* held) { ::operator delete(held, std::align_val_t{64}); });
}

}  // namespace

ScoreRows::ScoreRows(std::size_t n_variables, std::size_t max_bytes)
    : n_variables_(n_variables),
      most_rows_(max_bytes / bytes_of_row(n_variables)),
      rows_of_block_(std::clamp<std::size_t>(kBytesOfABlock / bytes_of_row(n_variables), 1,
                                             std::max<std::size_t>(most_rows_, 1))) {}

// Those of one chunk are done together: its mark may be in a line that another thread has just written to.
template <class Fn>
void for_each_chunk(std::span<const Variable> variables, Fn&& fn) {
  for (std::size_t begin = 0, end = 0; begin < variables.size(); begin = end) {
    const auto chunk = variables[begin] / ScoreRow::kChunk;
    while (end < variables.size() && variables[end] / ScoreRow::kChunk == chunk) ++end;
    fn(begin, end);
  }
}

void ScoreRow::read(std::span<const Variable> variables, std::span<double> numbers) const {
  for_each_chunk(variables, [&](std::size_t begin, std::size_t end) {
    const bool begun = is_begun(variables[begin]);
    for (std::size_t i = begin; i < end; ++i)
      numbers[i] = begun ? number(numbers_[variables[i]]) : std::numeric_limits<double>::quiet_NaN();
  });
}

// Of two threads that begin the same chunk at once one may lose what it has put: that is counted again.
void ScoreRow::put(std::span<const Variable> variables, std::span<const double> numbers) const {
  for_each_chunk(variables, [&](std::size_t begin, std::size_t end) {
    const Variable first = variables[begin];
    const bool begun = is_begun(first);
    Word* const chunk = numbers_ + first / kChunk * kChunk;
    if (!begun)
      for (std::size_t i = 0; i < kChunk; ++i) put(chunk[i], std::numeric_limits<double>::quiet_NaN());
    for (std::size_t i = begin; i < end; ++i) put(numbers_[variables[i]], numbers[i]);
    if (!begun) std::atomic_ref(mark(first)).store(1, std::memory_order_release);
  });
}

void ScoreRow::show_all(std::size_t n_variables, std::span<const Variable> except) const {
  constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
  for (const Variable v : except) put(numbers_[v], kUnknown);
  const std::size_t n_chunks = ScoreRow::n_chunks(n_variables);
  for (std::size_t i = n_variables; i < n_chunks * kChunk; ++i) put(numbers_[i], kUnknown);
  for (std::size_t chunk = 0; chunk < n_chunks; ++chunk)
    std::atomic_ref(mark(static_cast<Variable>(chunk * kChunk))).store(1, std::memory_order_release);
}

ScoreRow ScoreRows::new_row(Rows& rows) const {
  const std::size_t n_marks = ScoreRow::size_of_marks(n_variables_);
  const std::size_t size = n_marks + ScoreRow::n_chunks(n_variables_) * ScoreRow::kChunk;
  if (rows.block == nullptr || rows.n_in_block == rows_of_block_) {
    rows.block = words_at_line(rows_of_block_ * size);
    rows.n_in_block = 0;
  }
  ScoreRow::Word* const marks = rows.block.get() + rows.n_in_block++ * size;
  std::fill_n(marks, n_marks, ScoreRow::Word{0});
  return ScoreRow(rows.block, marks, marks + n_marks);
}

void ScoreRows::find_rows(std::span<const Fingerprint> bases, std::span<Found* const> found) {
  Rows& rows = rows_.get();
  const std::unique_lock lock = locked_awake(rows.mutex);
  for (std::size_t i = 0; i < bases.size(); ++i) {
    const auto place = rows.by_base.find(bases[i]);
    found[i]->is_new = place == rows.by_base.end();
    if (!found[i]->is_new) {
      found[i]->row = place->second;
      continue;
    }
    found[i]->row = new_row(rows);
    if (most_rows_ == 0) continue;
    if (rows.by_base.size() >= most_rows_) rows.by_base.clear();
    rows.by_base.try_emplace(bases[i], found[i]->row);
  }
}

ScoreRows::Use::Use(Rows& rows) : rows_(rows), lock_(locked_awake(rows.mutex)) {}

ScoreRows::Use ScoreRows::use() const { return Use(rows_.get()); }

std::optional<double> ScoreRows::Use::find(
    const Fingerprint& set, std::initializer_list<std::span<const Variable>> members) const {
  if (empty()) return std::nullopt;
  for (const auto& some : members) {
    for (const Variable v : some) {
      const auto place = rows_.by_base.find(set - Fingerprint::of_member(v));
      if (place == rows_.by_base.end()) continue;
      const double number = place->second.at(v);
      if (!std::isnan(number)) return number;
    }
  }
  return std::nullopt;
}

std::size_t ScoreRows::size() const { return bytes() / bytes_of_row(n_variables_) * n_variables_; }

std::size_t ScoreRows::bytes() const {
  Rows& rows = rows_.get();
  const std::unique_lock lock = locked_awake(rows.mutex);
  return rows.by_base.size() * bytes_of_row(n_variables_);
}

}  // namespace dagwright
