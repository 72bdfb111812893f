#include "dagwright/graph/enumerate.hpp"

#include <stdexcept>

namespace dagwright {

namespace {

bool is_acyclic(const ParentMasks& masks, std::size_t n) {
  unsigned left = (1U << n) - 1U;
  for (bool progress = true; progress && left != 0;) {
    progress = false;
    for (std::size_t v = 0; v < n; ++v) {
      if (((left >> v) & 1U) != 0 && (masks[v] & left) == 0) {
        left &= ~(1U << v);
        progress = true;
      }
    }
  }
  return left == 0;
}

void choose_parents(std::size_t v, std::size_t n, ParentMasks& masks,
                    std::vector<ParentMasks>& found) {
  if (v == n) {
    found.push_back(masks);
    return;
  }
  for (unsigned mask = 0; mask < (1U << n); ++mask) {
    masks[v] = static_cast<std::uint8_t>(mask);
    if (is_acyclic(masks, n)) choose_parents(v + 1, n, masks, found);
  }
  masks[v] = 0;
}

}  // namespace

std::vector<ParentMasks> all_dags(std::size_t n) {
  if (n > kMaxEnumeratedNodes) throw std::invalid_argument("too many nodes to list all DAGs");
  ParentMasks masks{};
  std::vector<ParentMasks> found;
  choose_parents(0, n, masks, found);
  return found;
}

}  // namespace dagwright
