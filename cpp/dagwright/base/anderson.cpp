#include "dagwright/base/anderson.hpp"

#include <cmath>
#include <cstdint>
#include <utility>

namespace dagwright {

namespace {

double product(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

// Solves a small symmetric system, of which `a` has the lower half, by Cholesky's method; what is
// singular gets no share.
std::vector<double> solve(std::vector<std::vector<double>> a, std::vector<double> b) {
  const std::size_t n = b.size();
  std::vector<std::uint8_t> used(n, 1);
  for (std::size_t j = 0; j < n; ++j) {
    const double before = a[j][j];
    for (std::size_t k = 0; k < j; ++k) a[j][j] -= a[j][k] * a[j][k];
    if (!(a[j][j] > 1e-12 * before)) {
      used[j] = 0;
      for (std::size_t k = 0; k < j; ++k) a[j][k] = 0;
      for (std::size_t i = j + 1; i < n; ++i) a[i][j] = 0;
      continue;
    }
    a[j][j] = std::sqrt(a[j][j]);
    for (std::size_t i = j + 1; i < n; ++i) {
      for (std::size_t k = 0; k < j; ++k) a[i][j] -= a[i][k] * a[j][k];
      a[i][j] /= a[j][j];
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < i; ++k) b[i] -= a[i][k] * b[k];
    b[i] = used[i] ? b[i] / a[i][i] : 0;
  }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t k = i + 1; k < n; ++k) b[i] -= a[k][i] * b[k];
    b[i] = used[i] ? b[i] / a[i][i] : 0;
  }
  return b;
}

}  // namespace

void Anderson::step(std::span<const double> from, std::span<double> to) {
  std::vector<double> rest(to.size()), reached(to.begin(), to.end());
  for (std::size_t i = 0; i < rest.size(); ++i) rest[i] = to[i] - from[i];
  if (!last_rest_.empty()) {
    auto& rest_change = rests_.emplace_back(rest);
    auto& to_change = tos_.emplace_back(reached);
    for (std::size_t i = 0; i < rest.size(); ++i) {
      rest_change[i] -= last_rest_[i];
      to_change[i] -= last_to_[i];
    }
    if (rests_.size() > memory_) {
      rests_.pop_front();
      tos_.pop_front();
      products_.erase(products_.begin());
      for (auto& row : products_) row.erase(row.begin());
    }
    const std::size_t n = rests_.size();
    auto& row = products_.emplace_back();
    std::vector<double> wanted;
    for (const auto& change : rests_) {
      row.push_back(product(change, rests_.back()));
      wanted.push_back(product(change, rest));
    }
    row.back() *= 1 + 1e-10;
    const auto shares = solve(products_, std::move(wanted));
    for (std::size_t k = 0; k < n; ++k) {
      for (std::size_t i = 0; i < to.size(); ++i) to[i] -= shares[k] * tos_[k][i];
    }
  }
  last_rest_ = std::move(rest);
  last_to_ = std::move(reached);
}

}  // namespace dagwright
