"""Every registered sampler, with every score, structure prior and count source."""

import json
import pickle

import numpy as np
import pytest

import dagwright as dw
from dagwright.mcmc import samplers
from instances import PRIORS, SAMPLERS, SCORES, chunks_of
from oracle import mcmc as oracle

pytestmark = pytest.mark.filterwarnings("ignore:The (chains|weights)|There are")
every_sampler = pytest.mark.parametrize("sampler", SAMPLERS.values(), ids=SAMPLERS)


def some_table():
    rng = np.random.default_rng(1)
    a = rng.integers(3, size=30)
    b = np.where(rng.random(30) < 0.5, a % 2, rng.integers(2, size=30))
    return dw.Table({"b": b, "c": rng.integers(2, size=30), "a": a})


def sampled(data, sampler, **settings):
    return dw.posterior(data, sampler=sampler, draws=1500, chains=2, thin=40, **settings)


def expected(scorer, posterior, sampler):
    """The probability of each edge among the graphs that the sampler can draw."""
    over = "orders" if isinstance(sampler, dw.OrderMCMC) and not sampler.correct else "dags"
    names = scorer.names
    probability = oracle.distribution(scorer, over=over)
    if not isinstance(sampler, dw.StructureMCMC):
        core = scorer.source.names
        candidates = [
            {names.index(core[v]) for v in posterior.state["candidates"][core.index(name)]}
            for name in names
        ]
        probability = {
            graph: share
            for graph, share in probability.items()
            if all(len(own) == 1 or own <= candidates[v] for v, own in enumerate(graph))
        }
    edges = np.zeros((len(names), len(names)))
    for graph, share in probability.items():
        for v, own in enumerate(graph):
            edges[list(own), v] += share
    return edges / sum(probability.values())


def test_every_sampler_is_here():
    assert {type(sampler) for sampler in SAMPLERS.values()} == set(samplers)


@every_sampler
@pytest.mark.parametrize("score", SCORES)
def test_draws_agree_with_all_graphs_by_every_score(sampler, score):
    table = some_table()
    scorer = dw.Scorer(table, SCORES[score](table).spec)
    check(scorer, sampler)


@every_sampler
@pytest.mark.parametrize("prior", PRIORS)
def test_draws_agree_with_all_graphs_by_every_prior(sampler, prior):
    table = some_table()
    check(dw.Scorer(table, dw.BDeu(1), structure_prior=PRIORS[prior](table).spec), sampler)


def check(scorer, sampler):
    posterior = sampled(scorer, sampler)
    edges = expected(scorer, posterior, sampler)
    worth = 0.5 * min(posterior.weights_effective_size, posterior.effective_sample_size())
    errors = np.sqrt(edges * (1 - edges) / worth)
    difference = np.abs(posterior.edge_probabilities().values - edges)
    assert (difference < 4.5 * errors + 0.005).all()


@every_sampler
def test_every_source_gives_the_same_draws(sampler):
    table = some_table()
    whole = sampled(table, sampler, seed=2)
    from_chunks = sampled(chunks_of(table, 3), sampler, seed=2)
    assert (whole.draws == from_chunks.draws).all()
    twice = sampled(table.with_weights(np.full(len(table), 1.0)), sampler, seed=2)
    assert (whole.draws == twice.draws).all()
    permuted = table.take(np.random.default_rng(0).permutation(len(table)))
    assert (whole.scores == sampled(permuted, sampler, seed=2).scores).all()


@every_sampler
def test_specs_are_plain_and_come_back(sampler):
    assert samplers.from_dict(json.loads(json.dumps(sampler.to_dict()))) == sampler
    assert pickle.loads(pickle.dumps(sampler)) == sampler
    settings = ",".join(
        f"{key}={value}" for key, value in sampler.to_dict().items() if key != "name"
    )
    assert samplers.parse(f"{sampler.name}:{settings}") == sampler


@every_sampler
def test_constraints_hold_in_every_draw(sampler):
    allowed = dw.Constraints(
        required=[("a", "c")], forbidden=[("c", "b")], adjacent=[("a", "b")], max_parents=1
    )
    posterior = sampled(some_table(), sampler, constraints=allowed)
    for first, _ in zip(*posterior.graphs.distinct, strict=True):
        assert allowed.violations(posterior.graphs.dag(int(first))) == ()
