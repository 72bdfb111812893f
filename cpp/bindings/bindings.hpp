// The only folder that includes nanobind. One file a module, no logic.
#pragma once

#include <nanobind/nanobind.h>

namespace nb = nanobind;

void bind_encoder(nb::module_& m);
void bind_graph(nb::module_& m);
