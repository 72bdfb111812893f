#include "dagwright/markov/neighbourhood.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>
#include <stdexcept>
#include <utility>

namespace dagwright {

namespace {

constexpr std::size_t kNewAtOnce = 32;      // couplings that become free in one step, at least
constexpr std::size_t kRowsForCurvature = 8192;
constexpr std::size_t kRowsPerFree = 32;    // of the same, for each free coupling
constexpr double kTrace = 1e-11;            // slope that counts as none
constexpr double kFlat = 1e-9;              // curvature that counts as none
constexpr int kMaxSweeps = 100;
constexpr double kShortestStep = 1e-12;
constexpr double kRoundedOff = 1e-11;       // a gain below this cannot be seen in the loss

double bound_of(bool is_field) { return is_field ? 3 * kLargestCoupling : kLargestCoupling; }

// Whether a number is at its bound and would go beyond it.
bool held(double now, double slope, double bound) {
  return (now >= bound && slope < 0) || (now <= -bound && slope > 0);
}

// What is within rounding of the penalty is nothing: of two equal variables one would get a trace.
double soft(double value, double penalty) {
  const double excess = std::abs(value) - penalty;
  return excess > kTrace ? std::copysign(excess, value) : 0.0;
}

double sum_of(const std::vector<double>& terms) {
  double lanes[8] = {};
  for (std::size_t k = 0; k < terms.size(); k += 8) {
    for (std::size_t l = 0; l < 8; ++l) lanes[l] += terms[k + l];
  }
  return ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) +
         ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7]));
}

// What each target needs of the rows: the lean, and the loss with its derivatives by the lean.
double evaluate_rows(const Spins& spins, const SpinKernels& kernels, Variable target, double field,
                     std::span<const SpinWord* const> columns, std::span<const double> couplings,
                     NeighbourhoodLoss loss, std::vector<double>& lean, std::vector<double>& first,
                     std::vector<double>& second) {
  std::vector<const SpinWord*> own;
  std::vector<double> doubled;
  double start = field;  // a spin is 2 * bit - 1
  for (std::size_t j = 0; j < columns.size(); ++j) {
    if (couplings[j] == 0) continue;
    own.push_back(columns[j]);
    doubled.push_back(2 * couplings[j]);
    start -= couplings[j];
  }
  kernels.combine(start, own.data(), doubled.data(), own.size(), spins.n_words(), lean.data());
  const auto rows = loss == NeighbourhoodLoss::logistic ? kernels.logistic : kernels.exponential;
  return rows(lean.data(), spins.bits(target), spins.weights(), spins.n_words(), first.data(),
              second.data());
}

}  // namespace

struct NeighbourhoodSolver::Model {
  std::vector<double> gradient;   // the field first
  std::vector<double> curvature;  // square, by rows
};

NeighbourhoodSolver::NeighbourhoodSolver(const Spins& spins, Variable target,
                                         std::vector<Variable> candidates,
                                         const NeighbourhoodSettings& settings)
    : spins_(spins),
      kernels_(best_spin_kernels()),
      target_(target),
      candidates_(std::move(candidates)),
      settings_(settings),
      couplings_(candidates_.size(), 0.0),
      by_coupling_(candidates_.size(), 0.0),
      lean_(64 * spins.n_words()),
      first_(lean_.size()),
      second_(lean_.size()) {
  for (const Variable v : candidates_) columns_.push_back(spins.bits(v));
  double up = 0;
  const SpinWord* own = spins.bits(target);
  kernels_.sums(spins.weights(), &own, 1, spins.n_words(), &up);
  const double down = sum_of({spins.weights(), spins.weights() + lean_.size()}) - up;
  constant_ = !(up > 0) || !(down > 1e-12);
  field_ = 0.5 * std::log(up / down);
  if (constant_) {
    field_ = up > 0.5 ? std::numeric_limits<double>::infinity()
                      : -std::numeric_limits<double>::infinity();
    return;
  }
  start(field_, couplings_);
}

