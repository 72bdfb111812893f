#include "bindings.hpp"

NB_MODULE(_core, m) {
  m.doc() = "The native core of dagwright. Private: use the public names of dagwright.";
  bind_encoder(m);
  bind_graph(m);
}
