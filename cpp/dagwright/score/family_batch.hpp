// Many families in one piece of memory: a search asks for thousands at a time.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "dagwright/base/types.hpp"

namespace dagwright {

class FamilyBatch {
 public:
  void reserve(std::size_t n_families, std::size_t n_parents) {
    children_.reserve(n_families);
    ends_.reserve(n_families);
    parents_.reserve(n_parents);
  }
  void add(Variable child, std::span<const Variable> parents) {
    parents_.insert(parents_.end(), parents.begin(), parents.end());
    close(child);
  }
  // The family with one parent added, or removed if it is there.
  void add_toggled(const Family& family, Variable other) {
    const auto& parents = family.parents;
    const auto place = std::lower_bound(parents.begin(), parents.end(), other);
    parents_.insert(parents_.end(), parents.begin(), place);
    const bool there = place != parents.end() && *place == other;
    if (!there) parents_.push_back(other);
    parents_.insert(parents_.end(), there ? place + 1 : place, parents.end());
    close(family.child);
  }

  std::size_t size() const { return children_.size(); }
  Variable child(std::size_t i) const { return children_[i]; }
  std::span<const Variable> parents(std::size_t i) const {
    const std::size_t begin = i == 0 ? 0 : ends_[i - 1];
    return {parents_.data() + begin, ends_[i] - begin};
  }
  Family family(std::size_t i) const {
    const auto parents = this->parents(i);
    return {child(i), {parents.begin(), parents.end()}};
  }

 private:
  void close(Variable child) {
    children_.push_back(child);
    ends_.push_back(parents_.size());
  }

  std::vector<Variable> children_;
  std::vector<Variable> parents_;
  std::vector<std::size_t> ends_;
};

}  // namespace dagwright
