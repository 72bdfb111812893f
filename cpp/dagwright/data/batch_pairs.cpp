#include "dagwright/data/batch_pairs.hpp"

#include <algorithm>
#include <bit>

namespace dagwright {

namespace {

std::uint64_t key_of(Variable a, Variable b) {
  return std::uint64_t{std::max(a, b)} << 32 | std::min(a, b);
}

// Pairs that a thread takes at a time.
constexpr std::size_t kPiece = 64;

}  // namespace

BatchPairs::BatchPairs(const Bitmaps& bitmaps, std::span<const Family* const> families, Run& run)
    : bitmaps_(bitmaps) {
  const double n = static_cast<double>(bitmaps.n_variables());
  double most = 0;
  for (const Family* family : families) {
    const double k = static_cast<double>(family->parents.size());
    most += k * (k + 1) / 2;
  }
  most = std::min(most, n * (n - 1) / 2);
  slots_.resize(std::bit_ceil(2 * static_cast<std::size_t>(most) + 2));
  std::vector<std::size_t> taken;
  std::size_t size = 0;
  const auto take = [&](Variable a, Variable b) {
    const std::uint64_t key = key_of(a, b);
    const std::size_t i = place(key);
    if (slots_[i].key == key) return;
    slots_[i] = {key, size};
    taken.push_back(i);
    size += std::size_t{bitmaps_.arity(a)} * bitmaps_.arity(b);
  };
  for (const Family* family : families) {
    const auto& parents = family->parents;
    for (std::size_t i = 0; i < parents.size(); ++i) {
      take(family->child, parents[i]);
      for (std::size_t j = 0; j < i; ++j) take(parents[j], parents[i]);
    }
  }
  counts_.resize(size);
  run.parallel_for((taken.size() + kPiece - 1) / kPiece, [&](std::size_t piece) {
    const std::size_t end = std::min(taken.size(), (piece + 1) * kPiece);
    for (std::size_t i = piece * kPiece; i < end && !run.stopping_inside(); ++i) {
      count(slots_[taken[i]]);
    }
  });
}

std::size_t BatchPairs::place(std::uint64_t key) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t i = (key * 0x9E3779B97F4A7C15ULL) >> 32 & mask;
  while (slots_[i].key != key && slots_[i].key != 0) i = (i + 1) & mask;
  return i;
}

BatchPairs::OfPair BatchPairs::find(Variable first, Variable second) const {
  const std::int32_t* counts = counts_.data() + slots_[place(key_of(first, second))].begin;
  return first < second ? OfPair{counts, bitmaps_.arity(second), 1}
                        : OfPair{counts, 1, bitmaps_.arity(first)};
}

void BatchPairs::count(const Slot& slot) {
  const auto a = static_cast<Variable>(slot.key & 0xffffffff);
  const auto b = static_cast<Variable>(slot.key >> 32);
  const State a_left_out = bitmaps_.left_out(a);
  const State b_left_out = bitmaps_.left_out(b);
  const std::size_t r = bitmaps_.arity(b);
  std::int32_t* counts = counts_.data() + slot.begin;
  std::int32_t* rest = counts + a_left_out * r;
  for (State t = 0; t < r; ++t) {
    rest[t] = static_cast<std::int32_t>(bitmaps_.rows_by_state(b)[t]);
  }
  for (State s = 0; s < bitmaps_.arity(a); ++s) {
    if (s == a_left_out) continue;
    std::int32_t* row = counts + s * r;
    row[b_left_out] = static_cast<std::int32_t>(bitmaps_.rows_by_state(a)[s]);
    for (State t = 0; t < r; ++t) {
      if (t == b_left_out) continue;
      row[t] = static_cast<std::int32_t>(bitmaps_.kernels().and_count(
          bitmaps_.state(a, s), bitmaps_.state(b, t), bitmaps_.n_words()));
      row[b_left_out] -= row[t];
    }
    for (State t = 0; t < r; ++t) rest[t] -= row[t];
  }
}

}  // namespace dagwright