void NeighbourhoodSolver::start(double field, const std::vector<double>& couplings) {
  if (constant_) return;
  field_ = field;
  couplings_ = couplings;
  loss_ = evaluate(field_, couplings_);
  find_gradient();
}

double NeighbourhoodSolver::evaluate(double field, const std::vector<double>& couplings) {
  const double mean = evaluate_rows(spins_, kernels_, target_, field, columns_, couplings,
                                    settings_.loss, lean_, first_, second_);
  if (settings_.loss != NeighbourhoodLoss::log_rise) return mean;
  for (double& own : first_) own /= mean;
  for (double& own : second_) own /= mean;
  return std::log(mean);
}

void NeighbourhoodSolver::find_gradient() {
  by_field_ = sum_of(first_);
  std::fill(by_coupling_.begin(), by_coupling_.end(), 0.0);
  kernels_.sums(first_.data(), columns_.data(), columns_.size(), spins_.n_words(),
                by_coupling_.data());
  for (std::size_t j = 0; j < couplings_.size(); ++j) {
    by_coupling_[j] = 2 * by_coupling_[j] - by_field_ + settings_.ridge * couplings_[j];
  }
}

double NeighbourhoodSolver::largest_penalty() const {
  double largest = 0;
  for (const double own : by_coupling_) largest = std::max(largest, std::abs(own));
  return largest;
}

double NeighbourhoodSolver::residual_of(std::size_t j, double penalty) const {
  if (couplings_[j] == 0) return std::max(0.0, std::abs(by_coupling_[j]) - penalty);
  const double slope = by_coupling_[j] + std::copysign(penalty, couplings_[j]);
  return held(couplings_[j], slope, bound_of(false)) ? 0.0 : std::abs(slope);
}

double NeighbourhoodSolver::residual_of_field() const {
  return held(field_, by_field_, bound_of(true)) ? 0.0 : std::abs(by_field_);
}

double NeighbourhoodSolver::residual(double penalty) const {
  double worst = residual_of_field();
  for (std::size_t j = 0; j < couplings_.size(); ++j) {
    worst = std::max(worst, residual_of(j, penalty));
  }
  return worst;
}

std::vector<std::size_t> NeighbourhoodSolver::free_couplings(double penalty) const {
  std::vector<std::size_t> free, wanted;
  for (std::size_t j = 0; j < couplings_.size(); ++j) {
    if (couplings_[j] != 0) {
      free.push_back(j);
    } else if (std::abs(by_coupling_[j]) > penalty) {
      wanted.push_back(j);
    }
  }
  const std::size_t most = std::max(kNewAtOnce, free.size());
  if (wanted.size() > most) {
    std::sort(wanted.begin(), wanted.end(), [&](std::size_t a, std::size_t b) {
      const double x = std::abs(by_coupling_[a]), y = std::abs(by_coupling_[b]);
      return x != y ? x > y : a < b;
    });
    wanted.resize(most);
  }
  free.insert(free.end(), wanted.begin(), wanted.end());
  std::sort(free.begin(), free.end());
  return free;
}

