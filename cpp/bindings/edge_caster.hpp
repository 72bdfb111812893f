// An edge is a tuple (from, to) in Python.
#pragma once

#include <nanobind/stl/pair.h>

#include <utility>

#include "bindings.hpp"
#include "dagwright/graph/edge.hpp"

namespace nanobind::detail {

template <>
struct type_caster<dagwright::Edge> {
  using Pair = std::pair<dagwright::Variable, dagwright::Variable>;
  NB_TYPE_CASTER(dagwright::Edge, make_caster<Pair>::Name)

  bool from_python(handle source, std::uint8_t flags, cleanup_list* cleanup) noexcept {
    make_caster<Pair> pair;
    if (!pair.from_python(source, flags, cleanup)) return false;
    const Pair nodes = pair.operator cast_t<Pair>();
    value = {nodes.first, nodes.second};
    return true;
  }

  static handle from_cpp(const dagwright::Edge& edge, rv_policy policy,
                         cleanup_list* cleanup) noexcept {
    return make_caster<Pair>::from_cpp(Pair{edge.from, edge.to}, policy, cleanup);
  }
};

}  // namespace nanobind::detail
