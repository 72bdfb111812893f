"""Bootstraps: the weights that are drawn, the graphs, what is made of them, and being stopped."""

import json
import time
from itertools import count

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import dagwright as dw
import oracle.bootstrap as oracle
import strategies
from child import in_child
from dagwright.examples import asia
from dagwright.posterior import resample
from dagwright.posterior.averaged_graph import average
from dagwright.posterior.bootstrap import BootstrapInfo
from dagwright.posterior.graph_sample import GraphSample
from dagwright.posterior.inclusion_threshold import inclusion_threshold
from dagwright.posterior.resample import Resample, rounded, stream_of

KINDS = ["rows", "bayesian"]


def graphs(boot):
    return [boot.sample.dag(i) for i in range(len(boot.sample))]


def weights_of(table, kind, n=400, seed=1):
    resample = Resample(table, kind)
    return np.array([resample.draw(stream_of(seed, i)) for i in range(n)])


# The weights.


@pytest.mark.parametrize("kind", KINDS)
def test_weights_add_up_to_the_number_of_rows(kind):
    table = dw.Table({"a": [0, 1] * 50})
    weighted = table.with_weights(list(range(100)))
    for own, total in (table, 100), (weighted, 4950):
        drawn = weights_of(own, kind, 50)
        assert (drawn.sum(axis=1) == total).all()
        assert (drawn >= 0).all()
        assert (drawn * 16 == np.round(drawn * 16)).all()


def test_drawn_rows_are_multinomial():
    table = dw.Table({"a": [0, 1] * 10})
    drawn = weights_of(table, "rows", 2000)
    assert (drawn == np.round(drawn)).all()
    assert stats.chisquare(drawn.sum(axis=0)).pvalue > 0.001
    seen = np.bincount(drawn[:, 0].astype(int), minlength=6)[:6]
    wanted = stats.binom.pmf(range(6), 20, 1 / 20) * 2000
    assert stats.chisquare(seen, wanted * seen.sum() / wanted.sum()).pvalue > 0.001
    assert np.cov(drawn.T)[0, 1] == pytest.approx(-1 / 20, abs=0.03 * 3)


def test_bayesian_weights_have_the_moments_of_a_dirichlet_distribution(monkeypatch):
    n = 20
    drawn = weights_of(dw.Table({"a": [0, 1] * 10}), "bayesian", 4000)
    assert drawn.mean(axis=0) == pytest.approx(1, abs=0.07)
    variance = (n - 1) / (n + 1)  # of n times one share
    assert drawn.var(axis=0).mean() == pytest.approx(variance, rel=0.05)
    covariance = np.cov(drawn.T)[~np.eye(n, dtype=bool)].mean()
    assert covariance == pytest.approx(-1 / (n + 1), rel=0.1)
    monkeypatch.setattr(resample, "rounded", lambda weights, total: weights)
    exact = weights_of(dw.Table({"a": [0, 1] * 10}), "bayesian", 4000)
    assert stats.kstest(exact[:, 3] / n, stats.beta(1, n - 1).cdf).pvalue > 0.001
    assert np.abs(exact - drawn).max() < 1 / 16


@pytest.mark.parametrize("kind", KINDS)
def test_a_weighted_table_and_its_rows_written_out_have_the_same_distribution(kind):
    own = [3, 1, 0, 2, 4]
    table = dw.Table({"a": [0, 1, 0, 1, 1]})
    written = weights_of(table.take(np.repeat(range(5), own)), kind, 3000, seed=1)
    ends = np.cumsum(own)
    sums = np.array(
        [written[:, end - w : end].sum(axis=1) for end, w in zip(ends, own, strict=True)]
    )
    drawn = weights_of(table.with_weights(own), kind, 3000, seed=2).T
    assert (drawn[2] == 0).all()
    assert drawn.mean(axis=1) == pytest.approx(own, abs=0.12)
    assert np.cov(drawn) == pytest.approx(np.cov(sums), abs=0.25)
    for mine, others in zip(drawn, sums, strict=True):
        assert stats.ks_2samp(mine, others).statistic < 0.05


