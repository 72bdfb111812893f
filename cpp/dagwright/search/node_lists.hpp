// Lists of nodes that come and go: what earlier ones took memory for is used again.
#pragma once

#include <cstddef>
#include <vector>

#include "dagwright/search/equivalence_class.hpp"

namespace dagwright {

class NodeLists {
 public:
  std::size_t size() const { return n_; }
  const Nodes& operator[](std::size_t i) const { return lists_[i]; }
  void clear() { n_ = 0; }
  void pop_back() { --n_; }

  void add_empty() { next().clear(); }
  // One of the lists, and one more node.
  void add_longer(std::size_t i, Variable node) {
    Nodes& longer = next();
    longer.reserve(lists_[i].size() + 1);
    longer = lists_[i];
    longer.push_back(node);
  }

 private:
  Nodes& next() {
    if (lists_.size() == n_) lists_.emplace_back();
    return lists_[n_++];
  }

  std::vector<Nodes> lists_;  // the first n; the others are kept for their memory, as many as there ever were
  std::size_t n_ = 0;
};

}  // namespace dagwright
