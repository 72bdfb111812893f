#include "bindings.hpp"

void bind_encoder(nb::module_&) {}