def test_weights_that_are_no_whole_numbers():
    table = dw.Table({"a": [0, 1, 0]}, weights=[1.0, 0.25, 2.0])
    with pytest.raises(dw.DataError, match=r"row 1 .* has 0.25; take kind=\"bayesian\""):
        dw.bootstrap(table)
    drawn = weights_of(table, "bayesian", 4000)
    assert drawn.sum(axis=1) == pytest.approx(3.25)
    assert drawn.mean(axis=0) == pytest.approx([1, 0.25, 2], abs=0.06)
    variance = 1 * (3.25 - 1) / (3.25 + 1)  # of a share of Dirichlet(1, 0.25, 2), times 3.25
    assert drawn[:, 0].var() == pytest.approx(variance, rel=0.1)


def test_tiny_weights_have_shares_too():
    table = dw.Table({"a": [0, 1, 0, 1]}, weights=[1e-9, 3e-9, 0, 1e-300])
    drawn = weights_of(table, "bayesian", 400)
    assert np.isfinite(drawn).all()
    assert drawn.sum(axis=1) == pytest.approx(4e-9)
    assert (drawn[:, 2] == 0).all()
    assert (drawn.argmax(axis=1) == 1).mean() == pytest.approx(0.75, abs=0.08)


@given(st.integers(1, 200), st.integers(0, 1000))
def test_rounding_keeps_the_total_and_changes_no_weight_by_a_unit(n, seed):
    drawn = np.random.default_rng(seed).exponential(size=n)
    drawn *= n / drawn.sum()
    near = rounded(drawn, n)
    assert near.sum() == n
    assert (near * 16 == np.round(near * 16)).all()
    assert np.abs(near - drawn).max() < 1 / 16


def test_rounding_hardly_changes_how_sure_an_edge_is(monkeypatch):
    table = asia().head(1000)
    near = dw.bootstrap(table, kind="bayesian", replicates=100)
    monkeypatch.setattr(resample, "rounded", lambda weights, total: weights)
    exact = dw.bootstrap(table, kind="bayesian", replicates=100)
    for kind in "directed", "undirected":
        difference = near.edge_probabilities(kind).values - exact.edge_probabilities(kind).values
        assert np.abs(difference).max() <= 0.03
    assert sum(a == b for a, b in zip(graphs(near), graphs(exact), strict=True)) >= 80


def test_chunks_have_the_weights_of_the_table():
    table = asia().head(600)
    weighted = table.with_weights([1] * 300 + [2] * 300)
    parts = [weighted.take(range(start, start + 200)) for start in (0, 200, 400)]
    parts[0] = parts[0].with_weights(None)
    for kind in KINDS:
        whole = dw.bootstrap(weighted, kind=kind, replicates=5)
        pieces = dw.bootstrap(dw.Chunks(parts), kind=kind, replicates=5)
        assert graphs(whole) == graphs(pieces)


# The graphs.


@pytest.mark.parametrize("kind", KINDS)
def test_true_edges_are_sure_and_those_of_an_independent_variable_are_not(kind):
    rows = asia()
    shuffled = np.random.default_rng(1).permutation(rows.codes[rows.names.index("smoke")])
    table = dw.Table.from_codes(
        [*rows.codes, shuffled],
        names=[*rows.names, "noise"],
        states=[*rows.states.values(), rows.states["smoke"]],
    )
    boot = dw.bootstrap(table, kind=kind, replicates=100)
    strength = boot.edge_probabilities("undirected")
    for pair in ("lung", "either"), ("tub", "either"), ("either", "xray"), ("smoke", "bronc"):
        assert strength[pair] > 0.99
    for name in rows.names:
        assert strength["noise", name] < 0.2
    assert not any("noise" in edge for edge in boot.averaged_graph().dag.edges)


