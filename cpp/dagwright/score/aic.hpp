// Akaike's criterion: LL - dim.
#pragma once

#include "dagwright/score/penalized.hpp"

namespace dagwright {

class AIC final : public PenalizedScore {
 public:
  double phi(Count) const override { return 1.0; }
};

}  // namespace dagwright
