#include "bindings.hpp"

void bind_graph(nb::module_&) {}
