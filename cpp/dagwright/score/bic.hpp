// Schwarz' criterion, or minimum description length: LL - (ln N / 2) dim.
#pragma once

#include <cmath>

#include "dagwright/score/penalized.hpp"

namespace dagwright {

class BIC final : public PenalizedScore {
 public:
  // Weights may sum to less than 1; a reward for parameters would make no sense.
  double phi(Count total) const override { return total > 1.0 ? 0.5 * std::log(total) : 0.0; }
};

}  // namespace dagwright
