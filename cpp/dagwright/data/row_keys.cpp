#include "dagwright/data/row_keys.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "dagwright/data/counters.hpp"

namespace dagwright {

namespace {

constexpr std::uint64_t kLargest = std::numeric_limits<std::uint64_t>::max();
// Fewer keys than this are sorted by insertion.
constexpr std::size_t kFew = 24;

}  // namespace

RowKeys::RowKeys(const Table& table, const FamilyShape& shape, Run& run)
    : run_(run),
      n_rows_(table.n_rows()),
      child_arity_(shape.child_arity),
      weighted_(!table.weights().empty()) {
  std::vector<Variable> variables = shape.family.parents;
  variables.push_back(shape.family.child);
  key_words_.emplace_back();
  for (const Variable v : variables) {
    const Arity arity = table.arity(v);
    if (key_words_.back().bound > kLargest / arity) key_words_.emplace_back();
    key_words_.back().arities.push_back(arity);
    key_words_.back().bound *= arity;
  }
  stride_ = key_words_.size() + (weighted_ ? 1 : 0);
  for (std::size_t w = 0; w < key_words_.size(); ++w) {
    const auto bits = static_cast<int>(std::bit_width(key_words_[w].bound - 1));
    for (int left = bits; left > 0; left -= 8) digits_.push_back({w, std::max(left - 8, 0)});
  }
  words_ = std::make_unique_for_overwrite<std::uint64_t[]>(n_rows_ * stride_);
  fill(table, variables);
}

void RowKeys::fill(const Table& table, const std::vector<Variable>& variables) {
  for (std::size_t begin = 0; begin < n_rows_; begin += kRowsPerLook) {
    const std::size_t end = std::min(n_rows_, begin + kRowsPerLook);
    std::size_t next = 0;
    for (std::size_t w = 0; w < key_words_.size(); ++w) {
      std::uint64_t* const words = words_.get() + begin * stride_ + w;
      for (std::size_t i = 0; i < end - begin; ++i) words[i * stride_] = 0;
      for (const std::uint64_t arity : key_words_[w].arities) {
        tick(end - begin);
        table.codes(variables[next++]).visit([&](const auto* codes) {
          for (std::size_t i = 0; i < end - begin; ++i) {
            words[i * stride_] = words[i * stride_] * arity + codes[begin + i];
          }
        });
      }
    }
    if (!weighted_) continue;
    for (std::size_t row = begin; row < end; ++row) {
      words_[(row + 1) * stride_ - 1] = std::bit_cast<std::uint64_t>(table.weights()[row]);
    }
  }
}

void RowKeys::sort() {
  if (stride_ == 1) return sort<1>(0, size(), 0);
  if (stride_ == 2) return sort<2>(0, size(), 0);
  sort<0>(0, size(), 0);
}

// By eight bits at a time: every key goes to the part of its bits, then the parts are sorted by the
// next ones.
template <std::size_t Stride>
void RowKeys::sort(std::size_t begin, std::size_t end, std::size_t digit) {
  const auto bits = [&](std::size_t i) {
    const Digit& d = digits_[digit];
    return static_cast<std::uint8_t>(at<Stride>(i)[d.word] >> d.shift);
  };
  std::array<std::size_t, 256> ends;
  for (;; ++digit) {
    if (digit == digits_.size() || end - begin < 2) return;
    if (end - begin <= kFew) return sort_few<Stride>(begin, end);
    ends.fill(0);
    for (std::size_t i = begin; i < end;) {
      const std::size_t pause = std::min(end, i + kRowsPerLook);
      tick(pause - i);
      for (; i < pause; ++i) ++ends[bits(i)];
    }
    if (ends[bits(begin)] < end - begin) break;  // else they all have the same
  }
  std::array<std::size_t, 256> next;
  std::size_t sum = begin;
  for (std::size_t b = 0; b < 256; ++b) {
    next[b] = sum;
    sum += ends[b];
    ends[b] = sum;
  }
  for (std::size_t b = 0; b < 256; ++b) {
    while (next[b] < ends[b]) {
      tick(1);
      const std::uint8_t place = bits(next[b]);
      if (place == b) {
        ++next[b];
      } else {
        swap<Stride>(next[b], next[place]++);
      }
    }
  }
  for (std::size_t b = 0, from = begin; b < 256; from = ends[b++]) {
    sort<Stride>(from, ends[b], digit + 1);
  }
}

template <std::size_t Stride>
void RowKeys::sort_few(std::size_t begin, std::size_t end) {
  tick(end - begin);
  const std::size_t n_words = key_words_.size();
  const auto before = [&](std::size_t i, std::size_t j) {
    const std::uint64_t* a = at<Stride>(i);
    const std::uint64_t* b = at<Stride>(j);
    if constexpr (Stride == 1) return *a < *b;
    return std::lexicographical_compare(a, a + n_words, b, b + n_words);
  };
  for (std::size_t i = begin + 1; i < end; ++i) {
    for (std::size_t j = i; j > begin && before(j, j - 1); --j) swap<Stride>(j, j - 1);
  }
}

template <std::size_t Stride>
void RowKeys::swap(std::size_t i, std::size_t j) {
  std::uint64_t* a = at<Stride>(i);
  std::swap_ranges(a, a + (Stride == 0 ? stride_ : Stride), at<Stride>(j));
}

void RowKeys::tick(std::size_t work) {
  ticks_ += work;
  if (ticks_ < kRowsPerLook) return;
  ticks_ = 0;
  run_.check_inside();
}

bool RowKeys::same_cell(std::size_t i, std::size_t j) const {
  const auto a = key(i), b = key(j);
  return std::equal(a.begin(), a.end(), b.begin());
}

bool RowKeys::same_config(std::size_t i, std::size_t j) const {
  const auto a = key(i), b = key(j);
  return a.back() / child_arity_ == b.back() / child_arity_ &&
         std::equal(a.begin(), a.end() - 1, b.begin());
}

void RowKeys::append_config(std::size_t i, std::vector<std::uint16_t>& out) const {
  const auto from = static_cast<std::ptrdiff_t>(out.size());
  for (std::size_t w = key_words_.size(); w-- > 0;) {
    std::uint64_t rest = key(i)[w];
    const auto& arities = key_words_[w].arities;
    for (std::size_t k = arities.size(); k-- > 0;) {
      const bool is_child = w + 1 == key_words_.size() && k + 1 == arities.size();
      if (!is_child) out.push_back(static_cast<std::uint16_t>(rest % arities[k]));
      rest /= arities[k];
    }
  }
  std::reverse(out.begin() + from, out.end());
}

}  // namespace dagwright
