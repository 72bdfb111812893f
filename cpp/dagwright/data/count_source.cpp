#include "dagwright/data/count_source.hpp"

#include <algorithm>

namespace dagwright {

namespace {
constexpr std::size_t kPairsAtOnce = 1 << 16;
}

void ExtensionsAsFamilies::count(std::span<const Variable> candidates, Run& run,
                                 const UseExtension& use) {
  std::vector<Family> families;
  families.reserve(candidates.size());
  for (const Variable candidate : candidates) {
    Family extended = base_;
    auto& parents = extended.parents;
    parents.insert(std::lower_bound(parents.begin(), parents.end(), candidate), candidate);
    families.push_back(std::move(extended));
  }
  source_.count(families, run,
                [&](std::size_t i, const FamilyCounts& counts) { use(i, ExtensionCounts(counts)); });
}

void CountSource::shape(const Family& family, FamilyShape& out) const {
  out.family = family;
  out.child_arity = arities_[family.child];
  out.parent_arities.clear();
  for (const Variable parent : family.parents) out.parent_arities.push_back(arities_[parent]);
}

std::unique_ptr<Extensions> CountSource::extensions() const {
  return std::make_unique<ExtensionsAsFamilies>(*this);
}

void CountSource::count_extensions(const Family& base, std::span<const Variable> candidates,
                                   Run& run, const UseExtension& use) const {
  const std::size_t n_parts = parts_worth_a_thread(base, candidates.size(), run.threads());
  if (n_parts > 1) {
    return run.parallel_for(n_parts, [&](std::size_t part) {
      const std::size_t begin = candidates.size() * part / n_parts;
      const std::size_t end = candidates.size() * (part + 1) / n_parts;
      Run inner = run.inner();
      count_extensions(base, candidates.subspan(begin, end - begin), inner,
                       [&](std::size_t i, const ExtensionCounts& counts) { use(begin + i, counts); });
    });
  }
  const auto counter = extensions();
  counter->begin(base);
  counter->count(candidates, run, use);
}

void CountSource::count_pairs_as_families(Variable begin, Variable end,
                                          const std::function<bool(Variable, Variable)>& wanted,
                                          Run& run, const UsePair& use) const {
  std::vector<Family> families;
  const auto count_them = [&] {
    count(families, run, [&](std::size_t i, const FamilyCounts& counts) {
      use(families[i].parents.front(), families[i].child, PairCounts(counts));
    });
    families.clear();
  };
  for (Variable v = begin; v < end; ++v) {
    for (Variable w = v + 1; w < n_variables(); ++w) {
      if (!wanted(v, w)) continue;
      families.push_back({w, {v}});
      if (families.size() == kPairsAtOnce) count_them();
    }
  }
  if (!families.empty()) count_them();
}

}  // namespace dagwright
