#include "dagwright/data/recode.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace dagwright {

namespace {

// With few states, comparing with each of them is faster than looking up: many rows are compared at once.
template <std::size_t Most, class Code>
void recode_few(Code* codes, std::size_t n_rows, const std::vector<std::uint16_t>& new_code) {
  std::array<Code, Most> to{};
  for (std::size_t code = 0; code < new_code.size(); ++code) to[code] = static_cast<Code>(new_code[code]);
  for (std::size_t row = 0; row < n_rows; ++row) {
    const Code from = codes[row];
    Code recoded = 0;
    for (std::size_t code = 0; code < Most; ++code) {
      const auto all_or_none = static_cast<Code>(from == static_cast<Code>(code) ? Code(-1) : Code(0));
      recoded = static_cast<Code>(recoded | (all_or_none & to[code]));
    }
    codes[row] = recoded;
  }
}

template <class Code>
void recode_as(Code* codes, std::size_t n_rows, const std::vector<std::uint16_t>& new_code) {
  if (new_code.size() <= 4) return recode_few<4>(codes, n_rows, new_code);
  if (new_code.size() <= 8) return recode_few<8>(codes, n_rows, new_code);
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
