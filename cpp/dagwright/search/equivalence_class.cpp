#include "dagwright/search/equivalence_class.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace dagwright {

namespace {

// As many bits as the square of this are kept.
constexpr std::size_t kMostNodesWithPaths = 2048;

bool contains(const Nodes& sorted, Variable v) {
  return std::binary_search(sorted.begin(), sorted.end(), v);
}

}  // namespace

EquivalenceClass::EquivalenceClass(const ParentLists& member)
    : labels_(member.size()),
      edges_(member.size()),
      adjacent_(member.size(), NodeSet(member.size())),
      n_words_((member.size() + 63) / 64) {
  if (size() <= kMostNodesWithPaths) {
    reached_.resize(size() * n_words_);
    paths_known_.resize(size());
    changed_.resize(n_words_);
  }
  Nodes all(size());
  std::iota(all.begin(), all.end(), Variable{0});
  become(member, all);
}

const EquivalenceClass::Changes& EquivalenceClass::become(const ParentLists& member,
                                                          std::span<const Variable> other_parents) {
  // Edges are other only near nodes into which they are: these, and their parents before and after.
  Nodes& near = near_;
  near.clear();
  const auto& changed = labels_.become(member, other_parents);
  for (const Variable v : changed) {
    near.push_back(v);
    near.insert(near.end(), edges_[v].parents.begin(), edges_[v].parents.end());
    near.insert(near.end(), edges_[v].neighbours.begin(), edges_[v].neighbours.end());
    near.insert(near.end(), member[v].begin(), member[v].end());
  }
  std::sort(near.begin(), near.end());
  near.erase(std::unique(near.begin(), near.end()), near.end());

  Changes& changes = changes_;
  changes.nodes.clear();
  changes.lost.clear();
  Edges& next = next_;
  std::size_t n_came = 0, n_gone = 0;  // ends of edges
  const auto n_ends = [](const Edges& edges) {
    return edges.parents.size() + edges.children.size() + edges.neighbours.size();
  };
  for (const Variable v : near) {
    find_edges(v, next);
    Edges& edges = edges_[v];
    if (next == edges) continue;
    changes.nodes.push_back(v);
    for (const Nodes* ways : {&edges.children, &edges.neighbours})
      for (const Variable w : *ways)
        if (!contains(next.children, w) && !contains(next.neighbours, w))
          changes.lost.push_back({v, w});
    n_gone += n_ends(edges);
    n_came += n_ends(next);
    adjacent_[v].clear();
    for (const Nodes* others : {&next.parents, &next.children, &next.neighbours})
      for (const Variable other : *others) adjacent_[v].set(other);
    edges = next;
  }
  n_edges_ = (2 * n_edges_ + n_came - n_gone) / 2;
  forget_paths(changes.nodes);
  return changes;
}

// Those that meet one of these nodes: the others are what they were.
void EquivalenceClass::forget_paths(const Nodes& changed) {
  if (reached_.empty()) return;
  std::fill(changed_.begin(), changed_.end(), std::uint64_t{0});
  for (const Variable v : changed) changed_[v / 64] |= std::uint64_t{1} << (v % 64);
  for (Variable from = 0; from < size(); ++from) {
    if (!paths_known_[from]) continue;
    const std::uint64_t* const reached = reached_.data() + from * n_words_;
    std::uint64_t met = 0;
    for (std::size_t i = 0; i < n_words_; ++i) met |= reached[i] & changed_[i];
    paths_known_[from] = met == 0;
  }
}

// As the labels have them.
void EquivalenceClass::find_edges(Variable v, Edges& edges) const {
  auto& [parents, children, neighbours] = edges;
  parents.clear();
  children.clear();
  neighbours.clear();
  const auto& of_member = labels_.parents()[v];
  for (std::size_t i = 0; i < of_member.size(); ++i)
    (labels_.compelled(v, i) ? parents : neighbours).push_back(of_member[i]);
  for (const Variable child : labels_.children(v))
    (labels_.compelled_from(v, child) ? children : neighbours).push_back(child);
  std::sort(neighbours.begin(), neighbours.end());
}

void EquivalenceClass::find_paths(Variable from) const {
  std::uint64_t* const reached = reached_.data() + from * n_words_;
  std::fill_n(reached, n_words_, 0);
  const auto reach = [&](Variable v) {
    std::uint64_t& word = reached[v / 64];
    const std::uint64_t bit = std::uint64_t{1} << (v % 64);
    if ((word & bit) != 0) return;
    word |= bit;
    waiting_.push_back(v);
  };
  for (reach(from); !waiting_.empty();) {
    const Variable v = waiting_.back();
    waiting_.pop_back();
    if (paths_known_[v]) {
      const std::uint64_t* const further = reached_.data() + v * n_words_;
      for (std::size_t i = 0; i < n_words_; ++i) reached[i] |= further[i];
      continue;
    }
    for (const Nodes* ways : {&children(v), &neighbours(v)})
      for (const Variable w : *ways) reach(w);
  }
  paths_known_[from] = 1;
}

Cpdag EquivalenceClass::cpdag() const {
  Cpdag cpdag{size(), {}, {}};
  for (Variable v = 0; v < size(); ++v) {
    for (const Variable child : children(v)) cpdag.directed.push_back({v, child});
    for (const Variable w : neighbours(v))
      if (v < w) cpdag.undirected.push_back({v, w});
  }
  return cpdag;
}

}  // namespace dagwright
