// Where counts come from: batches of families go in, counts come out.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "dagwright/base/run.hpp"
#include "dagwright/data/bitmaps.hpp"
#include "dagwright/data/extension_counts.hpp"
#include "dagwright/data/extensions.hpp"
#include "dagwright/data/family_counts.hpp"
#include "dagwright/data/pair_counts.hpp"
#include "dagwright/data/table.hpp"

namespace dagwright {

class CountSource {
 public:
  // use(i, counts) is called once for family i, on any thread of the run.
  using Use = std::function<void(std::size_t, const FamilyCounts&)>;

  virtual ~CountSource() = default;
  virtual void count(std::span<const Family> families, Run& run, const Use& use) const = 0;
  // For counting one family with each of many candidates added to its parents. The source outlives it.
  virtual std::unique_ptr<Extensions> extensions() const;
  // The same in one call: use(i, counts) for the family with candidates[i], on any thread of the run.
  void count_extensions(const Family& base, std::span<const Variable> candidates, Run& run,
                        const UseExtension& use) const;
  // In how many parts to ask for so many candidates, each on one of some threads; 1 if threads are used
  // better inside one call.
  virtual std::size_t parts_worth_a_thread(const Family&, std::size_t, unsigned) const { return 1; }
  // Whether threads are of more use with different questions than inside each.
  virtual bool counts_side_by_side(const Run&) const { return false; }
  // The table of every pair of variables v < w with begin <= v < end.
  virtual void count_pairs(Variable begin, Variable end, Run& run, const UsePair& use) const = 0;
  virtual double n_rows() const = 0;
  // N, the sum of the rows' weights.
  virtual Count total() const = 0;
  // The weights of the rows, one a row.
  virtual std::vector<double> weights() const = 0;
  // The same rows with other weights, one a row.
  virtual std::shared_ptr<const CountSource> reweighted(std::vector<double> weights) const = 0;

  std::size_t n_variables() const { return arities_.size(); }
  const std::vector<Arity>& arities() const { return arities_; }
  void shape(const Family& family, FamilyShape& out) const;  // writes over it, which spares its memory
  FamilyShape shape(const Family& family) const {
    FamilyShape out;
    shape(family, out);
    return out;
  }

 protected:
  explicit CountSource(std::vector<Arity> arities) : arities_(std::move(arities)) {}
  // Counts pairs as families, those for which `wanted` holds.
  void count_pairs_as_families(Variable begin, Variable end,
                               const std::function<bool(Variable, Variable)>& wanted, Run& run,
                               const UsePair& use) const;

 private:
  std::vector<Arity> arities_;
};

// Extensions that are counted like any families.
class ExtensionsAsFamilies final : public Extensions {
 public:
  explicit ExtensionsAsFamilies(const CountSource& source) : source_(source) {}
  void begin(const Family& base) override { base_ = base; }
  void count(std::span<const Variable> candidates, Run& run, const UseExtension& use) override;

 private:
  const CountSource& source_;
  Family base_;
};

// Rows in memory.
class TableSource final : public CountSource {
 public:
  explicit TableSource(std::shared_ptr<const Table> table);
  void count(std::span<const Family> families, Run& run, const Use& use) const override;
  std::unique_ptr<Extensions> extensions() const override;
  std::size_t parts_worth_a_thread(const Family& base, std::size_t n_candidates,
                                   unsigned threads) const override;
  bool counts_side_by_side(const Run& run) const override;
  void count_pairs(Variable begin, Variable end, Run& run, const UsePair& use) const override;
  double n_rows() const override { return static_cast<double>(table_->n_rows()); }
  Count total() const override { return table_->total(); }
  std::vector<double> weights() const override { return table_->row_weights(); }
  std::shared_ptr<const CountSource> reweighted(std::vector<double> weights) const override;

 private:
  std::shared_ptr<const Table> table_;
  Bitmaps bitmaps_;
};

// Rows that come in chunks, each a table with the same variables. A pass over the chunks answers
// a whole batch; only one chunk and the counts of the batch are in memory.
class ChunkedSource final : public CountSource {
 public:
  // Calls its argument with each chunk in turn, in the same order every time.
  using ForEachChunk = std::function<void(const std::function<void(const Table&)>&)>;

  ChunkedSource(std::vector<Arity> arities, ForEachChunk for_each_chunk,
                std::vector<double> weights = {},
                std::shared_ptr<std::recursive_timed_mutex> passes =
                    std::make_shared<std::recursive_timed_mutex>());
  void count(std::span<const Family> families, Run& run, const Use& use) const override;
  void count_pairs(Variable begin, Variable end, Run& run, const UsePair& use) const override;
  double n_rows() const override { return n_rows_; }
  Count total() const override { return total_; }
  std::vector<double> weights() const override;
  std::shared_ptr<const CountSource> reweighted(std::vector<double> weights) const override;

 private:
  std::unique_lock<std::recursive_timed_mutex> begin_pass(Run& run) const;  // one at a time
  void visit_chunks(const std::function<void(const Table&)>& visit) const;

  ForEachChunk for_each_chunk_;
  // One pass at a time: what gives the chunks need not bear two readers. Recursive, for a callback
  // that asks for a score during a pass.
  std::shared_ptr<std::recursive_timed_mutex> passes_;
  std::vector<double> weights_;  // overrides the chunks' own when not empty
  double n_rows_ = 0;
  Count total_ = 0;
};

}  // namespace dagwright
