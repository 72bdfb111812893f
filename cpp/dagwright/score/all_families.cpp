#include "dagwright/score/all_families.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <unordered_map>
#include <utility>

namespace dagwright {

namespace {

// The rows of a table, equal ones as one.
struct DistinctRows {
  std::vector<std::vector<std::uint16_t>> codes;  // by variable
  std::vector<Count> weights;
  std::size_t size() const { return weights.size(); }
};

DistinctRows distinct_rows(const CountSource& source, Run& run) {
  const auto n = static_cast<Variable>(source.n_variables());
  Family whole{static_cast<Variable>(n - 1), std::vector<Variable>(n - 1)};
  std::iota(whole.parents.begin(), whole.parents.end(), Variable{0});
  DistinctRows rows;
  rows.codes.resize(n);
  source.count(std::span(&whole, 1), run, [&](std::size_t, const FamilyCounts& counts) {
    const ObservedCells cells = counts.observed();
    rows.weights = cells.cell_counts;
    for (std::size_t i = 0; i < cells.cell_counts.size(); ++i) {
      const std::uint32_t* states = cells.config_states.data() + cells.cell_configs[i] * (n - 1);
      for (Variable v = 0; v + 1 < n; ++v) {
        rows.codes[v].push_back(static_cast<std::uint16_t>(states[v]));
      }
      rows.codes[n - 1].push_back(static_cast<std::uint16_t>(cells.cell_states[i]));
    }
  });
  return rows;
}

// The values of cells, remembered for small counts, which most are, and some numbers of cells.
class CellValues {
 public:
  explicit CellValues(const CellScore& score) : score_(score) {}
  void use(double n_cells) {
    n_cells_ = n_cells;
    if (known_.size() >= kMostTables) known_.clear();
    const auto [place, fresh] = known_.try_emplace(n_cells);
    if (fresh) place->second.fill(std::numeric_limits<double>::quiet_NaN());
    values_ = place->second.data();
  }
  double operator()(Count count) {
    if (count >= kRemembered || count != std::floor(count)) return score_.cell_value(count, n_cells_);
    double& value = values_[static_cast<std::size_t>(count)];
    if (std::isnan(value)) value = score_.cell_value(count, n_cells_);
    return value;
  }

 private:
  static constexpr std::size_t kRemembered = 512, kMostTables = 1024;
  const CellScore& score_;
  std::unordered_map<double, std::array<double, kRemembered>> known_;
  double n_cells_ = 0;
  double* values_ = nullptr;
};

// The rows in one cell: how many, and what they weigh. One addition where weights are whole numbers.
struct WholeCell {
  static bool can_hold(const std::vector<Count>& weights, Count total) {
    return total < 4e9 && std::all_of(weights.begin(), weights.end(),
                                      [](Count w) { return w == std::floor(w); });
  }
  using Row = std::uint64_t;
  static Row row(Count weight) {
    return (std::uint64_t{1} << 32) + static_cast<std::uint32_t>(weight);
  }
  void add(Row row) { both += row; }
  std::uint32_t n_rows() const { return static_cast<std::uint32_t>(both >> 32); }
  Count weight() const { return static_cast<std::uint32_t>(both); }
  std::uint64_t both = 0;
};

struct AnyCell {
  using Row = Count;
  static Row row(Count weight) { return weight; }
  void add(Row weight) {
    rows++;
    sum += weight;
  }
  std::uint32_t n_rows() const { return rows; }
  Count weight() const { return sum; }
  std::uint32_t rows = 0;
  Count sum = 0;
};

// How the rows fall into the cells of one set.
struct Partition {
  struct Row {
    std::uint32_t row;
    std::uint32_t cell;
  };
  std::vector<Row> rows;               // those that share their cell, in no order of cells
  std::vector<Count> weights;          // of the cells with several rows
  std::vector<std::uint32_t> singles;  // cells with one row, by the place of its weight among all weights
};

template <class Cell>
class Walk {
 public:
  // Goes by `order` of the variables.
  Walk(const CellScore& score, const DistinctRows& rows, const std::vector<Arity>& arities,
       const std::vector<Variable>& order, Count total, std::size_t max_size, Run& run,
       double* values)
      : rows_(rows),
        arities_(arities),
        order_(order),
        max_size_(max_size),
        run_(run),
        values_(values),
        cell_values_(score),
        single_weights_(rows.weights) {
    std::sort(single_weights_.begin(), single_weights_.end());
    single_weights_.erase(std::unique(single_weights_.begin(), single_weights_.end()),
                          single_weights_.end());
    for (const Count weight : rows.weights) in_cells_.push_back(Cell::row(weight));
    partitions_.resize(arities.size() + 1);
    Partition& all = partitions_[0];
    all.singles.assign(single_weights_.size(), 0);
    if (rows.size() == 1) all.singles[0] = 1;
    if (rows.size() > 1) {
      for (std::uint32_t row = 0; row < rows.size(); ++row) all.rows.push_back({row, 0});
      all.weights = {total};
    }
  }

