// Several chains side by side, each a ladder of chains at rising temperatures, and what they drew.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "dagwright/base/run.hpp"
#include "dagwright/mcmc/chain.hpp"

namespace dagwright {

// Graphs of several chains, each as one number a node: which of the node's parent sets it has.
struct Draws {
  std::vector<std::vector<std::vector<Variable>>> parent_sets;  // by node
  std::vector<std::int32_t> numbers;                            // by chain, draw and node
  std::vector<double> scores;                                   // by chain and draw
  std::vector<double> log_corrections;
};

class Sampler {
 public:
  using MakeChain =
      std::function<std::unique_ptr<Chain>(const std::vector<std::int32_t>& state, Run& run)>;

  // `states` by chain and by temperature; `betas` falls from 1. A block is `thin` steps of each chain, one
  // swap of neighbours in temperature, and a draw. `n_done` blocks were done before: what block b of chain
  // c does depends on the seed, c, b and the state alone.
  Sampler(const MakeChain& make_chain, const std::vector<std::vector<std::vector<std::int32_t>>>& states,
          std::vector<double> betas, std::size_t thin, std::uint64_t seed, std::uint64_t n_done, Run& run);

  Sampler(Sampler&&) = default;
  Sampler(const Sampler&) = delete;

  // Does so many blocks in each chain, and returns the draws if they are to be kept. If the run ends
  // first, or a family cannot be scored, that is thrown, and the states are those of before.
  Draws blocks(std::size_t n_blocks, bool keep, Run& run);

  std::uint64_t n_done() const { return n_done_; }
  std::vector<std::vector<std::vector<std::int32_t>>> states() const;
  std::vector<double> log_densities() const;  // by chain, at temperature 1
  // By move, of all that was done at temperature 1: proposed and accepted.
  std::vector<std::tuple<std::string, std::uint64_t, std::uint64_t>> stats() const;

 private:
  using Ladder = std::vector<std::unique_ptr<Chain>>;
  void block(std::size_t chain, std::uint64_t number, Run& run);

  MakeChain make_chain_;
  std::vector<Ladder> ladders_;  // by chain; at temperature 1 first
  std::vector<std::vector<MoveStats>> stats_;  // by chain and move, at temperature 1
  std::vector<double> betas_;
  std::size_t thin_;
  std::uint64_t seed_;
  std::uint64_t n_done_;
};

}  // namespace dagwright
