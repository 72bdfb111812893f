// What a tabu search remembers. Two kinds: of moves and of states.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <unordered_map>

#include "dagwright/search/search.hpp"

namespace dagwright {

class TabuList {
 public:
  virtual ~TabuList() = default;
  virtual bool holds(const Step& move) const = 0;
  virtual void moved(const Step& step) = 0;  // to be called after each step
  virtual void forget() = 0;
};

// Tabu is to put two nodes back to what was between them (no edge, or one of the two directions) until
// `tenure` steps after that was changed.
class TabuMoves final : public TabuList {
 public:
  explicit TabuMoves(std::size_t tenure) : tenure_(tenure) {}
  bool holds(const Step& move) const override;
  void moved(const Step& step) override;
  void forget() override;

 private:
  std::size_t tenure_;
  std::deque<std::uint64_t> recent_;  // the states of pairs that were left, oldest first
  std::unordered_map<std::uint64_t, std::size_t> times_left_;
};

// Tabu are the graphs of the last `tenure` steps. A graph has a 64-bit hash that a move changes by one
// or two exclusive-ors (Zobrist); graphs with the same hash are compared edge by edge.
class TabuStates final : public TabuList {
 public:
  explicit TabuStates(std::size_t tenure) : tenure_(tenure) {}
  bool holds(const Step& move) const override;
  void moved(const Step& step) override;
  void forget() override;

 private:
  struct Past {
    std::uint64_t hash;  // of the graph before the step
    Step step;
  };
  bool leads_back_to(const Step& move, std::uint64_t hash) const;

  std::size_t tenure_;
  std::uint64_t hash_ = 0;  // of the graph now, relative to the first one
  std::deque<Past> past_;   // oldest first
  std::unordered_map<std::uint64_t, std::size_t> times_seen_;
};

}  // namespace dagwright
