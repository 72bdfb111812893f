#include "dagwright/data/count_source.hpp"
#include "dagwright/data/counters.hpp"

namespace dagwright {

TableSource::TableSource(std::shared_ptr<const Table> table)
    : CountSource(table->arities()), table_(std::move(table)) {}

void TableSource::count(std::span<const Family> families, Run& run, const Use& use) const {
  run.parallel_for(families.size(), [&](std::size_t i) {
    const FamilyShape family = shape(families[i]);
    use(i, prefers_dense(family, n_rows()) ? count_dense(*table_, family)
                                           : count_sparse(*table_, family));
  });
}

std::shared_ptr<const CountSource> TableSource::reweighted(std::vector<double> weights) const {
  return std::make_shared<TableSource>(
      std::make_shared<const Table>(table_->reweighted(std::move(weights))));
}

}  // namespace dagwright
