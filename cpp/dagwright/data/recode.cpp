#include "dagwright/data/recode.hpp"

#include <algorithm>
#include <limits>

namespace dagwright {

namespace {

template <class Code>
void recode_as(Code* codes, std::size_t n_rows, const std::vector<std::uint16_t>& new_code) {
  // As long as Code has values, so that no code can point outside.
  std::vector<Code> table(std::size_t{std::numeric_limits<Code>::max()} + 1);
  for (std::size_t code = 0; code < std::min(table.size(), new_code.size()); ++code) {
    table[code] = static_cast<Code>(new_code[code]);
  }
  for (std::size_t row = 0; row < n_rows; ++row) codes[row] = table[codes[row]];
}

}  // namespace

void recode(std::uint8_t* codes, std::size_t n_rows, const std::vector<std::uint16_t>& new_code) {
  recode_as(codes, n_rows, new_code);
}

void recode(std::uint16_t* codes, std::size_t n_rows, const std::vector<std::uint16_t>& new_code) {
  recode_as(codes, n_rows, new_code);
}

}  // namespace dagwright
