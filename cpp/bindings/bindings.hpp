// The only folder that includes nanobind. One file a module, no logic.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <utility>
#include <vector>

namespace nb = nanobind;

void bind_run(nb::module_& m);
void bind_encoder(nb::module_& m);
void bind_counts(nb::module_& m);
void bind_graph(nb::module_& m);
void bind_scores(nb::module_& m);
void bind_scorer(nb::module_& m);
void bind_search(nb::module_& m);
void bind_infer(nb::module_& m);
void bind_posterior(nb::module_& m);
void bind_mcmc(nb::module_& m);
void bind_neighbourhoods(nb::module_& m);
void bind_markov(nb::module_& m);

// Moves a vector into a numpy array without copying.
template <class T>
nb::ndarray<nb::numpy, T, nb::ndim<1>> to_numpy(std::vector<T> values) {
  auto* kept = new std::vector<T>(std::move(values));
  nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return {kept->data(), {kept->size()}, owner};
}
