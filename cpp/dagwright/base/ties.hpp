// When are two scores the same number? Rounding must not decide between equal moves.
#pragma once

#include <cmath>

namespace dagwright {

// Sums of a few thousand terms of this magnitude agree to far better than this in any order.
inline double tie_tolerance(double total_score) { return 1e-9 + 1e-12 * std::abs(total_score); }

}  // namespace dagwright
