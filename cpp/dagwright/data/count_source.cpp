#include "dagwright/data/count_source.hpp"

namespace dagwright {

FamilyShape CountSource::shape(Family family) const {
  FamilyShape shape;
  shape.child_arity = arities_[family.child];
  shape.parent_arities.reserve(family.parents.size());
  for (const Variable parent : family.parents) shape.parent_arities.push_back(arities_[parent]);
  shape.family = std::move(family);
  return shape;
}

}  // namespace dagwright
