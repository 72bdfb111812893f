// All labelled DAGs of a few nodes: the ground truth that searches and samplers are tested on.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace dagwright {

inline constexpr std::size_t kMaxEnumeratedNodes = 5;

// Bit u of masks[v] is set when u is a parent of v.
using ParentMasks = std::array<std::uint8_t, kMaxEnumeratedNodes>;

// 1, 1, 3, 25, 543, 29281 for n = 0..5, in lexicographic order of the masks. Throws
// std::invalid_argument for more nodes.
std::vector<ParentMasks> all_dags(std::size_t n);

}  // namespace dagwright