  // All sets with the first variables that `chosen` has bits for, and any of those from `first` on.
  void visit_all(std::size_t chosen, std::size_t first) {
    std::uint64_t set = 0;
    double n_cells = 1;
    std::size_t depth = 0;
    for (; chosen != 0; chosen &= chosen - 1, ++depth) {
      const Variable v = order_[static_cast<std::size_t>(std::countr_zero(chosen))];
      split(partitions_[depth], v, partitions_[depth + 1]);
      set |= std::uint64_t{1} << v;
      n_cells *= arities_[v];
    }
    if (depth > max_size_) return;
    values_[set] = value(partitions_[depth], n_cells);
    visit_larger(set, depth, n_cells, first);
  }

 private:
  void visit_larger(std::uint64_t set, std::size_t depth, double n_cells, std::size_t from) {
    if (depth == max_size_) return;
    run_.check_inside();
    const Partition& own = partitions_[depth];
    for (std::size_t i = from; i < order_.size(); ++i) {
      const Variable v = order_[i];
      const std::uint64_t larger = set | std::uint64_t{1} << v;
      const double larger_cells = n_cells * arities_[v];
      if (i + 1 == order_.size() || depth + 1 == max_size_) {
        values_[larger] = value_of_split(own, v, larger_cells);
      } else {
        split(own, v, partitions_[depth + 1]);
        values_[larger] = value(partitions_[depth + 1], larger_cells);
        visit_larger(larger, depth + 1, larger_cells, i + 1);
      }
    }
  }

  double value_of_singles(const std::vector<std::uint32_t>& singles) {
    double sum = 0;
    for (std::size_t i = 0; i < singles.size(); ++i) {
      if (singles[i] > 0) sum += singles[i] * cell_values_(single_weights_[i]);
    }
    return sum;
  }

  double value(const Partition& partition, double n_cells) {
    cell_values_.use(n_cells);
    double sum = value_of_singles(partition.singles);
    for (const Count weight : partition.weights) sum += cell_values_(weight);
    return sum;
  }

  // Rows of one cell are not neighbours, so that the processor need not wait for its last addition.
  void count_cells(const Partition& whole, Variable v) {
    const std::uint16_t* codes = rows_.codes[v].data();
    const Arity arity = arities_[v];
    cells_.assign(whole.weights.size() * arity, Cell{});
    for (const auto [row, cell] : whole.rows) {
      cells_[cell * arity + codes[row]].add(in_cells_[row]);
    }
  }

  // The value of a set that nothing is added to: its rows need not be followed.
  double value_of_split(const Partition& whole, Variable v, double n_cells) {
    cell_values_.use(n_cells);
    double sum = value_of_singles(whole.singles);
    count_cells(whole, v);
    for (const Cell& cell : cells_) {
      if (cell.n_rows() > 0) sum += cell_values_(cell.weight());
    }
    return sum;
  }

