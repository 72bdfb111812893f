// LL - phi * dim: the log-likelihood minus a price for every free parameter.
#pragma once

#include <cmath>

#include "dagwright/score/score.hpp"

namespace dagwright {

// Sum of c ln c over the observed cells: the only sum over counts that these scores need, and by
// H(S) = ln N - entropy_sum(S) / N also the entropy.
SetScore::Values entropy_sums(const FamilyCounts& counts);
double entropy_sum(std::span<const Count> cells, Count total);

class PenalizedScore : public CellScore {
 public:
  // The price of one parameter when there are N rows.
  virtual double phi(Count total) const = 0;

  bool score_equivalent() const override { return true; }
  Values set_values(const FamilyCounts& counts) const override { return entropy_sums(counts); }
  double cell_value(Count count, double) const override { return count * std::log(count); }
  double sum_of_cells(std::span<const Count> cells, Count total) const override {
    return entropy_sum(cells, total);
  }
  double family_term(double n_parameters, Count total) const override {
    const double price = phi(total);
    return price == 0.0 ? 0.0 : -price * n_parameters;
  }
  // LL <= 0, and more parents never have fewer parameters.
  double ceiling(double n_parameters, Count total) const override {
    return phi(total) < 0.0 ? std::numeric_limits<double>::infinity()
                            : family_term(n_parameters, total);
  }
  bool ceiling_is_best() const override { return true; }
  // The log-likelihood gains just the information. In a larger family the parent brings more parameters.
  double price_of_parameter(Count total) const override {
    const double price = phi(total);
    return price < 0.0 ? -std::numeric_limits<double>::infinity() : price;
  }
  double unexplained(double score, double n_parameters, Count total) const override {
    return family_term(n_parameters, total) - score;
  }
  double upper_bound(const FamilyCounts& counts) const override {
    return ceiling(counts.shape().n_parameters(), counts.total());
  }
};

class Penalized final : public PenalizedScore {
 public:
  explicit Penalized(double phi) : phi_(phi) {}
  double phi(Count) const override { return phi_; }

 private:
  double phi_;
};

}  // namespace dagwright