@pytest.mark.parametrize("search", [dw.HillClimb(), dw.HillClimb(start="random", restarts=2)])
@pytest.mark.parametrize("kind", KINDS)
def test_threads_change_nothing_and_seeds_do(kind, search):
    table = asia().head(500)
    settings = {"search": search, "kind": kind, "replicates": 30}
    one = dw.bootstrap(table, threads=1, seed=5, **settings)
    two = dw.bootstrap(table, threads=2, seed=5, **settings)
    other = dw.bootstrap(table, threads=2, seed=6, **settings)
    assert graphs(one) == graphs(two)
    assert one.info.families_scored == two.info.families_scored > 0
    assert graphs(one) != graphs(other)
    fewer = dw.bootstrap(table, threads=2, seed=5, **(settings | {"replicates": 7}))
    assert graphs(fewer) == graphs(one)[:7]


def test_a_replicate_is_what_learn_finds_on_the_same_weights():
    table = asia().head(300)
    boot = dw.bootstrap(table, score=dw.BDeu(2), replicates=4, seed=9)
    for i, dag in enumerate(graphs(boot)):
        rng = stream_of(9, i)
        rng.integers(2**63)  # the seed of the search
        scorer = dw.Scorer(table, dw.BDeu(2)).reweighted(Resample(table, "rows").draw(rng))
        assert dag == dw.learn(scorer, search=dw.HillClimb()).dag


def test_a_search_may_have_a_default_score():
    search = dw.K2Search(order=list(asia().names))
    boot = dw.bootstrap(asia().head(200), search=search, replicates=3)
    assert boot.info.score == {"name": "k2"}
    scorer = dw.Scorer(asia().head(200), dw.BDeu(3))
    assert dw.bootstrap(scorer, search=search, replicates=3).info.score["name"] == "bdeu"


@pytest.mark.parametrize(
    "search", [dw.GES(), dw.ChowLiu(), dw.OrderSearch(), dw.ExactDP(), dw.Auto(), dw.Tabu()]
)
def test_any_search_works(search):
    boot = dw.bootstrap(asia().head(300), search=search, replicates=4, threads=2)
    assert (len(boot.sample), boot.reason) == (4, "done")
    assert boot.info.search["name"] == search.name


def test_a_constant_one_row_and_one_variable():
    table = asia().head(200)
    codes = [*table.codes, np.zeros(200, np.uint8)]
    constant = dw.Table.from_codes(codes, names=[*table.names, "same"])
    strength = dw.bootstrap(constant, replicates=20).edge_probabilities("undirected")
    assert all(strength["same", name] == 0 for name in table.names)
    for kind in KINDS:
        boot = dw.bootstrap(dw.Table({"a": ["x"], "b": ["y"]}), kind=kind, replicates=3)
        assert boot.edges == ()
        assert boot.threshold == 0
        assert boot.averaged_graph().dag.edges == ()
        alone = dw.bootstrap({"a": [0, 1, 1]}, kind=kind, replicates=3)
        assert alone.averaged_graph().dag.nodes == ("a",)


@given(st.data())
def test_constraints_hold_in_every_graph_and_in_the_averaged_one(data):
    table = data.draw(strategies.tables(max_variables=5, max_rows=30, weighted=False))
    limits = data.draw(strategies.constraints(table.names))
    n_states = [table.n_states[name] for name in table.names]
    try:
        limits.resolve(table.names, n_states)
    except dw.GraphError:
        return
    kind = data.draw(st.sampled_from(KINDS))
    boot = dw.bootstrap(
        table, score=dw.AIC(), constraints=limits, kind=kind, replicates=6, threads=1
    )
    threshold = data.draw(st.one_of(st.none(), st.floats(0, 1)))
    for dag in [*graphs(boot), boot.averaged_graph(threshold).dag]:
        assert limits.violations(dag, n_states) == ()


# What is made of the graphs.


def samples(names="abcd"):
    return st.lists(strategies.dags_of(list(names)), min_size=1, max_size=8)


def boot_of(dags, constraints=None):
    nothing = {"name": "none"}
    rules = {} if constraints is None else constraints.to_dict()
    info = BootstrapInfo(
        nothing,
        nothing,
        nothing,
        rules,
        "rows",
        len(dags),
        0,
        1,
        None,
        0.1,
        1,
        "0" * 64,
        9,
        9.0,
        {},
    )
    states = dict.fromkeys(dags[0].nodes, (0, 1))
    return dw.Bootstrap(GraphSample.from_dags(dags), "done", states, info)


