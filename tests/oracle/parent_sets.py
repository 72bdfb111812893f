"""Which parent sets of a child are worth keeping, by the definition: every pair is compared."""

from itertools import chain, combinations


def subsets(names, size=None):
    names = sorted(names)
    sizes = range(len(names) + 1 if size is None else min(size, len(names)) + 1)
    return chain.from_iterable(combinations(names, k) for k in sizes)


def allowed(parent, child, constraints):
    tier_of = {name: i for i, tier in enumerate(constraints.tiers) for name in tier}
    ordered = parent not in tier_of or child not in tier_of or tier_of[parent] <= tier_of[child]
    return (parent, child) not in constraints.forbidden and ordered


def asked_for(names, child, constraints):
    """The parents that every graph has, and those that are parents unless they are children."""
    required = {start for start, end in constraints.required if end == child}
    adjacent = {name for pair in constraints.adjacent if child in pair for name in pair} - {child}
    one_way = {name for name in adjacent if not allowed(child, name, constraints)}
    other_way = {name for name in adjacent if not allowed(name, child, constraints)}
    return frozenset(required | one_way), frozenset(adjacent - required - one_way - other_way)


def fits(parents, child, constraints, n_states):
    """Whether a family is within the bounds on its size."""
    n_parameters = n_states[child] - 1
    for parent in parents:
        n_parameters *= n_states[parent]
    return (constraints.max_parents is None or len(parents) <= constraints.max_parents) and (
        constraints.max_parameters is None or n_parameters <= constraints.max_parameters
    )


def allowed_sets(names, child, constraints, n_states, size=None):
    """Every set of parents that the constraints allow.

    With up to ``size`` members beside those that are asked for. A set without an adjacent one is
    allowed: that may be a child.
    """
    required, adjacent = asked_for(names, child, constraints)
    free = {name for name in names if name != child and allowed(name, child, constraints)}
    for more in subsets(free - required - adjacent, size):
        for chosen in subsets(adjacent):
            parents = required.union(more, chosen)
            if fits(parents, child, constraints, n_states):
                yield parents


def dominated(parents, scores, adjacent, tolerance=0.0):
    """Whether a proper subset among ``scores`` ({set: score}) scores as high.

    Only a subset with the same adjacent ones in it counts: an order may ask for just these.
    """
    return any(
        other < parents
        and other & adjacent == parents & adjacent
        and score >= scores[parents] - tolerance
        for other, score in scores.items()
    )
