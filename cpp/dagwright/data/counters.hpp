// Counters: rows in, the contingency table of one family out. They all give the same table.
#pragma once

#include "dagwright/data/family_counts.hpp"
#include "dagwright/data/table.hpp"

namespace dagwright {

// Numbers each cell by its place in the full table: for tables that the rows can fill.
FamilyCounts count_dense(const Table& table, const FamilyShape& shape);

// Sorts the rows by their cell: for tables far larger than the number of rows.
FamilyCounts count_sparse(const Table& table, const FamilyShape& shape);

// A map from states to count, row by row: slow and obvious, the oracle of the others.
FamilyCounts count_naive(const Table& table, const FamilyShape& shape);

}  // namespace dagwright
