// A class of equivalent DAGs as walks over classes look at it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "dagwright/base/node_set.hpp"
#include "dagwright/graph/cpdag.hpp"
#include "dagwright/graph/edge.hpp"
#include "dagwright/graph/edge_labels.hpp"

namespace dagwright {

using Nodes = std::vector<Variable>;

// A CPDAG; all lists are sorted.
class EquivalenceClass {
 public:
  explicit EquivalenceClass(const ParentLists& member);

  // Becomes the class of another DAG, and returns what that changed, until the next time. `other_parents` has all
  // nodes that have other parents than in the last one, and maybe more.
  struct Changes {
    Nodes nodes;             // at which an edge came, went, or is compelled in another way than before
    std::vector<Edge> lost;  // where a path could go before, and cannot any more
  };
  const Changes& become(const ParentLists& member, std::span<const Variable> other_parents);

  Cpdag cpdag() const;
  std::size_t size() const { return edges_.size(); }
  std::size_t n_edges() const { return n_edges_; }
  const Nodes& parents(Variable v) const { return edges_[v].parents; }        // p -> v is compelled
  const Nodes& children(Variable v) const { return edges_[v].children; }      // v -> c is compelled
  const Nodes& neighbours(Variable v) const { return edges_[v].neighbours; }  // joined by a reversible edge
  bool adjacent(Variable a, Variable b) const { return adjacent_[a].test(b); }
  // Whether a path along directed and undirected edges leads from a to b; not known for many nodes.
  std::optional<bool> leads_to(Variable a, Variable b) const {
    if (reached_.empty()) return std::nullopt;
    if (!paths_known_[a]) find_paths(a);
    return (reached_[a * n_words_ + b / 64] >> (b % 64) & 1) != 0;
  }

 private:
  struct Edges {
    Nodes parents, children, neighbours;
    bool operator==(const Edges&) const = default;
  };
  void find_edges(Variable v, Edges& edges) const;
  void find_paths(Variable from) const;
  void forget_paths(const Nodes& changed);

  EdgeLabels labels_;  // of the member
  std::vector<Edges> edges_;
  std::vector<NodeSet> adjacent_;
  std::size_t n_edges_ = 0;
  std::size_t n_words_;  // that have a bit for each node
  // Found when they are asked for. For each node, a bit for each that a path leads to, and its own; empty if
  // there are too many nodes.
  mutable std::vector<std::uint64_t> reached_;
  mutable std::vector<std::uint8_t> paths_known_;
  // Kept for their memory.
  std::vector<std::uint64_t> changed_;
  mutable Nodes waiting_;
  Nodes near_;
  Changes changes_;
  Edges next_;
};

}  // namespace dagwright