@given(st.lists(st.integers(0, 20).map(lambda k: k / 20), min_size=1, max_size=12))
def test_the_threshold_is_of_least_distance(strengths):
    wanted = oracle.thresholds(strengths)
    assert inclusion_threshold(strengths) in wanted
    assert max(x for x in wanted if x <= 0.5) == inclusion_threshold(strengths)


def test_thresholds_worked_by_hand():
    # F is 0.25 on [0.1, 0.4), 0.5 on [0.4, 0.9), 0.75 on [0.9, 1): the median of F(x) is 0.5.
    assert inclusion_threshold([0.1, 0.4, 0.9, 1.0]) == 0.4
    assert inclusion_threshold([0.0, 0.0, 1.0]) == 0
    assert inclusion_threshold([1.0, 1.0]) == 0
    assert inclusion_threshold([0.5, 1.0]) == 0.5
    assert inclusion_threshold([]) == 0


def test_absent_pairs_do_not_change_the_threshold():
    # Pairs that no graph joins have strength 0, which is below every other: `edges` has none.
    boot = boot_of(
        [
            dw.Dag([("a", "b")], nodes=list("abc")),
            dw.Dag(nodes=list("abc")),
            dw.Dag(nodes=list("abc")),
        ]
    )
    assert boot.threshold == pytest.approx(1 / 3)
    all_pairs = [edge.strength for edge in boot.edges] + [0.0, 0.0]
    assert inclusion_threshold(all_pairs) == boot.threshold


@given(samples())
def test_shares_are_those_counted_one_by_one(dags):
    boot = boot_of(dags)
    directed = boot.edge_probabilities()
    either = boot.edge_probabilities("undirected")
    compelled = boot.edge_probabilities("compelled")
    for a in "abcd":
        for b in "abcd":
            if a == b:
                continue
            forward = sum(dag.has_edge(a, b) for dag in dags)
            backward = sum(dag.has_edge(b, a) for dag in dags)
            sure = sum((a, b) in dag.cpdag().compelled for dag in dags)
            assert directed[a, b] == forward / len(dags)
            assert either[a, b] == (forward + backward) / len(dags)
            assert compelled[a, b] == sure / len(dags)
    for edge in boot.edges:
        assert edge.strength == either[edge.start, edge.end]
        assert edge.direction == pytest.approx(directed[edge.start, edge.end] / edge.strength)
        assert edge.direction >= 0.5
        assert edge.compelled == compelled[edge.start, edge.end]
    assert len(boot.edges) == (either.values > 0).sum() / 2
    strengths = [edge.strength for edge in boot.edges]
    assert strengths == sorted(strengths, reverse=True)


def test_kinds_of_edges_weigh_graphs():
    chain, fork = (
        dw.Dag([("a", "b"), ("b", "c")]),
        dw.Dag([("a", "b"), ("c", "b")], nodes=list("abc")),
    )
    sample = GraphSample.from_dags([chain, fork], [3, 1])
    assert sample.edge_probabilities("compelled")["a", "b"] == 0.25
    assert sample.edge_probabilities("undirected")["c", "b"] == 1
    assert sample.edge_probabilities()["b", "c"] == 0.75
    with pytest.raises(dw.SpecError, match="kind must be"):
        sample.edge_probabilities("both")


@given(samples("abcde"), st.one_of(st.none(), st.floats(0, 1)))
def test_the_averaged_graph_is_acyclic_and_has_the_strongest_edges(dags, threshold):
    boot = boot_of(dags)
    averaged = boot.averaged_graph(threshold)
    limit = boot.threshold if threshold is None else threshold
    assert averaged.threshold == limit
    n_states = dict.fromkeys(boot.names, 2)
    wanted = oracle.averaged(dags, limit, dw.Constraints(), n_states)
    assert set(averaged.dag.edges) == wanted
    skipped = {(edge.start, edge.end) for edge in averaged.skipped}
    strong = {
        (edge.start, edge.end) for edge in boot.edges if edge.strength > limit or edge.strength == 1
    }
    assert skipped | wanted == strong
    assert not skipped & wanted
    if skipped:
        assert averaged.skipped[0].reason == "it closes a cycle with stronger edges"


