// Coded rows: one array of codes a variable. The table does not own the codes; `owner` does.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "dagwright/base/types.hpp"

namespace dagwright {

// The codes of one variable: bytes up to 256 states, two bytes beyond.
struct Codes {
  const std::uint8_t* narrow = nullptr;
  const std::uint16_t* wide = nullptr;

  State operator[](std::size_t row) const { return narrow ? narrow[row] : wide[row]; }

  // Calls fn with the typed pointer, so that loops over rows are compiled for one width.
  template <class Fn>
  decltype(auto) visit(Fn&& fn) const {
    return narrow ? fn(narrow) : fn(wide);
  }
};

class Table {
 public:
  // Throws std::invalid_argument for a code beyond its arity: kernels index with codes unchecked.
  // `weights` is empty when every row counts once.
  Table(std::vector<Codes> codes, std::vector<Arity> arities, std::size_t n_rows,
        std::vector<double> weights, std::shared_ptr<const void> owner);

  std::size_t n_variables() const { return codes_.size(); }
  std::size_t n_rows() const { return n_rows_; }
  const Codes& codes(Variable v) const { return codes_[v]; }
  Arity arity(Variable v) const { return arities_[v]; }
  const std::vector<Arity>& arities() const { return arities_; }
  const std::vector<double>& weights() const { return *weights_; }
  double weight(std::size_t row) const { return weights_->empty() ? 1.0 : (*weights_)[row]; }
  // One a row, ones where there are none.
  std::vector<double> row_weights() const {
    return weights_->empty() ? std::vector<double>(n_rows_, 1.0) : *weights_;
  }
  Count total() const { return total_; }

  // How many rows have each state, whatever they weigh: counted once, for all orders of the variables.
  const std::vector<std::uint64_t>& rows_by_state(Variable v) const;
  // The sum of weights of the rows with each state.
  std::vector<Count> state_totals(Variable v) const;

  Table reweighted(std::vector<double> weights) const;
  // The variables in another order.
  Table reordered(const std::vector<Variable>& order) const;

 private:
  void set_weights(std::vector<double> weights);

  std::vector<Codes> codes_;
  struct Histogram {
    std::once_flag once;
    std::vector<std::uint64_t> rows;
  };
  std::vector<Arity> arities_;
  std::vector<std::shared_ptr<Histogram>> histograms_;  // of copies too: these have the same codes
  std::size_t n_rows_;
  std::shared_ptr<const std::vector<double>> weights_;  // tables in another order share them
  std::shared_ptr<const void> owner_;
  Count total_ = 0;
};

}  // namespace dagwright
