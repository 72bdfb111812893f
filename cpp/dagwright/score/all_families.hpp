// The scores of all families of a few variables, for scores that are sums over sets.
//
// Depth first over the sets of variables: the rows of a set's cells are split by one more variable.
// Rows that are alone in their cell stay so, and are only counted from then on. Equal rows are one row.
#pragma once

#include <cstdint>
#include <vector>

#include "dagwright/base/run.hpp"
#include "dagwright/data/count_source.hpp"
#include "dagwright/score/score.hpp"

namespace dagwright {

class AllFamilies {
 public:
  // Of sets with up to `max_size` members. Throws Stopped when the run ends first.
  AllFamilies(const CellScore& score, const CountSource& source, std::size_t max_size, Run& run);

  static double bytes(std::size_t n_variables);

  // Without a structure prior. Parents are the bits of a word.
  double local(Variable child, std::uint64_t parents) const;

 private:
  const CellScore& score_;
  Count total_;
  std::vector<Arity> arities_;
  std::vector<double> values_;  // f of every set
  static constexpr int kLow = 14;
  std::vector<double> low_configs_, high_configs_;  // of the sets of the first kLow variables, of others
};

}  // namespace dagwright
