// K2 (Cooper & Herskovits): uniform parameters, alpha_ijk = 1. Not score-equivalent.
#pragma once

#include "dagwright/score/dirichlet.hpp"

namespace dagwright {

class K2 final : public SymmetricDirichlet {
 public:
  K2() : SymmetricDirichlet(1.0) {}
};

}  // namespace dagwright
