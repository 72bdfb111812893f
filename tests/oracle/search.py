"""Searches that are too slow to be wrong: every graph, or every move tried by rebuilding."""

from itertools import permutations

from oracle import graphs


def satisfies(names, edges, constraints, n_states):
    """Whether a graph is acyclic and honours a ``dagwright.Constraints``, by the definitions."""
    number = {name: i for i, name in enumerate(names)}

    def numbered(pairs):
        return frozenset((number[a], number[b]) for a, b in pairs)

    return graphs.is_acyclic(len(names), numbered(edges)) and graphs.satisfies(
        len(names),
        numbered(edges),
        required=numbered(constraints.required),
        forbidden=numbered(constraints.forbidden),
        adjacent=numbered(constraints.adjacent),
        tier_of={number[name]: i for i, tier in enumerate(constraints.tiers) for name in tier},
        max_parents=constraints.max_parents,
        max_parameters=constraints.max_parameters,
        arities=[n_states[name] for name in names],
    )


def equivalence_class(names, edges):
    """All graphs that are equivalent to this one."""
    number = {name: i for i, name in enumerate(names)}
    members = graphs.equivalence_class(
        len(names), frozenset((number[start], number[end]) for start, end in edges)
    )
    return frozenset(
        frozenset((names[start], names[end]) for start, end in member) for member in members
    )


def neighbours(names, edges):
    """Every graph one move away, cycles included, as {(operator, start, end): edges}."""
    edges = frozenset(edges)
    moves = {}
    for start, end in permutations(names, 2):
        if (start, end) in edges:
            moves["remove", start, end] = edges - {(start, end)}
            moves["reverse", start, end] = edges - {(start, end)} | {(end, start)}
        elif (end, start) not in edges:
            moves["add", start, end] = edges | {(start, end)}
    return moves


def legal_moves(names, edges, constraints, n_states):
    return {
        move: after
        for move, after in neighbours(names, edges).items()
        if satisfies(names, after, constraints, n_states)
    }


def best_gain(score, names, edges, constraints, n_states):
    """The largest gain of a legal move; ``score`` is a function of a set of edges."""
    before = score(frozenset(edges))
    moves = legal_moves(names, edges, constraints, n_states)
    return max((score(after) - before for after in moves.values()), default=0.0)


def other_way(score, names, edges, added, constraints, n_states):
    """Whether an edge that gains the same both ways shall be turned, by what could follow.

    It goes where it makes others gain more as parents of its child; or else where it takes less
    away from them.
    """

    def effect(parent, child):
        after = edges | {(parent, child)}
        more = less = 0.0
        for other in names:
            arrow = (other, child)
            if other in (parent, child) or edges & {arrow, arrow[::-1]}:
                continue
            if not satisfies(names, edges | {arrow}, constraints, n_states):
                continue
            if not satisfies(names, after | {arrow}, constraints, n_states):
                continue
            change = max(0.0, score(after | {arrow}) - score(after))
            change -= max(0.0, score(edges | {arrow}) - score(edges))
            more, less = more + max(0.0, change), less + min(0.0, change)
        return more, less

    edges = frozenset(edges)
    one, other = effect(*added), effect(*added[::-1])
    place = 0 if abs(other[0] - one[0]) > 1e-7 else 1
    return other[place] > one[place] + 1e-7


def climb(score, names, constraints, n_states, start=()):
    """Take the best legal move while there is one that gains; the edges at the end."""
    edges = frozenset(start)
    while True:
        moves = legal_moves(names, edges, constraints, n_states).values()
        best = max(moves, key=score, default=edges)
        if score(best) <= score(edges) + 1e-9:
            return edges
        edges = best


def best_dag(score, names, constraints, n_states):
    """The best score of all graphs that honour the constraints, and a graph that has it."""
    named = (
        frozenset((names[a], names[b]) for a, b in edges) for edges in graphs.all_dags(len(names))
    )
    allowed = [edges for edges in named if satisfies(names, edges, constraints, n_states)]
    best = max(allowed, key=score)
    return score(best), best
