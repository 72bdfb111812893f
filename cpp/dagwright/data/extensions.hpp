// One against all: the counts of a family with each of many candidates added to its parents.
#pragma once

#include <span>

#include "dagwright/base/run.hpp"
#include "dagwright/data/extension_counts.hpp"

namespace dagwright {

// For one thread at a time. What one question takes memory for the next one uses again.
class Extensions {
 public:
  virtual ~Extensions() = default;
  virtual void begin(const Family& base) = 0;
  // Of the family begun last, in one call or in several: use(i, counts) for the family with candidates[i].
  // None of them is in the family.
  virtual void count(std::span<const Variable> candidates, Run& run, const UseExtension& use) = 0;
};

}  // namespace dagwright
