// The table of a family with one more parent, as whoever counts many such has it. There are many, and
// most scores need no more than the numbers in it: it becomes a family only where that is asked for.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "dagwright/data/family_counts.hpp"

namespace dagwright {

class ExtensionCounts {
 public:
  explicit ExtensionCounts(const FamilyCounts& family) : counted_(&family) {}
  // Of a base family, which stays where it is, with the candidates that put() names.
  explicit ExtensionCounts(const FamilyShape& base) : base_(&base) {}

  // The next candidate: the count of a cell of the base family, the child fastest, with a state of the
  // candidate is at cell * arity + state. The memory is looked at only until the next one.
  void put(Variable candidate, Arity arity, const Count* counts);

  const FamilyCounts& family() const;

  // All cells of the table and all configurations of the parents, in some order, with zeros; the two are
  // empty where only observed ones are known.
  std::span<const Count> cells() const;
  std::span<const Count> config_totals() const;

 private:
  const FamilyCounts* counted_ = nullptr;
  const FamilyShape* base_ = nullptr;
  Variable candidate_ = 0;
  Arity arity_ = 1;
  const Count* counts_ = nullptr;
  // Made when they are asked for; their memory is used again.
  mutable bool made_ = false;
  mutable FamilyShape shape_;
  mutable FamilyCounts family_;
  mutable std::vector<Count> totals_;
};

// use(i, counts) for the i-th candidate, on any thread of the run.
using UseExtension = std::function<void(std::size_t, const ExtensionCounts&)>;

}  // namespace dagwright
