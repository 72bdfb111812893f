// Counting with bitmaps.
#pragma once

#include <span>

#include "dagwright/data/bitmaps.hpp"
#include "dagwright/data/family_counts.hpp"

namespace dagwright {

// Rows are taken in blocks of this many words, so that partial results stay in the fastest cache.
inline constexpr std::size_t kBlockWords = 512;

// Whether its table is small enough for bitmaps to be faster than a histogram.
bool prefers_bitmap(const FamilyShape& shape);

// Whether all variables of the family have bitmaps.
bool can_count_bitmap(const Bitmaps& bitmaps, const Family& family);

// One family, every variable of which has bitmaps.
FamilyCounts count_bitmap(const Bitmaps& bitmaps, const FamilyShape& shape);

}  // namespace dagwright
