"""The bootstrap, slow and obvious: thresholds by trying all, and averaging by listing graphs."""

from itertools import pairwise

import dagwright as dw


def distance(strengths, t):
    """The integral of abs(F(x) - t) over x from 0 to 1, step by step of F."""
    ends = sorted({0.0, 1.0, *strengths})
    total = 0.0
    for begin, end in pairwise(ends):
        share = sum(strength <= begin for strength in strengths) / len(strengths)
        total += (end - begin) * abs(share - t)
    return total


def thresholds(strengths):
    """All thresholds that belong to some t of least distance, lowest first."""
    levels = sorted({sum(s <= x for s in strengths) / len(strengths) for x in [-1, 0, *strengths]})
    between = [(a + b) / 2 for a, b in pairwise(levels)]
    tried = [0.0, 1.0, *levels, *between]
    least = min(distance(strengths, t) for t in tried)
    best = [t for t in tried if distance(strengths, t) <= least + 1e-12]
    return sorted({quantile(strengths, t) for t in best})


def quantile(strengths, t):
    """The least x, among 0 and the strengths, that at least a share t does not exceed."""
    return min(
        x for x in [0.0, *strengths] if sum(s <= x for s in strengths) / len(strengths) >= t - 1e-12
    )


def averaged(dags, threshold, constraints, n_states):
    """The edges of the averaged graph, where no pair must be adjacent."""
    names = sorted(dags[0].nodes)
    pairs = []
    for i, first in enumerate(names):
        for second in names[i + 1 :]:
            forward = sum(dag.has_edge(first, second) for dag in dags)
            backward = sum(dag.has_edge(second, first) for dag in dags)
            edge = (first, second) if forward >= backward else (second, first)
            strength = (forward + backward) / len(dags)
            if strength > threshold or strength == 1:
                pairs.append((-strength, -max(forward, backward) / (forward + backward), edge))
    kept = []
    for _, _, edge in sorted(pairs, key=lambda pair: pair[:2]):
        try:
            dag = dw.Dag([*kept, edge], nodes=n_states)
        except dw.GraphError:
            continue
        broken = constraints.violations(dag, list(n_states.values()))
        if all("missing" in words for words in broken):
            kept.append(edge)
    return set(kept)
