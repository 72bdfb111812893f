// Exact inference in a clique tree: messages to the roots, and back where a question needs it.
//
// A message is a table over what a clique shares with its parent, without what is observed. Messages are
// scaled by powers of two, which loses nothing. Where all becomes zero nevertheless, though no factor may
// be, messages are logs instead.
// When the evidence changes, only messages that depend on the change are made again.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "dagwright/base/run.hpp"
#include "dagwright/infer/clique_tree.hpp"
#include "dagwright/infer/walk.hpp"

namespace dagwright {

struct Evidence {
  std::vector<std::pair<Variable, State>> states;                      // what is known for sure
  std::vector<std::pair<Variable, std::vector<double>>> likelihoods;  // and what is likely
};

class Propagation {
 public:
  explicit Propagation(std::shared_ptr<const CliqueTree> tree);

  // All that is known from now on. The variables that the tree was made to have observed must be there.
  void set(Evidence evidence);

  // The cells of all cliques without what is observed now.
  double cells() const;

  // Log of the probability of the evidence, -infinity if it cannot be. In a tree made to maximise its
  // targets, the log of their best joint state's probability with the evidence.
  double log_probability(Run& run);

  // Posteriors, each normalised; they throw ImpossibleEvidence when the evidence cannot be. The variables
  // of a joint are in one clique; those that are observed give axes with one state that is certain.
  std::vector<double> joint(std::span<const Variable> variables, Run& run);
  // Whether one clique has them all, observed ones aside.
  bool in_one_clique(std::span<const Variable> variables) const;

  // All posteriors in one sweep; cheaper than one by one.
  std::vector<std::vector<double>> marginals(std::span<const Variable> variables, Run& run);

  // The best joint state of all variables of cliques that are maximised, as (variable, state); with
  // `all`, every clique is maximised.
  std::vector<std::pair<Variable, State>> most_probable(bool all, Run& run);

  // Rows drawn given the evidence, one list of codes a variable of `keep`; the same for any number of
  // threads.
  std::vector<std::vector<std::uint16_t>> sample(std::size_t n_rows, std::uint64_t seed,
                                                 std::span<const Variable> keep, Run& run);

 private:
  struct Message {
    std::vector<double> values;
    bool valid = false;
  };
  // What is the same in a clique whatever the states of the evidence are.
  struct Plan {
    bool valid = false;
    std::vector<Variable> scope;  // without what is observed
    std::size_t n_own = 0;
    std::optional<Walk> walk;
    std::vector<View> families, children, likelihoods;
    std::vector<Variable> with_likelihood;
    View up;  // to the parent
  };

  // The tables to multiply, and what some of them are kept in.
  struct Inputs {
    std::vector<Walk::Input> tables;
    std::vector<std::vector<double>> products;
    std::vector<std::unique_ptr<View>> views;
    double exponent = 0;  // the true product is this power of two larger
  };

  bool is_free(Variable v) const { return observed_[v] < 0; }
  double cells_of(std::span<const Variable> variables) const;
  const Plan& plan(std::uint32_t c);
  View view_of(const Plan& plan, std::span<const Variable> scope) const;
  std::size_t offset_of(std::span<const Variable> scope, std::span<const std::int32_t> states) const;
  Inputs inputs(std::uint32_t c, bool with_down);
  void combine(const Plan& plan, Inputs& inputs) const;
  const std::vector<double>& values_of(Variable family) const;
  const std::vector<double>& likelihood_of(Variable v) const;
  void forget_messages();
  bool may_underflow() const;
  void go_on_in_logs();
  void collect(bool maximize_all, Run& run);
  void collect_possible(bool maximize_all, Run& run);  // or else throws ImpossibleEvidence
  void send_up(Run& run);
  double log_total() const;  // of the messages as they are
  const Message& down(std::uint32_t c, Run& run);
  // To those of its children that are at these places.
  void make_down(std::uint32_t parent, std::span<const std::size_t> places, Run& run);
  std::vector<double> from_clique(std::uint32_t c, std::span<const Variable> variables, Run& run);
  // The part of a clique's table over what it eliminates, when all it shares with its parent is known.
  std::vector<double> own_table(std::uint32_t c, std::span<const std::int32_t> states, bool maximize,
                                Run& run);

  std::shared_ptr<const CliqueTree> tree_;
  std::vector<std::int32_t> observed_;           // the state, or -1
  std::vector<std::vector<double>> likelihood_;  // by variable, mostly empty
  std::vector<Plan> plans_;
  std::vector<Message> up_, down_;
  std::vector<double> up_exponent_;  // up_ times two to this power is the true message
  bool maximized_all_ = false;
  bool logs_ = false;
  std::vector<std::vector<double>> log_families_, log_likelihood_;  // only if it is needed
};

}  // namespace dagwright
