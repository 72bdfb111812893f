#include <algorithm>
#include <optional>
#include <stdexcept>

#include "dagwright/data/count_source.hpp"
#include "dagwright/data/counters.hpp"
#include "dagwright/data/weight_unit.hpp"

namespace dagwright {

namespace {
// Counts of a batch are held until the last chunk: larger batches make several passes.
constexpr double kBatchCells = 32e6;
}  // namespace

ChunkedSource::ChunkedSource(std::vector<Arity> arities, ForEachChunk for_each_chunk,
                             std::vector<double> weights)
    : CountSource(std::move(arities)),
      for_each_chunk_(std::move(for_each_chunk)),
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

void ChunkedSource::count(std::span<const Family> families, Run& run, const Use& use) const {
  for (std::size_t begin = 0; begin < families.size();) {
    std::vector<FamilyShape> shapes;
    double cells = 0;
    while (begin + shapes.size() < families.size() && (shapes.empty() || cells < kBatchCells)) {
      shapes.push_back(shape(families[begin + shapes.size()]));
      cells += std::min(shapes.back().n_cells(), 4.0 * n_rows() + 1024.0);
    }
    std::vector<std::optional<FamilyCounts>> sums(shapes.size());
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
    if (!sums.front()) throw std::invalid_argument("a pass over the chunks gave none");
    run.parallel_for(shapes.size(), [&](std::size_t i) {
      sums[i]->stop_with(run);
      use(begin + i, *sums[i]);
    });
    begin += shapes.size();
  }
}

std::shared_ptr<const CountSource> ChunkedSource::reweighted(std::vector<double> weights) const {
  return std::make_shared<ChunkedSource>(arities(), for_each_chunk_, std::move(weights));
}

}  // namespace dagwright
