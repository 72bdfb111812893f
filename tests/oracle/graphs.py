"""Graphs by their definitions: sets of (parent, child) over the nodes 0 .. n-1, and brute force."""

from itertools import combinations, product

EdgeSet = frozenset[tuple[int, int]]


def is_acyclic(n, edges):
    """Depth first search from every node never comes back to it."""
    return not any(v in descendants(n, edges, v) for v in range(n))


def descendants(n, edges, v):
    reached = set()
    waiting = [v]
    while waiting:
        here = waiting.pop()
        for start, end in edges:
            if start == here and end not in reached:
                reached.add(end)
                waiting.append(end)
    return reached


def ancestors(n, edges, v):
    return {u for u in range(n) if v in descendants(n, edges, u)}


def parents(edges, v):
    return {start for start, end in edges if end == v}


def skeleton(edges):
    return {frozenset(edge) for edge in edges}


def v_structures(edges):
    joined = skeleton(edges)
    return {
        (frozenset((a, b)), child)
        for a, child in edges
        for b, other in edges
        if child == other and a != b and frozenset((a, b)) not in joined
    }


def orientations(pairs):
    """All ways to direct undirected edges."""
    pairs = sorted(tuple(sorted(pair)) for pair in pairs)
    for choice in product((False, True), repeat=len(pairs)):
        yield frozenset(
            (b, a) if turned else (a, b) for (a, b), turned in zip(pairs, choice, strict=True)
        )


def equivalent(first, second):
    """Verma and Pearl: same skeleton and same v-structures."""
    return skeleton(first) == skeleton(second) and v_structures(first) == v_structures(second)


def equivalence_class(n, edges):
    return [
        other
        for other in orientations(skeleton(edges))
        if is_acyclic(n, other) and equivalent(edges, other)
    ]


def cpdag(n, edges):
    """The edges that all graphs of the class share, and the pairs that differ."""
    members = equivalence_class(n, edges)
    compelled = frozenset.intersection(*members)
    return compelled, skeleton(edges) - skeleton(compelled)


def consistent_extensions(n, directed, undirected):
    """Directed acyclic graphs that keep the directed edges and make no new v-structure."""
    directed = frozenset(directed)
    joined = skeleton(directed) | skeleton(undirected)
    wanted = {
        (frozenset((a, b)), child)
        for a, child in directed
        for b, other in directed
        if child == other and a != b and frozenset((a, b)) not in joined
    }
    for chosen in orientations(undirected):
        edges = directed | chosen
        if is_acyclic(n, edges) and v_structures(edges) == wanted:
            yield edges


def all_dags(n):
    pairs = list(combinations(range(n), 2))
    for choice in product((None, False, True), repeat=len(pairs)):
        edges = frozenset(
            (b, a) if turned else (a, b)
            for (a, b), turned in zip(pairs, choice, strict=True)
            if turned is not None
        )
        if is_acyclic(n, edges):
            yield edges


def shd(n, first, second):
    def marks(edges):
        compelled, reversible = cpdag(n, edges)
        return {frozenset(edge): edge for edge in compelled} | dict.fromkeys(reversible, "--")

    one, two = marks(first), marks(second)
    pairs = [frozenset(pair) for pair in combinations(range(n), 2)]
    return sum(one.get(pair) != two.get(pair) for pair in pairs)


def allowed(edge, forbidden, tier_of):
    parent, child = edge
    if edge in forbidden:
        return False
    return parent not in tier_of or child not in tier_of or tier_of[parent] <= tier_of[child]


def satisfies(
    n,
    edges,
    *,
    required=(),
    forbidden=(),
    adjacent=(),
    tier_of=None,
    max_parents=None,
    max_parameters=None,
    arities=None,
):
    """The constraints by their definition."""
    joined = skeleton(edges)
    if not set(required) <= set(edges) or not skeleton(adjacent) <= joined:
        return False
    if not all(allowed(edge, set(forbidden), tier_of or {}) for edge in edges):
        return False
    for child in range(n):
        group = parents(edges, child)
        if max_parents is not None and len(group) > max_parents:
            return False
        if max_parameters is not None:
            table = arities[child] - 1
            for parent in group:
                table *= arities[parent]
            if table > max_parameters:
                return False
    return True
