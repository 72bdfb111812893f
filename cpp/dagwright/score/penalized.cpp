#include "dagwright/score/penalized.hpp"

#include <bit>
#include <cstdint>

#include "dagwright/base/order_free_sum.hpp"
#include "dagwright/score/x_log_x.hpp"

namespace dagwright {

namespace {

// Of the counts that for_each(add) adds. Neither their order nor how they are stored matters: the sum of
// whole numbers that are in the table is one of whole units.
template <class ForEach>
double sum_of(ForEach&& for_each, Count total) {
  const XLogX x_log_x;
  if (x_log_x.knows(total)) {
    // Of each cell no question is asked: an empty one adds 0, and counts that are not whole show in the end.
    // Added to 2^52, a count is rounded to a whole number, which is then in the last bits: that is faster than
    // turning it into an integer and back.
    constexpr double kShift = 0x1p52;
    bool whole = true;
    std::int64_t units = 0;
    for_each([&](Count c) {
      const double shifted = c + kShift;
      whole &= shifted - kShift == c;
      units += x_log_x.in_units(std::bit_cast<std::uint64_t>(shifted) & (XLogX::kSize - 1));
    });
    if (whole) return XLogX::of_units(units);
  }
  OrderFreeSum sum;
  for_each([&](Count c) {
    if (c > 0) sum.add(x_log_x(c));
  });
  return sum.value();
}

}  // namespace

double entropy_sum(std::span<const Count> cells, Count total) {
  return sum_of(
      [&](auto&& add) {
        // Four at a time: what so short a loop costs depends on where the compiler happens to put it.
        std::size_t i = 0;
        for (; i + 4 <= cells.size(); i += 4) {
          add(cells[i]);
          add(cells[i + 1]);
          add(cells[i + 2]);
          add(cells[i + 3]);
        }
        for (; i < cells.size(); ++i) add(cells[i]);
      },
      total);
}

SetScore::Values entropy_sums(const FamilyCounts& counts) {
  const Count total = counts.total();
  if (counts.is_dense())
    return {entropy_sum(counts.dense_cells(), total), entropy_sum(counts.dense_config_totals(), total)};
  const auto cells = [&](auto&& add) {
    counts.for_each_cell([&](Count c, std::size_t, State) { add(c); });
  };
  const auto configs = [&](auto&& add) {
    counts.for_each_config([&](Count c, std::size_t) { add(c); });
  };
  return {sum_of(cells, total), sum_of(configs, total)};
}

}  // namespace dagwright