// Every `stride`-th word of rows, which stand for all.
NeighbourhoodSolver::Model NeighbourhoodSolver::model_of(const std::vector<std::size_t>& free,
                                                         std::size_t stride) {
  const std::size_t n = free.size() + 1;
  Model model{std::vector<double>(n), std::vector<double>(n * n)};
  model.gradient[0] = by_field_;
  std::vector<const SpinWord*> columns;
  for (std::size_t a = 0; a < free.size(); ++a) {
    model.gradient[a + 1] = by_coupling_[free[a]];
    columns.push_back(columns_[free[a]]);
  }
  std::size_t n_words = spins_.n_words();
  std::vector<SpinWord> some_bits;
  std::vector<double> some_terms;
  const double* terms = second_.data();
  double scale = 1;
  const double all = sum_of(second_);
  if (stride > 1) {
    n_words = (n_words + stride - 1) / stride;
    some_bits.resize(columns.size() * n_words);
    some_terms.resize(64 * n_words);
    for (std::size_t w = 0; w < n_words; ++w) {
      std::copy_n(second_.data() + 64 * w * stride, 64, some_terms.data() + 64 * w);
      for (std::size_t a = 0; a < columns.size(); ++a) {
        some_bits[a * n_words + w] = columns[a][w * stride];
      }
    }
    for (std::size_t a = 0; a < columns.size(); ++a) columns[a] = some_bits.data() + a * n_words;
    terms = some_terms.data();
    scale = all / sum_of(some_terms);
  }
  std::vector<double> sums(free.size(), 0.0);
  kernels_.sums(terms, columns.data(), columns.size(), n_words, sums.data());
  model.curvature[0] = all;
  for (std::size_t a = 1; a < n; ++a) {
    model.curvature[a] = model.curvature[a * n] = 2 * scale * sums[a - 1] - all;
  }
  for (std::size_t a = 1; a < n; ++a) {
    std::fill(sums.begin(), sums.end(), 0.0);
    kernels_.sums_differ(terms, columns[a - 1], columns.data() + a, columns.size() - a, n_words,
                         sums.data());
    model.curvature[a * n + a] = all + settings_.ridge;
    for (std::size_t b = a + 1; b < n; ++b) {
      model.curvature[a * n + b] = model.curvature[b * n + a] =
          all - 2 * scale * sums[b - a - 1];
    }
  }
  if (settings_.loss == NeighbourhoodLoss::log_rise) {  // the curvature of a log
    std::vector<double> by_loss = model.gradient;
    for (std::size_t a = 1; a < n; ++a) by_loss[a] -= settings_.ridge * couplings_[free[a - 1]];
    for (std::size_t a = 0; a < n; ++a) {
      for (std::size_t b = 0; b < n; ++b) model.curvature[a * n + b] -= by_loss[a] * by_loss[b];
    }
  }
  return model;
}

double NeighbourhoodSolver::objective(double loss, const std::vector<double>& couplings,
                                      double penalty) const {
  double sizes = 0, squares = 0;
  for (const double coupling : couplings) {
    sizes += std::abs(coupling);
    squares += coupling * coupling;
  }
  return loss + penalty * sizes + 0.5 * settings_.ridge * squares;
}

namespace {

// The minimum of gradient . d + d . curvature . d / 2 + penalty * |now + d|, one coordinate after the
// other; the field is the first and has no penalty. Returns now + d.
std::vector<double> minimum_of(std::vector<double> gradient, const std::vector<double>& curvature,
                               std::vector<double> now, double penalty, double tolerance) {
  const std::size_t n = gradient.size();
  for (int sweep = 0; sweep < kMaxSweeps; ++sweep) {
    double largest = 0;
    for (std::size_t a = 0; a < n; ++a) {
      const double own = std::max(curvature[a * n + a], kFlat);
      const double bound = bound_of(a == 0);
      const double pull = own * now[a] - gradient[a];
      const double wanted =
          std::clamp((a == 0 ? pull : soft(pull, penalty)) / own, -bound, bound);
      const double change = wanted - now[a];
      if (change == 0) continue;
      now[a] = wanted;
      for (std::size_t b = 0; b < n; ++b) gradient[b] += curvature[a * n + b] * change;
      largest = std::max(largest, std::abs(change) * own);
    }
    if (largest <= tolerance) break;
  }
  return now;
}

}  // namespace

