"""Greedy walks over classes that recompute everything at every step, over nodes 0 .. n-1.

Once by the definition, every edge of every member of a class, which shares nothing with the core;
once with the core's moves, for graphs with too many members to list.
"""

from collections import defaultdict
from functools import cache

from dagwright import _core
from oracle import graphs

PHASES = ("add", "remove", "reverse")


@cache
def classes(n):
    """Return the members of the class of every graph, by graph."""
    members = defaultdict(list)
    for masks in _core.all_dags(n):
        edges = frozenset((p, v) for v in range(n) for p in range(n) if masks[v] >> p & 1)
        signature = frozenset(graphs.skeleton(edges)), frozenset(graphs.v_structures(edges))
        members[signature].append(edges)
    return {edges: frozenset(group) for group in members.values() for edges in group}


def neighbours_of(members, y):
    """Return what is joined to y by an edge that has both directions among the members."""
    everywhere = frozenset.intersection(*members)
    joined = {v for edge in next(iter(members)) if y in edge for v in edge if v != y}
    return {v for v in joined if not {(v, y), (y, v)} & everywhere}


def outcomes(n, members):
    """Return the class that each move leads to, as {(operator, x, y, into): members}.

    A move makes x -> y appear (add, reverse) or disappear (remove) in a member in which, of the
    neighbours of y, `into` point at it. That they lead to one class from whichever member is
    checked here, and the members are listed: this is the definition.
    """
    found = {}
    for edges in members:
        for x in range(n):
            for y in range(n):
                if (x, y) in edges:
                    operator, after = "remove", edges - {(x, y)}
                elif (y, x) in edges:
                    operator, after = "reverse", edges - {(y, x)} | {(x, y)}
                else:
                    operator, after = "add", edges | {(x, y)}
                if x == y or after not in classes(n) or after in members:
                    continue
                pointing = neighbours_of(members, y) & graphs.parents(edges, y) - {x}
                move = operator, x, y, tuple(sorted(pointing))
                assert found.setdefault(move, classes(n)[after]) == classes(n)[after]
    return found


def best(gains, score):
    """Return the move that gains most; of those within rounding, the first by kind, y, x, into."""
    tolerance = 1e-9 + 1e-12 * abs(score)
    most = max(gains.values(), default=0.0)
    if most <= tolerance:
        return None
    above = max(tolerance, most - max(tolerance, 1e-12 * most))
    return min(
        (m for m in gains if gains[m] > above), key=lambda m: (PHASES.index(m[0]), m[2], m[1], m[3])
    )


def search(step, place, *, turning=True, repeat=True):
    """Take steps through the phases; ``step(kinds, place)`` returns the move and the next place.

    Returns the last place and the edges of the trace as (operator, start, end).
    """
    trace = []
    while True:
        before = len(trace)
        for operator in PHASES if turning else PHASES[:2]:
            place, steps = climb(step, place, [operator])
            trace += steps
        if not repeat or len(trace) == before:
            return place, trace


def climb(step, place, kinds=PHASES):
    """Take the best step of some kinds as long as one gains."""
    trace = []
    while (taken := step(kinds, place)) is not None:
        (operator, x, y, _), place = taken
        trace.append((operator, y, x) if operator == "reverse" else (operator, x, y))
    return place, trace


def by_definition(n, local, allowed, start=frozenset(), walk=search, **settings):
    """Walk over classes as sets of members; ``allowed`` says whether a graph may be returned."""

    def score(edges):
        return sum(local(v, frozenset(graphs.parents(edges, v))) for v in range(n))

    def step(kinds, members):
        now = score(min(members, key=sorted))
        reached = {
            move: after
            for move, after in outcomes(n, members).items()
            if move[0] in kinds and any(map(allowed, after))
        }
        gains = {move: score(min(reached[move], key=sorted)) - now for move in reached}
        move = best(gains, now)
        return None if move is None else (move, reached[move])

    return walk(step, classes(n)[start], **settings)


def recomputing(n, local, max_parents, walk=search, **settings):
    """Search with the core's moves and Chickering's differences of local scores."""

    def gain(operator, x, y, into, directed, undirected):
        parents = {a for a, b in directed if b == y} | set(into)
        gained = local(y, frozenset(parents | {x})) - local(y, frozenset(parents - {x}))
        if operator != "reverse":
            return gained if operator == "add" else -gained
        of_x = {a for a, b in directed if b == x}
        if y not in of_x:
            of_x |= {w for w in into if tuple(sorted((w, x))) in undirected}
        return gained + local(x, frozenset(of_x - {y})) - local(x, frozenset(of_x | {y}))

    def step(kinds, place):
        directed, undirected = place
        now = total(place)
        gains, reached = {}, {}
        for operator in kinds:
            op = getattr(_core.Operator, operator)
            for x, y, into, *after, _ in _core.class_moves(n, directed, undirected, op):
                if max(map(len, _core.consistent_extension(n, *after))) > max_parents:
                    continue
                move = operator, x, y, tuple(into)
                gains[move] = gain(*move, directed, set(undirected))
                reached[move] = after
        move = best(gains, now)
        return None if move is None else (move, reached[move])

    def total(place):
        parents = _core.consistent_extension(n, *place)
        return sum(local(v, frozenset(parents[v])) for v in range(n))

    return walk(step, ([], []), **settings)