  void split(const Partition& whole, Variable v, Partition& out) {
    count_cells(whole, v);
    out.weights.clear();
    out.singles = whole.singles;
    new_cell_.resize(cells_.size());
    for (std::size_t i = 0; i < cells_.size(); ++i) {
      if (cells_[i].n_rows() > 1) {
        new_cell_[i] = static_cast<std::uint32_t>(out.weights.size());
        out.weights.push_back(cells_[i].weight());
      } else {
        new_cell_[i] = kSingle;
        if (cells_[i].n_rows() == 1) out.singles[place_of(cells_[i].weight())]++;
      }
    }
    const std::uint16_t* codes = rows_.codes[v].data();
    const Arity arity = arities_[v];
    out.rows.resize(whole.rows.size());
    std::size_t n_rows = 0;
    for (const auto [row, cell] : whole.rows) {
      const std::uint32_t new_cell = new_cell_[cell * arity + codes[row]];
      out.rows[n_rows] = {row, new_cell};
      n_rows += new_cell != kSingle;
    }
    out.rows.resize(n_rows);
  }

  std::size_t place_of(Count weight) const {
    const auto place = std::lower_bound(single_weights_.begin(), single_weights_.end(), weight);
    return static_cast<std::size_t>(place - single_weights_.begin());
  }

  static constexpr std::uint32_t kSingle = std::numeric_limits<std::uint32_t>::max();
  const DistinctRows& rows_;
  const std::vector<Arity>& arities_;
  const std::vector<Variable>& order_;
  std::size_t max_size_;
  Run& run_;
  double* values_;
  CellValues cell_values_;
  std::vector<Count> single_weights_;  // all weights that a row has
  std::vector<typename Cell::Row> in_cells_;  // what each row adds to its cell
  std::vector<Partition> partitions_;  // by depth
  std::vector<Cell> cells_;
  std::vector<std::uint32_t> new_cell_;
};

// The variables that split the rows most come first: then few are left to split further on.
std::vector<Variable> by_entropy(const DistinctRows& rows, const std::vector<Arity>& arities) {
  std::vector<double> entropies(arities.size());
  for (std::size_t v = 0; v < arities.size(); ++v) {
    std::vector<double> counts(arities[v], 0.0);
    for (const std::uint16_t code : rows.codes[v]) counts[code]++;
    for (const double count : counts) {
      if (count > 0) entropies[v] -= count * std::log(count / static_cast<double>(rows.size()));
    }
  }
  std::vector<Variable> order(arities.size());
  std::iota(order.begin(), order.end(), Variable{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](Variable a, Variable b) { return entropies[a] > entropies[b]; });
  return order;
}

}  // namespace

double AllFamilies::bytes(std::size_t n_variables) {
  return std::ldexp(sizeof(double), static_cast<int>(n_variables));
}

AllFamilies::AllFamilies(const CellScore& score, const CountSource& source, std::size_t max_size,
                         Run& run)
    : score_(score),
      total_(source.total()),
      arities_(source.arities()),
      values_(std::size_t{1} << source.n_variables(), 0.0) {
  const auto configs = [&](std::size_t begin, std::size_t end) {
    std::vector<double> of_set(std::size_t{1} << (end - begin), 1.0);
    for (std::size_t set = 1; set < of_set.size(); ++set) {
      const auto member = static_cast<std::size_t>(std::countr_zero(set));
      of_set[set] = of_set[set & (set - 1)] * arities_[begin + member];
    }
    return of_set;
  };
  const std::size_t n_low = std::min<std::size_t>(arities_.size(), kLow);
  low_configs_ = configs(0, n_low);
  high_configs_ = configs(n_low, arities_.size());

  const DistinctRows rows = distinct_rows(source, run);
  const std::vector<Variable> order = by_entropy(rows, arities_);
  // A task is the sets with the same of the first variables.
  const std::size_t first = std::min<std::size_t>(order.size(), 6);
  const auto walk = [&]<class Cell>(Cell) {
    run.parallel_for(std::size_t{1} << first, [&](std::size_t chosen) {
      Walk<Cell>(score, rows, arities_, order, total_, max_size, run, values_.data())
          .visit_all(chosen, first);
    });
  };
  WholeCell::can_hold(rows.weights, total_) ? walk(WholeCell{}) : walk(AnyCell{});
}

double AllFamilies::local(Variable child, std::uint64_t parents) const {
  const double n_configs =
      low_configs_[parents % (1 << kLow)] * high_configs_[parents >> kLow];
  return values_[parents | std::uint64_t{1} << child] - values_[parents] +
         score_.family_term(n_configs * (arities_[child] - 1.0), total_);
}

}  // namespace dagwright