def test_majorities_that_make_a_cycle_lose_the_weakest_edge():
    rounds = [
        dw.Dag([("a", "b"), ("b", "c")], nodes=list("abc")),
        dw.Dag([("b", "c"), ("c", "a")], nodes=list("abc")),
        dw.Dag([("a", "b"), ("c", "a")], nodes=list("abc")),
        dw.Dag([("a", "b"), ("b", "c")], nodes=list("abc")),
    ]
    averaged = boot_of(rounds).averaged_graph(0.4)
    assert averaged.dag.edges == (("a", "b"), ("b", "c"))
    (skipped,) = averaged.skipped
    assert (skipped.start, skipped.end, skipped.strength) == ("c", "a", 0.5)


def test_edges_that_break_a_constraint_are_skipped_and_reported():
    dags = [
        dw.Dag([("a", "c"), ("b", "d")], nodes=list("abcd")),
        dw.Dag([("b", "c"), ("b", "d")], nodes=list("abcd")),
    ]
    averaged = boot_of(dags, dw.Constraints(max_parents=1)).averaged_graph(0.1)
    assert averaged.dag.edges == (("a", "c"), ("b", "d"))
    (skipped,) = averaged.skipped
    assert skipped.reason == "with it 'c' has 2 parents, more than max_parents=1"


def test_pairs_that_must_be_adjacent_are():
    pairs = [("a", "b"), ("b", "c"), ("a", "c")]
    dags = [
        dw.Dag([("a", "b"), ("b", "c"), ("a", "c")], nodes=list("abc")),
        dw.Dag([("b", "c"), ("c", "a"), ("b", "a")], nodes=list("abc")),
        dw.Dag([("c", "a"), ("a", "b"), ("c", "b")], nodes=list("abc")),
    ]
    limits = dw.Constraints(adjacent=pairs)
    averaged = boot_of(dags, limits).averaged_graph()
    assert limits.violations(averaged.dag) == ()
    (skipped,) = averaged.skipped
    assert skipped.reason.endswith("; the other direction is taken")


def test_edges_of_all_graphs_are_in_whatever_the_threshold():
    boot = boot_of([dw.Dag([("a", "b")])] * 3)
    assert boot.averaged_graph(1).dag.edges == (("a", "b"),)


def test_averaging_many_edges_does_not_take_long():
    dag = dw.random_dag([f"v{i}" for i in range(400)], mean_parents=3, seed=1)
    boot = boot_of([dag, dag.remove(*dag.edges[0])])
    begun = time.monotonic()
    assert len(average(boot.edges, 0.5, dw.Constraints(), dict.fromkeys(dag.nodes, 2)).dag.edges)
    assert time.monotonic() - begun < 5


# Being stopped, and bad input.


class Counts:
    """A search that takes a while; the replicates after some never end by themselves."""

    def __init__(self, quick):
        self.quick = quick
        self.begun = count(1)  # safe in several threads

    def find(self, scorer, constraints, run):
        run.progress.families_scored += 7
        if next(self.begun) > self.quick:
            until = time.monotonic() + 10
            while not run.stopping() and time.monotonic() < until:
                time.sleep(0.005)
        return dw.Found(dw.Dag(nodes=scorer.names))


@pytest.mark.parametrize("threads", [1, 2])
def test_what_is_done_when_the_clock_stops_it_is_kept(threads):
    begun = time.monotonic()
    boot = dw.bootstrap(asia(), search=Counts(5), threads=threads, time_limit=0.4, replicates=50)
    assert 0.4 <= time.monotonic() - begun < 5
    assert (len(boot.sample), boot.reason, boot.info.replicates) == (5, "time limit", 50)
    assert boot.info.families_scored == 35


@pytest.mark.parametrize("threads", [1, 2])
def test_the_callback_sees_the_replicates_and_stops_it(threads):
    steps = []

    def stop(progress):
        steps.append((progress.step, progress.families_scored))
        return progress.step >= 3

    boot = dw.bootstrap(asia(), search=Counts(3), threads=threads, callback=stop)
    assert (len(boot.sample), boot.reason) == (3, "callback")
    assert steps[-1] == (3, 21)


