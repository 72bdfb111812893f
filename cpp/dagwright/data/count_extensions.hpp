// One against all with bitmaps: a family with each of many candidates added to its parents.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dagwright/base/run.hpp"
#include "dagwright/data/bitmaps.hpp"
#include "dagwright/data/extension_counts.hpp"
#include "dagwright/data/extension_tally.hpp"
#include "dagwright/data/row_splitter.hpp"

namespace dagwright {

// Whether the family's own cells are few enough, and all its variables have bitmaps.
bool can_count_extensions(const Bitmaps& bitmaps, const FamilyShape& base);

// Whether the rows are spread over the threads, if the work is worth them: there are many.
bool shares_out_rows(const Bitmaps& bitmaps, std::size_t threads);

// In how many parts to count so many candidates, each on a thread of its own. With many rows that is one:
// the rows are then spread over the threads.
std::size_t parts_worth_a_thread(const Bitmaps& bitmaps, double n_cells, std::size_t n_candidates,
                                 unsigned threads);

// The rows are split into the family's cells once; each cell is then counted against each candidate.
class ExtensionCounter {
 public:
  ExtensionCounter(const Table& table, const Bitmaps& bitmaps)
      : table_(table), bitmaps_(bitmaps), first_(bitmaps), tally_(table, bitmaps), counts_(base_) {}
  ExtensionCounter(const ExtensionCounter&) = delete;

  // A family whose extensions can be counted so.
  void begin(const FamilyShape& base);

  // All candidates have bitmaps and none is in the family. use(i, counts) for candidate i.
  void count(std::span<const Variable> candidates, Run& run, const UseExtension& use);

 private:
  void split_first(std::span<const Variable> candidates);
  void count_few_rows(std::span<const Variable> candidates, Run& run, const UseExtension& use);
  void count_many_rows(std::span<const Variable> candidates, Run& run, const UseExtension& use);

  const Table& table_;
  const Bitmaps& bitmaps_;
  FamilyShape base_;
  std::size_t n_cells_ = 0;
  std::vector<Variable> variables_;  // of the base, the child last
  std::vector<Arity> arities_;
  RowSplitter first_;         // the rows of the first block
  bool split_ = false;        // they are split by the base
  bool takes_bitmaps_ = true;  // and not a histogram for each candidate
  std::size_t skipped_ = 0;   // a cell that need not be counted: it follows from the others
  ExtensionTally tally_;
  ExtensionCounts counts_;  // of one candidate after the other
};

}  // namespace dagwright