// Towards the aim, the field first, as far as the objective falls by enough; returns how far, or 0. A gain
// that cannot be seen in the objective is taken on trust.
double NeighbourhoodSolver::step_towards(const std::vector<double>& aim,
                                         const std::vector<std::size_t>& free, double penalty) {
  double slope = by_field_ * (aim[0] - field_);
  for (std::size_t a = 0; a < free.size(); ++a) {
    const double now = couplings_[free[a]], then = aim[a + 1];
    slope += by_coupling_[free[a]] * (then - now) + penalty * (std::abs(then) - std::abs(now));
  }
  const double before = objective(loss_, couplings_, penalty);
  std::vector<double> couplings = couplings_;
  double length = slope < 0 ? 1.0 : 0.0;
  for (; length > kShortestStep; length /= 2) {
    for (std::size_t a = 0; a < free.size(); ++a) {
      const double now = couplings_[free[a]], then = aim[a + 1];
      couplings[free[a]] = length == 1 ? then : now + length * (then - now);
    }
    const double field = field_ + length * (aim[0] - field_);
    const double loss = evaluate(field, couplings);
    const double gained = before - objective(loss, couplings, penalty);
    if (-slope <= kRoundedOff * (1 + std::abs(before)) || gained >= -1e-4 * length * slope) {
      loss_ = loss;
      field_ = field;
      couplings_ = std::move(couplings);
      break;
    }
  }
  if (length <= kShortestStep) loss_ = evaluate(field_, couplings_);
  find_gradient();
  return length > kShortestStep ? length : 0.0;
}

Neighbourhood NeighbourhoodSolver::minimise(double penalty, Run& run) {
  Neighbourhood found;
  found.penalty = penalty;
  found.field = field_;
  if (constant_) return found;
  bool some_rows = true;
  double gap = residual(penalty);
  while (gap > settings_.tolerance && found.steps < settings_.max_steps) {
    run.check_inside();
    const std::vector<std::size_t> free = free_couplings(penalty);
    const std::size_t rows = std::max(kRowsForCurvature, kRowsPerFree * free.size());
    const std::size_t stride = some_rows ? std::max<std::size_t>(1, lean_.size() / rows) : 1;
    Model model = model_of(free, stride);
    std::vector<double> now{field_};
    for (const std::size_t j : free) now.push_back(couplings_[j]);
    const double length = step_towards(
        minimum_of(std::move(model.gradient), model.curvature, std::move(now), penalty, 0.02 * gap),
        free, penalty);
    ++found.steps;
    if (stride == 1 && length == 0) break;  // nothing is left but what is rounded off
    double of_free = residual_of_field();
    for (const std::size_t j : free) of_free = std::max(of_free, residual_of(j, penalty));
    some_rows = some_rows && length == 1 && of_free < 0.5 * gap;
    gap = residual(penalty);
  }
  found.field = field_;
  found.loss = loss_;
  found.residual = gap;
  for (std::size_t j = 0; j < couplings_.size(); ++j) {
    if (couplings_[j] == 0) continue;
    found.variables.push_back(candidates_[j]);
    found.couplings.push_back(couplings_[j]);
  }
  return found;
}

NeighbourhoodGradient neighbourhood_gradient(const Spins& spins, Variable target, double field,
                                             const std::vector<Variable>& variables,
                                             const std::vector<double>& couplings,
                                             NeighbourhoodLoss loss) {
  const SpinKernels& kernels = best_spin_kernels();
  std::vector<const SpinWord*> columns;
  for (const Variable v : variables) columns.push_back(spins.bits(v));
  std::vector<double> lean(64 * spins.n_words()), first(lean.size()), second(lean.size());
  NeighbourhoodGradient found;
  found.loss = evaluate_rows(spins, kernels, target, field, columns, couplings, loss, lean, first,
                             second);
  found.by_field = sum_of(first);
  found.by_coupling.assign(variables.size(), 0.0);
  kernels.sums(first.data(), columns.data(), columns.size(), spins.n_words(),
               found.by_coupling.data());
  for (double& own : found.by_coupling) own = 2 * own - found.by_field;
  if (loss == NeighbourhoodLoss::log_rise) {
    found.by_field /= found.loss;
    for (double& own : found.by_coupling) own /= found.loss;
    found.loss = std::log(found.loss);
  }
  return found;
}

}  // namespace dagwright