@pytest.mark.parametrize("threads", [1, 2])
def test_nothing_done_is_no_answer(threads):
    for limit in 0, 0.1:
        with pytest.raises(dw.Unfinished, match=r"stopped \(time limit\) .* before the first"):
            dw.bootstrap(asia(), search=Counts(0), threads=threads, time_limit=limit)


@pytest.mark.parametrize("threads", [1, 2])
def test_errors_of_a_search_and_of_a_callback_reach_the_caller(threads):
    class Fails:
        def find(self, scorer, constraints, run):
            raise LookupError("no way")

    with pytest.raises(LookupError, match="no way"):
        dw.bootstrap(asia(), search=Fails(), threads=threads)

    class Wrong:
        def find(self, scorer, constraints, run):
            return dw.Found(dw.Dag(nodes=scorer.names))

    with pytest.raises(dw.GraphError, match="breaks a constraint"):
        dw.bootstrap(
            asia(),
            search=Wrong(),
            threads=threads,
            constraints=dw.Constraints(required=[("smoke", "lung")]),
        )

    def broken(progress):
        raise LookupError("no callback")

    with pytest.raises(LookupError, match="no callback"):
        dw.bootstrap(asia(), search=Counts(1), threads=threads, callback=broken)


@pytest.mark.parametrize("threads", [1, 2])
def test_ctrl_c_keeps_what_is_done(threads):
    script = """
    from dagwright.examples import asia
    table = asia()
    dw.bootstrap(table, replicates=1)  # all is loaded before the clock starts
    def work():
        global found
        try:
            dw.bootstrap(table, replicates=10**6, threads=int(sys.argv[1]))
        except dw.Interrupted as error:
            found = error.result
            raise
    seconds = ctrl_c(0.5, work)
    print((seconds, len(found.sample), found.reason, found.edges[0].strength))
    """
    seconds, done, reason, strength = in_child(script, threads)
    assert seconds < 2
    assert done >= 1
    assert (reason, strength) == ("interrupted", 1.0)


def test_ctrl_c_before_the_first_replicate_has_no_result():
    script = """
    from dagwright.examples import asia
    class Waits:
        def find(self, scorer, constraints, run):
            while not run.stopping():
                time.sleep(0.005)
            return dw.Found(dw.Dag(nodes=scorer.names))
    kinds = []
    table = asia()
    dw.bootstrap(table, replicates=1)
    def work():
        try:
            dw.bootstrap(table, search=Waits())
        except KeyboardInterrupt as error:
            kinds.append(type(error).__name__)
            raise
    print((ctrl_c(0.3, work), kinds))
    """
    seconds, kinds = in_child(script)
    assert seconds < 2
    assert kinds == ["KeyboardInterrupt"]


@pytest.mark.memory
def test_memory_does_not_grow_with_the_replicates():
    script = """
    table = dw.networks.load("alarm").sample(20000, seed=1)
    dw.bootstrap(table, replicates=4, threads=2)
    before = begin()
    dw.bootstrap(table, replicates=60, threads=2)
    print(grown(before))
    """
    assert in_child(script) < 80


@pytest.mark.parametrize(
    ("settings", "error", "words"),
    [
        ({"replicates": 0}, dw.SpecError, "replicates must be a whole number, 1 or more, not 0"),
        ({"replicates": 2.5}, dw.SpecError, "replicates must be"),
        ({"kind": "columns"}, dw.SpecError, 'kind must be "rows" or "bayesian", not \'columns\''),
        ({"search": "ges"}, dw.SpecError, "is not a search"),
        ({"search": dw.GES}, dw.SpecError, "is not a search"),
        ({"constraints": {}}, dw.SpecError, "constraints must be"),
        ({"constraints": dw.Constraints(required=[("a", "b")])}, dw.GraphError, "'a'"),
        ({"threads": 0}, dw.SpecError, "threads must be"),
        ({"seed": -1}, dw.SpecError, "seed must be"),
        ({"time_limit": -1}, dw.SpecError, "time_limit must be"),
    ],
)
def test_bad_settings_are_refused(settings, error, words):
    with pytest.raises(error, match=words):
        dw.bootstrap(asia(), **settings)


