// BDeu: alpha_ijk = ess / (r q), the same number for every cell of the family's table.
#pragma once

#include "dagwright/base/order_free_sum.hpp"
#include "dagwright/score/dirichlet.hpp"
#include "dagwright/score/log_gamma.hpp"

namespace dagwright {

class BDeu final : public CellScore {
 public:
  explicit BDeu(double ess) : ess_(ess) {}
  bool score_equivalent() const override { return true; }

  // f(S) = sum over observed cells of ln Gamma(c + a) - ln Gamma(a), a = ess / cells of S.
  Values set_values(const FamilyCounts& counts) const override {
    const LogGammaRatio of_cell(ess_ / counts.shape().n_cells());
    const LogGammaRatio of_config(ess_ / counts.shape().n_configs());
    OrderFreeSum joint, parents;
    counts.for_each_cell([&](Count c, std::size_t, State) { joint.add(of_cell(c)); });
    counts.for_each_config([&](Count c, std::size_t) { parents.add(of_config(c)); });
    return {joint.value(), parents.value()};
  }
  double sum_of_cells(std::span<const Count> cells, Count) const override {
    const LogGammaRatio of_cell(ess_ / static_cast<double>(cells.size()));
    OrderFreeSum sum;
    for (const Count c : cells)
      if (c > 0) sum.add(of_cell(c));
    return sum.value();
  }
  double cell_value(Count count, double n_cells) const override {
    return LogGammaRatio(ess_ / n_cells)(count);
  }
  double upper_bound(const FamilyCounts& counts) const override {
    return symmetric_upper_bound(counts);
  }

 private:
  double ess_;
};

}  // namespace dagwright
