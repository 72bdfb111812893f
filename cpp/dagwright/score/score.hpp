// A score is a pure function of one family's counts: natural log, totals, higher is better.
#pragma once

#include <limits>
#include <span>
#include <string>

#include "dagwright/data/extension_counts.hpp"
#include "dagwright/data/family_counts.hpp"

namespace dagwright {

class Score {
 public:
  virtual ~Score() = default;
  virtual double local(const FamilyCounts& counts) const = 0;

  // Equal on graphs that state the same independences.
  virtual bool score_equivalent() const { return false; }

  // No family of this child with these parents and any more of them scores higher than this.
  virtual double upper_bound(const FamilyCounts&) const {
    return std::numeric_limits<double>::infinity();
  }

  // The same without counting: what holds for any family with so many free parameters or more.
  virtual double ceiling(double n_parameters, Count total) const {
    static_cast<void>(n_parameters);
    static_cast<void>(total);
    return std::numeric_limits<double>::infinity();
  }
  // Whether counts tell no more than the ceiling does.
  virtual bool ceiling_is_best() const { return false; }

  // What one more parent must tell about the child (nats, over all rows) for each parameter that it brings, to gain
  // anything: it gains no more than what it tells beyond that, here or in a family with still more parents.
  virtual double price_of_parameter(Count total) const {
    static_cast<void>(total);
    return -std::numeric_limits<double>::infinity();
  }
  // The most that more parents can tell about the child of a family with this score.
  virtual double unexplained(double score, double n_parameters, Count total) const {
    static_cast<void>(score);
    static_cast<void>(n_parameters);
    static_cast<void>(total);
    return std::numeric_limits<double>::infinity();
  }
};

// A score of the form f(parents + child) - f(parents) + family_term: f depends on the set of
// variables alone, so that it is cached by unordered set and shared by children and reversals.
class SetScore : public Score {
 public:
  struct Values {
    double joint;    // f of the parents and the child
    double parents;  // f of the parents
  };
  virtual Values set_values(const FamilyCounts& counts) const = 0;
  // The same of one of many extensions of a family.
  virtual Values extension_values(const ExtensionCounts& counts, Count total) const {
    static_cast<void>(total);
    return set_values(counts.family());
  }

  // The first of these alone.
  virtual double extension_joint(const ExtensionCounts& counts, Count total) const {
    return extension_values(counts, total).joint;
  }

  // What depends on the number of free parameters and on N, but on no cell.
  virtual double family_term(double n_parameters, Count total) const {
    static_cast<void>(n_parameters);
    static_cast<void>(total);
    return 0.0;
  }

  double local(const FamilyCounts& counts) const final {
    const Values values = set_values(counts);
    return values.joint - values.parents + family_term(counts.shape().n_parameters(), counts.total());
  }
};

// A set score whose f is a sum over the observed cells of the set's table, each by its count alone.
class CellScore : public SetScore {
 public:
  virtual double cell_value(Count count, double n_cells) const = 0;
  // f of a set, all of whose cells are here in some order: the sum does not depend on that.
  virtual double sum_of_cells(std::span<const Count> cells, Count total) const = 0;

  Values extension_values(const ExtensionCounts& counts, Count total) const final {
    const std::span<const Count> cells = counts.cells();
    if (cells.empty()) return set_values(counts.family());
    return {sum_of_cells(cells, total), sum_of_cells(counts.config_totals(), total)};
  }

  double extension_joint(const ExtensionCounts& counts, Count total) const final {
    const std::span<const Count> cells = counts.cells();
    return cells.empty() ? set_values(counts.family()).joint : sum_of_cells(cells, total);
  }
};

}  // namespace dagwright