def test_bad_questions_are_refused():
    boot = dw.bootstrap(asia().head(50), replicates=2)
    for threshold in -0.1, 1.1, float("nan"), "a":
        with pytest.raises(dw.SpecError, match="threshold must be a share of the graphs"):
            boot.averaged_graph(threshold)
    with pytest.raises(dw.SpecError, match="kind must be"):
        boot.edge_probabilities("all")
    with pytest.raises(AttributeError):
        boot.reason = "done"


# Files.


def test_it_says_how_it_was_made():
    table = asia().head(100).with_weights([2] * 100)
    limits = dw.Constraints(forbidden=[("smoke", "bronc")])
    boot = dw.bootstrap(
        table,
        search=dw.Tabu(tenure=3),
        score=dw.BDeu(3),
        structure_prior=dw.EdgePenalty(0.5),
        constraints=limits,
        replicates=5,
        kind="bayesian",
        seed=8,
        threads=2,
        time_limit=100,
    )
    info = boot.info
    assert info.search["tenure"] == 3
    assert info.score == {"name": "bdeu", "ess": 3}
    assert info.structure_prior == {"name": "edges", "c": 0.5}
    assert dw.Constraints.from_dict(info.constraints) == limits
    assert (info.kind, info.replicates, info.seed, info.threads) == ("bayesian", 5, 8, 2)
    assert (info.time_limit, info.n_rows, info.total_weight) == (100, 100, 200)
    assert info.data_digest == table.digest
    assert set(info.versions) == {"dagwright", "python", "numpy"}
    assert info.seconds > 0
    assert repr(boot) == "Bootstrap(8 variables, 5 replicates, bayesian, done)"
    assert str(boot).startswith("5 of 5 replicates (bayesian) of 8 variables by tabu: done\n")
    assert dw.bootstrap(table, seed=None, replicates=1).info.seed != 8


def test_a_file_keeps_everything(tmp_path):
    rows = asia().head(300)
    numbers = np.random.default_rng(1).normal(size=300)
    frame = rows.to_frame()
    frame["x"] = numbers
    table = dw.Table(frame, discretize={"x": dw.Quantiles(3)})
    boot = dw.bootstrap(
        table, replicates=20, constraints=dw.Constraints(tiers=[["smoke"], ["lung"]])
    )
    path = tmp_path / "boot.json"
    boot.save(path)
    for again in dw.Bootstrap.load(path), dw.load(path):
        assert again.to_dict() == boot.to_dict()
        assert graphs(again) == graphs(boot)
        assert again.info == boot.info
        assert again.states == boot.states
        assert again.cuts == boot.cuts
        assert again.averaged_graph() == boot.averaged_graph()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"kind": "graph"}, "kind 'graph', but 'bootstrap' is needed"),
        ({"graphs": []}, "at least one graph"),
        ({"graphs": [[0]]}, "one item for each variable"),
        ({"graphs": [[0, 7]]}, "index"),
        ({"graphs": [[0, -1]]}, "whole numbers"),
        ({"graphs": [["x", 0]]}, "whole numbers"),
        ({"parent_sets": [[[1]], [[0]]], "graphs": [[0, 0]]}, "a cycle"),
        ({"parent_sets": [[[0]], [[]]], "graphs": [[0, 0]]}, "self loop"),
        ({"parent_sets": [[[]]]}, "one item for each variable"),
        ({"variables": []}, "one item for each variable"),
        ({"info": {}}, "'score' is missing"),
    ],
)
def test_other_files_are_refused(tmp_path, change, words):
    boot = dw.bootstrap({"a": [0, 1] * 9, "b": [0, 1] * 9}, replicates=1)
    path = tmp_path / "boot.json"
    path.write_text(json.dumps(boot.to_dict() | change))
    with pytest.raises(dw.DataError, match=words) as caught:
        dw.Bootstrap.load(path)
    assert str(path) in str(caught.value)
