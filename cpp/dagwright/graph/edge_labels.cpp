#include "dagwright/graph/edge_labels.hpp"

#include <algorithm>
#include <stdexcept>

namespace dagwright {

namespace {
constexpr Variable kNobody = static_cast<Variable>(-1);
}  // namespace

EdgeLabels::EdgeLabels(std::size_t n_nodes)
    : parents_(n_nodes),
      labels_(n_nodes),
      position_(n_nodes),
      first_child_(n_nodes + 1),
      has_changed_(n_nodes),
      waiting_for_(n_nodes),
      parent_of_(n_nodes),
      compelled_for_(n_nodes) {}

bool EdgeLabels::compelled_from(Variable parent, Variable child) const {
  const auto& parents = parents_[child];
  const auto place = std::lower_bound(parents.begin(), parents.end(), parent);
  return compelled(child, static_cast<std::size_t>(place - parents.begin()));
}

// Parents before children, in no particular order otherwise.
void EdgeLabels::find_order(const ParentLists& dag) {
  const auto n = static_cast<Variable>(parents_.size());
  std::fill(first_child_.begin(), first_child_.end(), 0);
  for (Variable v = 0; v < n; ++v) {
    waiting_for_[v] = dag[v].size();
    for (const Variable parent : dag[v]) {
      if (parent >= n) throw std::invalid_argument("node number out of range");
      ++first_child_[parent];
    }
  }
  for (std::size_t v = 1; v <= n; ++v) first_child_[v] += first_child_[v - 1];
  children_.resize(first_child_[n]);
  for (Variable v = n; v-- > 0;)
    for (const Variable parent : dag[v]) children_[--first_child_[parent]] = v;
  order_.clear();
  for (Variable v = 0; v < n; ++v)
    if (dag[v].empty()) order_.push_back(v);
  for (std::size_t i = 0; i < order_.size(); ++i) {
    position_[order_[i]] = i;
    for (const Variable child : children(order_[i]))
      if (--waiting_for_[child] == 0) order_.push_back(child);
  }
  if (order_.size() != n) throw std::invalid_argument("the graph has a cycle");
}

// The labels of edges into a node depend on which they are and on those into its parents alone.
const std::vector<Variable>& EdgeLabels::become(const ParentLists& dag) {
  find_order(dag);
  changed_.clear();
  std::fill(has_changed_.begin(), has_changed_.end(), std::uint8_t{0});
  std::fill(parent_of_.begin(), parent_of_.end(), kNobody);
  std::fill(compelled_for_.begin(), compelled_for_.end(), kNobody);
  for (const Variable y : order_) {
    const bool other_edges = parents_[y] != dag[y];
    if (!other_edges && std::none_of(dag[y].begin(), dag[y].end(),
                                     [&](Variable parent) { return has_changed_[parent] != 0; }))
      continue;
    if (other_edges) parents_[y] = dag[y];
    label_into(y);
    if (!other_edges && new_labels_ == labels_[y]) continue;
    labels_[y] = new_labels_;
    has_changed_[y] = 1;
    changed_.push_back(y);
  }
  return changed_;
}

// Given the labels of the edges into all earlier nodes. Chickering's Label-Edges takes the unlabelled edge
// x -> y with the latest x. Whatever it finds, it then labels all edges into y that are still unlabelled,
// so one x for each y is enough.
void EdgeLabels::label_into(Variable y) {
  const auto& parents = parents_[y];
  new_labels_.assign(parents.size(), 1);
  if (parents.empty()) return;
  const Variable x = *std::max_element(parents.begin(), parents.end(), [&](Variable a, Variable b) {
    return position_[a] < position_[b];
  });
  for (const Variable parent : parents) parent_of_[parent] = y;

  for (std::size_t i = 0; i < parents_[x].size(); ++i) {
    if (!compelled(x, i)) continue;
    const Variable w = parents_[x][i];
    if (parent_of_[w] != y) return;  // w -> x is compelled and w, y not adjacent: all are compelled
    compelled_for_[w] = y;           // w -> y closes w -> x -> y
  }
  for (const Variable parent : parents_[x]) parent_of_[parent] = x;
  const bool in_v_structure = std::any_of(parents.begin(), parents.end(), [&](Variable z) {
    return z != x && parent_of_[z] != x;
  });
  if (in_v_structure) return;
  for (std::size_t i = 0; i < parents.size(); ++i)
    new_labels_[i] = compelled_for_[parents[i]] == y ? 1 : 0;
}

}  // namespace dagwright
