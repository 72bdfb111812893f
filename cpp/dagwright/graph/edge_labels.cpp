#include "dagwright/graph/edge_labels.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <stdexcept>

namespace dagwright {

EdgeLabels::EdgeLabels(std::size_t n_nodes)
    : parents_(n_nodes),
      labels_(n_nodes),
      children_(n_nodes),
      order_(n_nodes),
      position_(n_nodes),
      to_label_((n_nodes + 63) / 64),
      waiting_for_(n_nodes),
      marks_(n_nodes),
      compelled_(n_nodes) {
  std::iota(order_.begin(), order_.end(), Variable{0});
  std::iota(position_.begin(), position_.end(), 0U);
}

bool EdgeLabels::compelled_from(Variable parent, Variable child) const {
  const auto& parents = parents_[child];
  const auto place = std::lower_bound(parents.begin(), parents.end(), parent);
  return compelled(child, static_cast<std::size_t>(place - parents.begin()));
}

void EdgeLabels::set_parents(Variable v, const std::vector<Variable>& parents) {
  for (const Variable parent : parents)
    if (parent >= parents_.size()) throw std::invalid_argument("node number out of range");
  for (const Variable parent : parents_[v]) {
    auto& list = children_[parent];
    list.erase(std::lower_bound(list.begin(), list.end(), v));
  }
  for (const Variable parent : parents) {
    auto& list = children_[parent];
    list.insert(std::lower_bound(list.begin(), list.end(), v), v);
  }
  parents_[v] = parents;
}

bool EdgeLabels::comes_after_parents(Variable v) const {
  return std::all_of(parents_[v].begin(), parents_[v].end(),
                     [&](Variable parent) { return position_[parent] < position_[v]; });
}

// Parents before children, in no particular order otherwise.
void EdgeLabels::find_order() {
  const auto n = static_cast<Variable>(parents_.size());
  order_.clear();
  for (Variable v = 0; v < n; ++v) {
    waiting_for_[v] = parents_[v].size();
    if (waiting_for_[v] == 0) order_.push_back(v);
  }
  for (std::size_t i = 0; i < order_.size(); ++i) {
    position_[order_[i]] = static_cast<std::uint32_t>(i);
    for (const Variable child : children_[order_[i]])
      if (--waiting_for_[child] == 0) order_.push_back(child);
  }
  if (order_.size() != n) throw std::invalid_argument("the graph has a cycle");
}

void EdgeLabels::wait_for_label(Variable v) {
  to_label_[position_[v] / 64] |= std::uint64_t{1} << (position_[v] % 64);
}

// The labels of edges into a node depend on which they are and on those into its parents alone.
const std::vector<Variable>& EdgeLabels::become(const ParentLists& dag,
                                                std::span<const Variable> nodes) {
  other_parents_.clear();
  for (const Variable v : nodes) {
    if (parents_[v] == dag[v]) continue;
    set_parents(v, dag[v]);
    other_parents_.push_back(v);
  }
  // Most orders are as good as before.
  if (!std::all_of(other_parents_.begin(), other_parents_.end(),
                   [&](Variable v) { return comes_after_parents(v); }))
    find_order();
  for (const Variable v : other_parents_) {
    labels_[v].clear();  // whatever they become, they are not the same
    wait_for_label(v);
  }
  changed_.clear();
  for (std::size_t word = 0; word < to_label_.size(); ++word) {
    while (to_label_[word] != 0) {  // children, which come later, may be added meanwhile
      const Variable y = order_[64 * word + static_cast<std::size_t>(std::countr_zero(to_label_[word]))];
      to_label_[word] &= to_label_[word] - 1;
      label_into(y);
      if (new_labels_ == labels_[y] && !new_labels_.empty()) continue;
      labels_[y] = new_labels_;
      changed_.push_back(y);
      for (const Variable child : children_[y]) wait_for_label(child);
    }
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
  const std::uint64_t of_y = ++mark_;
  for (const Variable parent : parents) marks_[parent] = of_y;

  for (std::size_t i = 0; i < parents_[x].size(); ++i) {
    if (!compelled(x, i)) continue;
    const Variable w = parents_[x][i];
    if (marks_[w] != of_y) return;  // w -> x is compelled and w, y not adjacent: all are compelled
    compelled_[w] = of_y;           // w -> y closes w -> x -> y
  }
  const std::uint64_t of_x = ++mark_;
  for (const Variable parent : parents_[x]) marks_[parent] = of_x;
  const bool in_v_structure = std::any_of(parents.begin(), parents.end(), [&](Variable z) {
    return z != x && marks_[z] != of_x;
  });
  if (in_v_structure) return;
  for (std::size_t i = 0; i < parents.size(); ++i)
    new_labels_[i] = compelled_[parents[i]] == of_y ? 1 : 0;
}

}  // namespace dagwright
