// Codes of one numbering of the states to those of another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace dagwright {

// codes[i] = new_code[codes[i]] for both widths of codes; codes without an entry become 0.
void recode(std::uint8_t* codes, std::size_t n_rows, const std::vector<std::uint16_t>& new_code);
void recode(std::uint16_t* codes, std::size_t n_rows, const std::vector<std::uint16_t>& new_code);

}  // namespace dagwright
