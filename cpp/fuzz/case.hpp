// One thing to compare all counters on: rows, weights, a family, candidates, threads, chunks.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "dagwright/base/types.hpp"
#include "dagwright/data/table.hpp"

namespace dagwright::fuzz {

struct Case {
  std::vector<Arity> arities;
  std::vector<std::vector<std::uint16_t>> codes;  // by variable, then by row
  std::vector<double> weights;                    // empty: every row counts once
  Family family;
  std::vector<Variable> candidates;  // not in the family
  unsigned threads = 1;
  std::vector<std::size_t> cuts;  // where chunks of rows begin and end, 0 and all rows included

  std::size_t n_rows() const { return codes.front().size(); }
  // The rows from begin to end, with these weights for them.
  Table table(std::size_t begin, std::size_t end, std::vector<double> weights) const;
  std::string describe() const;
};

Case read_case(std::span<const std::uint8_t> bytes);

}  // namespace dagwright::fuzz
