// One against all by histograms: for families whose cells are too many, or too unevenly filled, for bitmaps.
#pragma once

#include <span>

#include "dagwright/base/run.hpp"
#include "dagwright/data/count_source.hpp"

namespace dagwright {

// Numbers the cell of each row once; each candidate is then one histogram. The family has at most
// 65535 cells, and all its variables and the candidates have codes of one byte.
void count_extensions_histogram(const Table& table, const FamilyShape& base,
                                std::span<const Variable> candidates, Run& run,
                                const UseExtension& use);

}  // namespace dagwright
