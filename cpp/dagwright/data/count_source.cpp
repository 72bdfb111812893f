#include "dagwright/data/count_source.hpp"

#include <algorithm>

namespace dagwright {

void CountSource::shape(const Family& family, FamilyShape& out) const {
  out.family = family;
  out.child_arity = arities_[family.child];
  out.parent_arities.clear();
  for (const Variable parent : family.parents) out.parent_arities.push_back(arities_[parent]);
}

void CountSource::count_extensions(const Family& base, std::span<const Variable> candidates,
                                   Run& run, const Use& use) const {
  std::vector<Family> families;
  families.reserve(candidates.size());
  for (const Variable candidate : candidates) {
    Family extended = base;
    auto& parents = extended.parents;
    parents.insert(std::lower_bound(parents.begin(), parents.end(), candidate), candidate);
    families.push_back(std::move(extended));
  }
  count(families, run, use);
}

}  // namespace dagwright
