#include <algorithm>
#include <chrono>
#include <optional>
#include <stdexcept>

#include "dagwright/data/cost_model.hpp"
#include "dagwright/data/count_pairs.hpp"
#include "dagwright/data/count_source.hpp"
#include "dagwright/data/counters.hpp"
#include "dagwright/data/weight_unit.hpp"

namespace dagwright {

namespace {
// Counts of a batch are held until the last chunk: larger batches make several passes.
constexpr double kBatchCells = 32e6;

constexpr std::chrono::milliseconds kPollEvery{20};
}  // namespace

ChunkedSource::ChunkedSource(std::vector<Arity> arities, ForEachChunk for_each_chunk,
                             std::vector<double> weights,
                             std::shared_ptr<std::recursive_timed_mutex> passes)
    : CountSource(std::move(arities)),
      for_each_chunk_(std::move(for_each_chunk)),
      passes_(std::move(passes)),
      weights_(exactly_summable(std::move(weights))) {
  visit_chunks([&](const Table& chunk) {
    n_rows_ += static_cast<double>(chunk.n_rows());
    total_ += chunk.total();
  });
}

void ChunkedSource::visit_chunks(const std::function<void(const Table&)>& visit) const {
  std::size_t begin = 0;
  for_each_chunk_([&](const Table& chunk) {
    if (chunk.arities() != arities()) throw std::invalid_argument("chunks differ in their states");
    if (weights_.empty()) return visit(chunk);
    const std::size_t end = begin + chunk.n_rows();
    if (end > weights_.size()) throw std::invalid_argument("one weight a row is needed");
    const auto from = weights_.begin() + static_cast<std::ptrdiff_t>(begin);
    visit(chunk.reweighted({from, from + static_cast<std::ptrdiff_t>(chunk.n_rows())}));
    begin = end;
  });
  if (!weights_.empty() && begin != weights_.size()) {
    throw std::invalid_argument("one weight a row is needed");
  }
}

std::unique_lock<std::recursive_timed_mutex> ChunkedSource::begin_pass(Run& run) const {
  std::unique_lock pass(*passes_, std::defer_lock);
  while (!pass.try_lock_for(kPollEvery)) {
    if (run.stopping_inside()) throw Stopped{run.reason()};
  }
  return pass;
}

void ChunkedSource::count(std::span<const Family> families, Run& run, const Use& use) const {
  for (std::size_t begin = 0; begin < families.size();) {
    std::vector<FamilyShape> shapes;
    double cells = 0;
    while (begin + shapes.size() < families.size() && (shapes.empty() || cells < kBatchCells)) {
      shapes.emplace_back();
      shape(families[begin + shapes.size() - 1], shapes.back());
      cells += std::min(shapes.back().n_cells(), 4.0 * n_rows() + 1024.0);
    }
    std::vector<std::optional<FamilyCounts>> sums(shapes.size());
    auto pass = begin_pass(run);
    visit_chunks([&](const Table& chunk) {
      run.parallel_for(shapes.size(), [&](std::size_t i) {
        const bool dense = prefers_dense(shapes[i].n_cells(), n_rows());
        FamilyCounts counts = dense ? count_dense(chunk, shapes[i], run)
                                    : count_sparse(chunk, shapes[i], run);
        if (sums[i]) {
          sums[i]->add(counts, run);
        } else {
          sums[i] = std::move(counts);
        }
      });
    });
    pass.unlock();
    if (!sums.front()) throw std::invalid_argument("a pass over the chunks gave none");
    run.parallel_for(shapes.size(), [&](std::size_t i) {
      sums[i]->stop_with(run);
      use(begin + i, *sums[i]);
    });
    begin += shapes.size();
  }
}

void ChunkedSource::count_pairs(Variable begin, Variable end, Run& run, const UsePair& use) const {
  const auto few_states = [&](Variable v) { return arities()[v] <= kMostBitmapStates; };
  const auto few = [&](Variable v, Variable w) { return few_states(v) && few_states(w); };
  count_pairs_as_families(
      begin, end, [&](Variable v, Variable w) { return !few(v, w); }, run, use);

  // The others all in one pass, or in as many as memory asks for. The pairs of v have their cells
  // from cells_of(v) on, those of w after arity(v) * (states of the variables between the two).
  std::vector<std::size_t> states_before(n_variables() + 1, 0);
  for (Variable v = 0; v < n_variables(); ++v) {
    states_before[v + 1] = states_before[v] + (few_states(v) ? arities()[v] : 0);
  }
  const auto n_cells = [&](Variable v) {
    return few_states(v) ? arities()[v] * (states_before.back() - states_before[v + 1]) : 0;
  };
  for (Variable from = begin, to = begin; from < end; from = to) {
    std::vector<std::size_t> cells_of;
    std::size_t size = 0;
    for (; to < end && (to == from || static_cast<double>(size + n_cells(to)) < kBatchCells); ++to) {
      cells_of.push_back(size);
      size += n_cells(to);
    }
    std::vector<Count> sums(size, 0.0);
    const auto place = [&](Variable v, Variable w) {
      return sums.data() + cells_of[v - from] +
             arities()[v] * (states_before[w] - states_before[v + 1]);
    };
    const auto add = [&](Variable v, Variable w, const PairCounts& counts) {
      Count* cells = place(v, w);
      counts.for_each_cell([&](Count count, State s, State t) {
        cells[s * arities()[w] + t] += count;
      });
    };
    auto pass = begin_pass(run);
    visit_chunks([&](const Table& chunk) {
      const Bitmaps bitmaps(chunk, best_kernels());
      dagwright::count_pairs(bitmaps, arities(), from, to, run, add);
      run.parallel_for(to - from, [&](std::size_t i) {
        const Variable v = from + static_cast<Variable>(i);
        for (Variable w = v + 1; w < n_variables() && !run.stopping_inside(); ++w) {
          if (!few(v, w) || can_count_pair(bitmaps, v, w)) continue;
          add(v, w, PairCounts(count_dense(chunk, shape({w, {v}}), run)));
        }
      });
    });
    pass.unlock();
    run.parallel_for(to - from, [&](std::size_t i) {
      const Variable v = from + static_cast<Variable>(i);
      for (Variable w = v + 1; w < n_variables() && !run.stopping_inside(); ++w) {
        if (few(v, w)) use(v, w, PairCounts(place(v, w), arities()[v], arities()[w]));
      }
    });
  }
}

std::vector<double> ChunkedSource::weights() const {
  const std::lock_guard pass(*passes_);
  std::vector<double> weights;
  visit_chunks([&](const Table& chunk) {
    const std::vector<double> more = chunk.row_weights();
    weights.insert(weights.end(), more.begin(), more.end());
  });
  return weights;
}

std::shared_ptr<const CountSource> ChunkedSource::reweighted(std::vector<double> weights) const {
  return std::make_shared<ChunkedSource>(arities(), for_each_chunk_, std::move(weights), passes_);
}

}  // namespace dagwright
