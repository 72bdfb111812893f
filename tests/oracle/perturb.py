"""Data perturbation by the public functions alone, with the core's random numbers written out."""

import math

import dagwright as dw
from oracle import search

WORD = 2**64 - 1


class Rng:
    """Uniform numbers of xoshiro256**, seeded by splitmix64 from (seed, stream)."""

    def __init__(self, seed, stream):
        x = seed ^ (stream * 0xD1B54A32D192ED03 & WORD)
        self.state = []
        for _ in range(4):
            x = x + 0x9E3779B97F4A7C15 & WORD
            z = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & WORD
            z = (z ^ z >> 27) * 0x94D049BB133111EB & WORD
            self.state.append(z ^ z >> 31)

    def next(self):
        def rotated(x, n):
            return (x << n | x >> 64 - n) & WORD

        a, b, c, d = self.state
        result = rotated(b * 5 & WORD, 7) * 9 & WORD
        t = b << 17 & WORD
        c ^= a
        d ^= b
        b ^= c
        a ^= d
        c ^= t
        self.state = [a, b, c, rotated(d, 45)]
        return result

    def uniform(self):
        return (self.next() >> 11) / 2**53

    def below(self, n):
        drawn = self.next()
        while drawn < 2**64 % n:
            drawn = self.next()
        return drawn % n


def drawn(weights, strength, rng):
    factors = [math.pow(-math.log1p(-rng.uniform()), strength) for _ in weights]
    scale = sum(weights) / sum(w * f for w, f in zip(weights, factors, strict=True))
    return [w * round(16 * min(f * scale, 256)) / 16 for w, f in zip(weights, factors, strict=True)]


def random_start(scorer, constraints, rng):
    """As many pairs as nodes are drawn, and those added that are legal."""
    names = scorer.source.names
    stay = dw.HillClimb(max_steps=0)
    dag = dw.learn(scorer, search=stay, constraints=constraints).dag
    if len(names) < 2:
        return dag
    for _ in names:
        start, end = names[rng.below(len(names))], names[rng.below(len(names))]
        added = frozenset(dag.edges) | {(start, end)}
        if len(added) > len(dag.edges) and search.satisfies(
            names, added, constraints, scorer.data.n_states
        ):
            dag = dw.Dag(added, nodes=dag.nodes)
    return dag


def walk(scorer, constraints, *, rounds, strength, seed, restart=0):
    """The graph that one walk ends with, before it is compared with the plain climb."""
    table = scorer.data
    weights = [1.0] * len(table) if table.weights is None else [float(w) for w in table.weights]
    rng = Rng(seed, restart)
    begin = random_start(scorer, constraints, rng) if restart % 2 else "empty"
    climb = dw.HillClimb(start=begin, sideways=False)
    for i in range(rounds):
        perturbed = scorer.reweighted(drawn(weights, strength * (1 - i / rounds), rng))
        dag = dw.learn(perturbed, search=climb, constraints=constraints).dag
        climb = dw.HillClimb(start=dag, sideways=False)
    return dw.learn(scorer, search=climb, constraints=constraints)
