#include "bindings.hpp"

NB_MODULE(_core, m) {
  m.doc() = "The native core of dagwright. Private: use the public names of dagwright.";
  // Objects that are alive when the interpreter ends are no concern of the user's.
  nb::set_leak_warnings(false);
  bind_run(m);
  bind_encoder(m);
  bind_counts(m);
  bind_graph(m);
  bind_scores(m);
  bind_scorer(m);
  bind_search(m);
  bind_infer(m);
  bind_posterior(m);
  bind_mcmc(m);
  bind_neighbourhoods(m);
  bind_markov(m);
}
