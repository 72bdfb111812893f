// log P(G), up to a constant, as a sum over families.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

#include "dagwright/base/types.hpp"

namespace dagwright {

class StructurePrior {
 public:
  virtual ~StructurePrior() = default;
  virtual double local(const Family& family) const = 0;
  // Equal on graphs that state the same independences.
  virtual bool score_equivalent() const { return false; }
  // No superset of these parents has more.
  virtual double upper_bound(const Family&) const {
    return std::numeric_limits<double>::infinity();
  }
  // The most that one more parent can add, whatever the others are.
  virtual double most_gain(Variable child, Variable parent) const {
    static_cast<void>(child);
    static_cast<void>(parent);
    return std::numeric_limits<double>::infinity();
  }
};

// Every edge the same log weight <= 0.
class EdgePenalty final : public StructurePrior {
 public:
  explicit EdgePenalty(double log_weight) : log_weight_(log_weight) {}
  double local(const Family& family) const override {
    return log_weight_ * static_cast<double>(family.parents.size());
  }
  // Equivalent graphs have equally many edges.
  bool score_equivalent() const override { return true; }
  double upper_bound(const Family& family) const override { return local(family); }
  double most_gain(Variable, Variable) const override { return log_weight_; }

 private:
  double log_weight_;
};

// A log weight for each ordered pair, at parent * n + child.
class EdgeWeights final : public StructurePrior {
 public:
  EdgeWeights(std::size_t n, std::vector<double> log_weights)
      : n_(n), log_weights_(std::move(log_weights)) {}
  double local(const Family& family) const override {
    double sum = 0;
    for (const Variable parent : family.parents) sum += log_weights_[parent * n_ + family.child];
    return sum;
  }
  double upper_bound(const Family& family) const override {
    double sum = local(family);
    std::vector<bool> taken(n_, false);
    taken[family.child] = true;
    for (const Variable parent : family.parents) taken[parent] = true;
    for (std::size_t v = 0; v < n_; ++v) {
      if (!taken[v]) sum += std::max(0.0, log_weights_[v * n_ + family.child]);
    }
    return sum;
  }
  double most_gain(Variable child, Variable parent) const override {
    return log_weights_[parent * n_ + child];
  }

 private:
  std::size_t n_;
  std::vector<double> log_weights_;
};

// A log weight for each number of parents.
class ParentCountPrior final : public StructurePrior {
 public:
  explicit ParentCountPrior(std::vector<double> log_weights)
      : log_weights_(std::move(log_weights)) {}
  double local(const Family& family) const override { return log_weights_[family.parents.size()]; }
  double upper_bound(const Family& family) const override {
    return *std::max_element(
        log_weights_.begin() + static_cast<std::ptrdiff_t>(family.parents.size()),
        log_weights_.end());
  }
  double most_gain(Variable, Variable) const override {
    double most = -std::numeric_limits<double>::infinity();
    for (std::size_t k = 1; k < log_weights_.size(); ++k) {
      most = std::max(most, log_weights_[k] - log_weights_[k - 1]);
    }
    return most;
  }

 private:
  std::vector<double> log_weights_;
};

// Any function of a family.
class ModularPrior final : public StructurePrior {
 public:
  using LogWeight = std::function<double(const Family&)>;
  explicit ModularPrior(LogWeight log_weight) : log_weight_(std::move(log_weight)) {}
  double local(const Family& family) const override { return log_weight_(family); }

 private:
  LogWeight log_weight_;
};

}  // namespace dagwright
