#include "dagwright/data/bitmaps.hpp"

#include <algorithm>
#include <cmath>
#include <new>

namespace dagwright {

namespace {

constexpr std::align_val_t kAlignment{64};
constexpr double kWeightUnit = 1.0 / 16;
constexpr double kMostUnits = 65536;   // 16 planes

std::size_t words_for(std::size_t n_rows) {
  const std::size_t words = (n_rows + 63) / 64;
  return (words + kWordsPerStep - 1) / kWordsPerStep * kWordsPerStep;
}

}  // namespace

AlignedWords::AlignedWords(std::size_t n_words)
    : words_(n_words == 0 ? nullptr
                          : static_cast<Word*>(::operator new[](n_words * sizeof(Word), kAlignment))) {}

namespace {
AlignedWords zeros(std::size_t n_words) {
  AlignedWords words(n_words);
  std::fill_n(words.data(), n_words, Word{0});
  return words;
}
}  // namespace

void AlignedWords::Free::operator()(Word* words) const { ::operator delete[](words, kAlignment); }

Bitmaps::Bitmaps(const Table& table, const Kernels& kernels)
    : n_rows_(table.n_rows()),
      n_words_(words_for(table.n_rows())),
      kernels_(kernels),
      unweighted_(table.weights().empty()),
      variables_(table.n_variables()) {
  make_planes(table);
  if (!has_planes()) return;
  for (Variable v = 0; v < table.n_variables(); ++v) make_variable(table, v);
}

void Bitmaps::make_variable(const Table& table, Variable v) {
  OfVariable& variable = variables_[v];
  const std::uint8_t* codes = table.codes(v).narrow;
  if (codes == nullptr || table.arity(v) > kMostBitmapStates) return;
  variable.has = true;
  auto& rows = variable.rows_by_state;
  rows = table.rows_by_state(v);
  variable.left_out = static_cast<State>(std::max_element(rows.begin(), rows.end()) - rows.begin());
  variable.words = zeros((table.arity(v) - 1) * n_words_);
  Word* out = variable.words.data();
  for (State s = 0; s < table.arity(v); ++s) {
    if (s == variable.left_out) continue;
    kernels_.mark(codes, n_rows_, static_cast<std::uint8_t>(s), out);
    out += n_words_;
  }
}

void Bitmaps::make_planes(const Table& table) {
  const auto mark_row = [](AlignedWords& rows, std::size_t row) {
    rows.data()[row / 64] |= Word{1} << (row % 64);
  };
  if (table.weights().empty()) {
    planes_.push_back({zeros(n_words_), 1.0});
    Word* words = planes_.front().rows.data();
    std::fill_n(words, n_rows_ / 64, ~Word{0});
    if (n_rows_ % 64 != 0) words[n_rows_ / 64] = (Word{1} << (n_rows_ % 64)) - 1;
    return;
  }
  double unit = 1.0;  // whole weights need no planes for sixteenths
  for (const double weight : table.weights()) {
    if (weight != std::floor(weight)) unit = kWeightUnit;
  }
  double most = 0;
  for (const double weight : table.weights()) {
    const double units = weight / unit;
    if (units != std::floor(units) || units >= kMostUnits) return;
    most = std::max(most, units);
  }
  for (std::uint64_t digit = 1; digit <= static_cast<std::uint64_t>(most); digit *= 2) {
    AlignedWords rows = zeros(n_words_);
    bool any = false;
    for (std::size_t row = 0; row < n_rows_; ++row) {
      if (static_cast<std::uint64_t>(table.weights()[row] / unit) & digit) {
        mark_row(rows, row);
        any = true;
      }
    }
    if (any) planes_.push_back({std::move(rows), unit * static_cast<double>(digit)});
  }
}

}  // namespace dagwright
