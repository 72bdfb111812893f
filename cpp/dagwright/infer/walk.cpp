#include "dagwright/infer/walk.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

namespace dagwright {

namespace {

constexpr std::size_t kMostInBlock = 1024;
// From here on one clique is worth several threads.
constexpr std::size_t kManyCells = std::size_t{1} << 16;
// An output up to this size may have a copy for each part of the clique.
constexpr std::size_t kFewCells = std::size_t{1} << 12;

// Calls fn with the length of a piece as a constant where it is short, so that its loop is unrolled.
template <class Fn>
void with_length(std::size_t length, Fn&& fn) {
  switch (length) {
    case 1: return fn(std::integral_constant<std::size_t, 1>{});
    case 2: return fn(std::integral_constant<std::size_t, 2>{});
    case 3: return fn(std::integral_constant<std::size_t, 3>{});
    case 4: return fn(std::integral_constant<std::size_t, 4>{});
    case 5: return fn(std::integral_constant<std::size_t, 5>{});
    case 6: return fn(std::integral_constant<std::size_t, 6>{});
    case 7: return fn(std::integral_constant<std::size_t, 7>{});
    case 8: return fn(std::integral_constant<std::size_t, 8>{});
    default: return fn(length);
  }
}

// block = in * times for the first table, block *= in for the others; in logs they are added.
template <bool kFirst, bool kLogs>
void multiply(double* __restrict block, const View& view, const double* __restrict in,
              double times) {
  const auto product = [](double a, double b) { return kLogs ? a + b : a * b; };
  with_length(view.length, [&](auto length) {
    double* __restrict to = block;
    for (const std::uint32_t start : view.starts) {
      if (view.kind == View::Kind::constant) {
        const double x = kFirst ? product(in[start], times) : in[start];
        for (std::size_t k = 0; k < length; ++k) to[k] = kFirst ? x : product(to[k], x);
      } else {
        for (std::size_t k = 0; k < length; ++k) {
          to[k] = kFirst ? product(in[start + k], times) : product(to[k], in[start + k]);
        }
      }
      to += length;
    }
  });
}

double log_of_sum(double a, double b) {
  const double larger = std::max(a, b);
  if (larger == -std::numeric_limits<double>::infinity()) return larger;
  return larger + std::log1p(std::exp(std::min(a, b) - larger));
}

// Puts one more number to what an output has.
double reduced(double out, double more, Arithmetic arithmetic) {
  if (arithmetic.maximize) return std::max(out, more);
  return arithmetic.logs ? log_of_sum(out, more) : out + more;
}

double sum_of(const double* values, std::size_t n) {
  double sums[4] = {0, 0, 0, 0};  // so that the processor need not wait for each addition
  std::size_t i = 0;
  for (; i + 4 <= n; i += 4) {
    for (std::size_t k = 0; k < 4; ++k) sums[k] += values[i + k];
  }
  for (; i < n; ++i) sums[0] += values[i];
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

void add(const double* __restrict block, const View& view, double* __restrict out) {
  with_length(view.length, [&](auto length) {
    const double* __restrict from = block;
    for (const std::uint32_t start : view.starts) {
      if (view.kind == View::Kind::constant) {
        out[start] += sum_of(from, length);
      } else {
        for (std::size_t k = 0; k < length; ++k) out[start + k] += from[k];
      }
      from += length;
    }
  });
}

void reduce(const double* __restrict block, const View& view, double* __restrict out,
            Arithmetic arithmetic) {
  if (!arithmetic.maximize && !arithmetic.logs) return add(block, view, out);
  const double* __restrict from = block;
  for (const std::uint32_t start : view.starts) {
    for (std::size_t k = 0; k < view.length; ++k) {
      double& cell = out[view.kind == View::Kind::constant ? start : start + k];
      cell = reduced(cell, from[k], arithmetic);
    }
    from += view.length;
  }
}

}  // namespace

Walk::Walk(std::vector<Arity> axes) {
  std::size_t first_inner = axes.size();
  while (first_inner > 0 && (block_ == 1 || block_ * axes[first_inner - 1] <= kMostInBlock)) {
    block_ *= axes[--first_inner];
  }
  outer_axes_.assign(axes.begin(), axes.begin() + static_cast<std::ptrdiff_t>(first_inner));
  inner_axes_.assign(axes.begin() + static_cast<std::ptrdiff_t>(first_inner), axes.end());
  n_cells_ = block_;
  for (const Arity r : outer_axes_) n_cells_ *= r;
}

View Walk::view(std::span<const std::size_t> steps) const {
  View out;
  out.steps.assign(steps.begin(), steps.end());
  const auto inner = steps.subspan(outer_axes_.size());
  std::size_t rest = inner_axes_.size();  // axes before it are not in a piece
  const auto in_piece = [&](std::size_t axis) {
    if (inner_axes_[axis] == 1) return true;
    if (out.length == 1) {  // the first axis of the piece says of which kind it is
      out.kind = inner[axis] == 1 ? View::Kind::contiguous : View::Kind::constant;
    }
    return inner[axis] == (out.kind == View::Kind::constant ? 0 : out.length);
  };
  while (rest > 0 && in_piece(rest - 1)) out.length *= inner_axes_[--rest];
  // Axis by axis from the fastest: the starts so far, once for each state of the next.
  out.starts.reserve(block_ / out.length);
  out.starts.push_back(0);
  for (std::size_t i = rest; i-- > 0;) {
    const std::size_t n = out.starts.size();
    for (std::size_t state = 1; state < inner_axes_[i]; ++state) {
      for (std::size_t k = 0; k < n; ++k) {
        out.starts.push_back(out.starts[k] + static_cast<std::uint32_t>(state * inner[i]));
      }
    }
  }
  return out;
}

std::size_t Walk::extent(const View& view) const {
  std::size_t extent = 1;
  for (std::size_t a = 0; a < view.steps.size(); ++a) {
    const Arity r = a < outer_axes_.size() ? outer_axes_[a] : inner_axes_[a - outer_axes_.size()];
    extent += (r - 1) * view.steps[a];
  }
  return extent;
}

void Walk::run(std::span<const Input> inputs, std::span<const Output> outputs, Arithmetic arithmetic,
               Run& run) const {
  if (n_cells_ >= kManyCells && !outer_axes_.empty()) {
    share_out(inputs, {outputs.begin(), outputs.end()}, arithmetic, run);
  } else {
    walk(inputs, outputs, arithmetic, nullptr, run);
  }
}

// The clique is cut along an axis. Outputs that have the axis are written by one part each; small ones
// without it get a copy for each part, and the copies are added in order. Other outputs wait for
// another axis. All that depends on the tables alone, so that threads change nothing.
void Walk::share_out(std::span<const Input> inputs, std::vector<Output> outputs, Arithmetic arithmetic,
                     Run& run) const {
  const auto is_large = [&](const Output& output) {
    const auto outer = std::span(output.view->steps).first(outer_axes_.size());
    return extent(*output.view) > kFewCells &&
           std::any_of(outer.begin(), outer.end(), [](std::size_t step) { return step != 0; });
  };
  while (!outputs.empty()) {
    std::size_t axis = 0, best = 0;
    for (std::size_t a = 0; a < outer_axes_.size(); ++a) {
      std::size_t worth = std::min<std::size_t>(outer_axes_[a], 16);
      for (const Output& output : outputs) {
        if (output.view->steps[a] != 0 && is_large(output)) worth += 1000;
      }
      if (worth > best) {
        best = worth;
        axis = a;
      }
    }
    const std::size_t n_parts = outer_axes_[axis];
    std::vector<Output> now, later;
    std::vector<std::size_t> copied;  // places in now
    for (const Output& output : outputs) {
      const bool has_axis = output.view->steps[axis] != 0;
      if (!has_axis && n_parts > 1 && is_large(output)) {
        later.push_back(output);
        continue;
      }
      if (!has_axis) copied.push_back(now.size());
      now.push_back(output);
    }
    std::vector<std::vector<double>> copies(n_parts * copied.size());
    run.parallel_for(n_parts, [&](std::size_t state) {
      auto own = now;
      for (std::size_t c = 0; c < copied.size(); ++c) {
        auto& copy = copies[state * copied.size() + c];
        copy.assign(extent(*now[copied[c]].view), arithmetic.nothing());
        own[copied[c]].values = copy.data();
      }
      const Part part{axis, state};
      walk(inputs, own, arithmetic, &part, run);
    });
    for (std::size_t state = 0; state < n_parts; ++state) {
      for (std::size_t c = 0; c < copied.size(); ++c) {
        const auto& copy = copies[state * copied.size() + c];
        double* out = now[copied[c]].values;
        for (std::size_t i = 0; i < copy.size(); ++i) {
          out[i] = reduced(out[i], copy[i], arithmetic);
        }
      }
    }
    outputs = std::move(later);
  }
}

void Walk::walk(std::span<const Input> inputs, std::span<const Output> outputs, Arithmetic arithmetic,
                const Part* part, Run& run) const {
  const std::size_t n_tables = inputs.size() + outputs.size();
  std::vector<double> block(block_);
  std::vector<std::uint32_t> state(outer_axes_.size(), 0);
  std::vector<std::size_t> at(n_tables, 0);
  const auto view_of = [&](std::size_t t) -> const View& {
    return t < inputs.size() ? *inputs[t].view : *outputs[t - inputs.size()].view;
  };
  if (part != nullptr) {
    for (std::size_t t = 0; t < n_tables; ++t) at[t] = part->state * view_of(t).steps[part->axis];
  }
  const auto is_number = [&](const View& view) {  // in the whole block
    return view.kind == View::Kind::constant && view.length == block_;
  };
  double* cells = block.data();
  for (std::size_t blocks = 0;; ++blocks) {
    if (blocks % 256 == 255) run.check_inside();
    double number = arithmetic.logs ? 0.0 : 1.0;  // the product of all that is the same in the block
    for (std::size_t t = 0; t < inputs.size(); ++t) {
      if (!is_number(*inputs[t].view)) continue;
      const double x = inputs[t].values[at[t]];
      number = arithmetic.logs ? number + x : number * x;
    }
    bool first = true;
    for (std::size_t t = 0; t < inputs.size(); ++t) {
      if (is_number(*inputs[t].view)) continue;
      const double* in = inputs[t].values + at[t];
      const View& view = *inputs[t].view;
      if (arithmetic.logs) {
        first ? multiply<true, true>(cells, view, in, number)
              : multiply<false, true>(cells, view, in, number);
      } else {
        first ? multiply<true, false>(cells, view, in, number)
              : multiply<false, false>(cells, view, in, number);
      }
      first = false;
    }
    if (first) std::fill_n(cells, block_, number);
    for (std::size_t o = 0; o < outputs.size(); ++o) {
      reduce(cells, *outputs[o].view, outputs[o].values + at[inputs.size() + o], arithmetic);
    }
    // The next block, as an odometer turns; the axis of the part stands still.
    bool turned = false;
    for (std::size_t a = outer_axes_.size(); a-- > 0 && !turned;) {
      if (part != nullptr && a == part->axis) continue;
      turned = ++state[a] < outer_axes_[a];
      if (turned) {
        for (std::size_t t = 0; t < n_tables; ++t) at[t] += view_of(t).steps[a];
      } else {
        state[a] = 0;
        for (std::size_t t = 0; t < n_tables; ++t) {
          at[t] -= (outer_axes_[a] - 1) * view_of(t).steps[a];
        }
      }
    }
    if (!turned) return;
  }
}

}  // namespace dagwright
