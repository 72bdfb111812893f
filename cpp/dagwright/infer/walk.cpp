#include "dagwright/infer/walk.hpp"

#include <algorithm>
#include <utility>

namespace dagwright {

namespace {

constexpr std::size_t kMostInBlock = 1024;
// From here on one clique is worth several threads.
constexpr std::size_t kManyCells = std::size_t{1} << 18;

// The first table of a block, times a number.
void set_block(double* __restrict block, std::size_t n, const View& view,
               const double* __restrict in, double times) {
  if (view.kind == View::Kind::contiguous) {
    for (std::size_t i = 0; i < n; ++i) block[i] = times * in[i];
  } else {
    const std::uint32_t* at = view.inner.data();
    for (std::size_t i = 0; i < n; ++i) block[i] = times * in[at[i]];
  }
}

void multiply_block(double* __restrict block, std::size_t n, const View& view,
                    const double* __restrict in) {
  if (view.kind == View::Kind::contiguous) {
    for (std::size_t i = 0; i < n; ++i) block[i] *= in[i];
  } else {
    const std::uint32_t* at = view.inner.data();
    for (std::size_t i = 0; i < n; ++i) block[i] *= in[at[i]];
  }
}

void add_block(const double* __restrict block, std::size_t n, const View& view,
               double* __restrict out) {
  switch (view.kind) {
    case View::Kind::constant: {
      double sums[4] = {0, 0, 0, 0};
      std::size_t i = 0;
      for (; i + 4 <= n; i += 4) {
        for (std::size_t k = 0; k < 4; ++k) sums[k] += block[i + k];
      }
      for (; i < n; ++i) sums[0] += block[i];
      *out += (sums[0] + sums[1]) + (sums[2] + sums[3]);
      break;
    }
    case View::Kind::contiguous:
      for (std::size_t i = 0; i < n; ++i) out[i] += block[i];
      break;
    case View::Kind::scattered: {
      const std::uint32_t* at = view.inner.data();
      for (std::size_t i = 0; i < n; ++i) out[at[i]] += block[i];
    }
  }
}

void maximize_block(const double* __restrict block, std::size_t n, const View& view,
                    double* __restrict out) {
  for (std::size_t i = 0; i < n; ++i) {
    double& best = out[view.kind == View::Kind::constant     ? 0
                       : view.kind == View::Kind::contiguous ? i
                                                             : view.inner[i]];
    best = std::max(best, block[i]);
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
  std::size_t expected = 1;
  bool constant = true, contiguous = true;
  for (std::size_t i = inner_axes_.size(); i-- > 0;) {
    if (inner_axes_[i] == 1) continue;
    constant = constant && inner[i] == 0;
    contiguous = contiguous && inner[i] == expected;
    expected *= inner_axes_[i];
  }
  if (constant) return out;
  out.kind = contiguous ? View::Kind::contiguous : View::Kind::scattered;
  if (contiguous) return out;
  out.inner.reserve(block_);
  out.inner.push_back(0);
  // Axis by axis from the fastest: the offsets so far, once for each state of the next.
  for (std::size_t i = inner_axes_.size(); i-- > 0;) {
    const std::size_t n = out.inner.size();
    for (std::size_t state = 1; state < inner_axes_[i]; ++state) {
      for (std::size_t k = 0; k < n; ++k) {
        out.inner.push_back(out.inner[k] + static_cast<std::uint32_t>(state * inner[i]));
      }
    }
  }
  return out;
}

void Walk::run(std::span<const Input> inputs, std::span<const Output> outputs, bool maximize,
               Run& run) const {
  if (run.threads() > 1 && n_cells_ >= kManyCells && !outer_axes_.empty()) {
    // Each output alone, cut along an axis that it has: no two threads write to one cell, and each cell
    // is summed in the same order as by one thread.
    struct Part {
      std::size_t output, axis, begin, end;
    };
    std::vector<Part> parts;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      std::size_t axis = 0, longest = 0;
      for (std::size_t a = 0; a < outer_axes_.size(); ++a) {
        if (outputs[i].view->steps[a] != 0 && outer_axes_[a] > longest) {
          axis = a;
          longest = outer_axes_[a];
        }
      }
      if (longest < 2) {
        parts.push_back({i, 0, 0, outer_axes_[0]});
        continue;
      }
      for (std::size_t state = 0; state < longest; ++state) {
        parts.push_back({i, axis, state, state + 1});
      }
    }
    run.parallel_for(parts.size(), [&](std::size_t p) {
      const Part& part = parts[p];
      walk_part(inputs, outputs.subspan(part.output, 1), maximize, part.axis, part.begin, part.end,
                run);
    });
    return;
  }
  walk_part(inputs, outputs, maximize, 0, 0, outer_axes_.empty() ? 1 : outer_axes_[0], run);
}

void Walk::walk_part(std::span<const Input> inputs, std::span<const Output> outputs, bool maximize,
                     std::size_t axis, std::size_t begin, std::size_t end, Run& run) const {
  constexpr std::size_t kMostTables = 64;
  std::vector<double> block(block_);
  std::vector<std::uint32_t> state(outer_axes_.size(), 0);
  const std::size_t n_tables = inputs.size() + outputs.size();
  std::size_t few[kMostTables];
  std::vector<std::size_t> many(n_tables > kMostTables ? n_tables : 0);
  std::size_t* at = many.empty() ? few : many.data();
  std::fill_n(at, n_tables, 0);
  const auto view_of = [&](std::size_t t) {
    return t < inputs.size() ? inputs[t].view : outputs[t - inputs.size()].view;
  };
  if (!outer_axes_.empty()) {
    state[axis] = static_cast<std::uint32_t>(begin);
    for (std::size_t t = 0; t < n_tables; ++t) at[t] = begin * view_of(t)->steps[axis];
  }
  for (std::size_t blocks = 0;; ++blocks) {
    if (blocks % 256 == 255) run.check_inside();
    double* cells = block.data();
    double number = 1.0;  // the product of all that is the same in the whole block
    for (std::size_t t = 0; t < inputs.size(); ++t) {
      if (inputs[t].view->kind == View::Kind::constant) number *= inputs[t].values[at[t]];
    }
    bool first = true;
    for (std::size_t t = 0; t < inputs.size(); ++t) {
      if (inputs[t].view->kind == View::Kind::constant) continue;
      const double* in = inputs[t].values + at[t];
      if (first) {
        set_block(cells, block_, *inputs[t].view, in, number);
      } else {
        multiply_block(cells, block_, *inputs[t].view, in);
      }
      first = false;
    }
    if (first) std::fill_n(cells, block_, number);
    for (std::size_t o = 0; o < outputs.size(); ++o) {
      double* out = outputs[o].values + at[inputs.size() + o];
      if (maximize) {
        maximize_block(cells, block_, *outputs[o].view, out);
      } else {
        add_block(cells, block_, *outputs[o].view, out);
      }
    }
    // The next block, as an odometer turns.
    std::size_t a = outer_axes_.size();
    for (; a-- > 0;) {
      const std::uint32_t lowest = a == axis ? static_cast<std::uint32_t>(begin) : 0;
      const std::uint32_t last = a == axis ? static_cast<std::uint32_t>(end) : outer_axes_[a];
      if (++state[a] < last) {
        for (std::size_t t = 0; t < n_tables; ++t) at[t] += view_of(t)->steps[a];
        break;
      }
      state[a] = lowest;
      for (std::size_t t = 0; t < n_tables; ++t) at[t] -= (last - 1 - lowest) * view_of(t)->steps[a];
    }
    if (a == static_cast<std::size_t>(-1)) return;
  }
}

}  // namespace dagwright
