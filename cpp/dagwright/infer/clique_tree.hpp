// The plan of exact inference: which tables are made, and in which order they are summed out.
//
// Variables that will be observed are no part of the tables: they only choose a slice of each family.
// What a question does not need is left out: families below all that is asked or observed, and, if only
// posteriors are wanted, those that the observed variables cut off from what is asked.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "dagwright/base/run.hpp"
#include "dagwright/infer/network.hpp"

namespace dagwright {

struct Question {
  std::vector<Variable> targets;     // they shall be together in one clique, which becomes a root
  std::vector<Variable> observed;    // each time with a state
  std::vector<Variable> intervened;  // observed, and their families do not hold
  std::vector<Variable> soft;        // with a likelihood for each state: they matter, but stay
  bool every_variable = false;       // each is asked alone: nothing is left out
  bool maximize_targets = false;     // the best joint state of the targets instead of their table
  bool probability_of_evidence = true;  // or else families that only matter to that are left out
};

class CliqueTree {
 public:
  static constexpr std::uint32_t kNone = UINT32_MAX;

  struct Clique {
    std::vector<Variable> scope;  // those that are eliminated here, then those shared with the parent
    std::size_t n_own = 0;        // how many are eliminated here
    std::uint32_t parent = kNone;
    std::vector<std::uint32_t> children;
    std::vector<Variable> families;  // whose tables are multiplied here
    bool maximize = false;
    std::span<const Variable> shared() const { return std::span(scope).subspan(n_own); }
  };

  // Throws std::invalid_argument for a target that is observed, and Stopped when the run ends.
  CliqueTree(std::shared_ptr<const Network> network, const Question& question, Run& run);

  const Network& network() const { return *network_; }
  const std::vector<Clique>& cliques() const { return cliques_; }  // children before parents
  // Families without a variable of the tree: all their variables are observed, they are numbers.
  const std::vector<Variable>& constants() const { return constants_; }
  const std::vector<Variable>& families() const { return families_; }  // all that matter
  // The clique that eliminates a variable; kNone if it is observed or left out.
  std::uint32_t home(Variable v) const { return home_[v]; }
  const std::vector<Variable>& order() const { return order_; }

  // Forecast for the tree without evidence beyond `observed`: cells of all tables, of the largest, and
  // bytes: tables in the cliques need none, only the messages between them and the table of the targets.
  double cells() const { return cells_; }
  double largest() const { return largest_; }
  double bytes() const { return bytes_; }
  // What the best joint state, and rows given evidence, need on top: a clique's table over its own.
  double own_bytes() const { return own_bytes_; }
  double operations() const { return operations_; }  // both ways; a target needs one way only

 private:
  std::shared_ptr<const Network> network_;
  std::vector<Clique> cliques_;
  std::vector<Variable> constants_, families_, order_;
  std::vector<std::uint32_t> home_;
  double cells_ = 0, largest_ = 0, bytes_ = 0, operations_ = 0, own_bytes_ = 0;
};

}  // namespace dagwright
