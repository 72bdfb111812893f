"""The Scorer's own questions: names, cache, statistics, errors."""

import math
import pickle
import signal
import threading

import numpy as np
import pytest

import dagwright as dw


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    return dw.Table.from_codes(rng.integers(3, size=(100, 6)), names=list("abcdef"))


def test_the_default_is_bic_without_a_prior(table):
    scorer = dw.Scorer(table)
    assert (scorer.score_spec, scorer.structure_prior) == (dw.BIC(), dw.Uniform())
    assert scorer.names == table.names
    assert scorer.local("a", ["b"]) == dw.Scorer(table, dw.BIC()).local("a", ["b"])


def test_a_frame_goes_straight_in():
    frame = {"a": ["n", "y", "y"], "b": ["n", "y", "n"]}
    assert dw.Scorer(frame).local("a") == dw.Scorer(dw.Table(frame)).local("a")
    dag = dw.Dag([("a", "b")])
    assert dw.score(dag, frame) == dw.score(dag, dw.Table(frame))


def test_a_table_is_opened_once(table):
    first = dw.Scorer(table)
    assert dw.Scorer(table, dw.K2()).source is first.source
    asked = [("a", ["b", "c"]), ("d", [])]
    expected = first.batch(asked)
    assert dw.Scorer(table).batch(asked).tolist() == expected.tolist()
    # What the table keeps stays with it: a copy, other rows or other weights have their own.
    for copy in (pickle.loads(pickle.dumps(table)), table.take(np.arange(len(table)))):
        assert copy._source is None
        assert dw.Scorer(copy).source is not first.source
        assert dw.Scorer(copy).batch(asked).tolist() == expected.tolist()
    heavier = table.with_weights(np.full(len(table), 2.0))
    assert dw.Scorer(heavier, dw.LogLikelihood()).local("a") == pytest.approx(
        2 * dw.Scorer(table, dw.LogLikelihood()).local("a")
    )


@pytest.mark.parametrize(
    "weights", [np.arange(100), np.arange(200) / 2.0, np.arange(100) % 3 + 0.5]
)
def test_weights_may_be_arrays_of_any_kind(table, weights):
    weights = weights[: 2 * len(table) : len(weights) // len(table)]  # with strides, too
    given = dw.Scorer(table.with_weights(weights))
    assert given.local("a", ["b"]) == dw.Scorer(table.with_weights(list(weights))).local("a", ["b"])
    assert dw.Scorer(table).reweighted(weights).local("a", ["b"]) == given.local("a", ["b"])


def test_the_cache_answers_what_was_asked(table):
    scorer = dw.Scorer(table, dw.K2())
    scorer.local("a", ["b", "c"])
    counted = scorer.stats.families_counted
    assert counted >= 1
    for parents in ["b", "c"], ("c", "b"), {"b", "c"}:
        scorer.local("a", parents)
    assert scorer.stats.families_counted == counted
    assert scorer.stats.families_asked == 4
    assert scorer.stats.hit_rate == pytest.approx(1 - counted / 4)
    assert dw.Scorer(table).stats.hit_rate == 0


def test_a_set_function_shares_sets_among_children(table):
    """s(a | b c) = f(a b c) - f(b c): once the sets are known, so is every family within them."""
    scorer = dw.Scorer(table, dw.BDeu())
    scorer.batch([("a", ["b", "c"]), ("a", ["b"]), ("a", ["c"]), ("a", [])])
    counted = scorer.stats.families_counted
    scorer.batch([("b", ["a", "c"]), ("c", ["a", "b"]), ("b", ["a"]), ("c", ["a"])])
    assert scorer.stats.families_counted == counted


def test_the_cache_keeps_to_its_bound():
    rng = np.random.default_rng(1)
    table = dw.Table.from_codes(rng.integers(2, size=(20, 16)))
    bound = 1 << 18
    scorer = dw.Scorer(table, dw.K2(), cache_bytes=bound)
    child, *others = table.names
    families = [
        (child, [name for bit, name in enumerate(others) if mask >> bit & 1])
        for mask in range(0, 2**15, 2)
    ]
    expected = scorer.batch(families)
    assert scorer.stats.cache_bytes <= bound
    assert (scorer.batch(families) == expected).all()


def test_many_threads_may_use_one_scorer(table):
    scorer = dw.Scorer(table, dw.BDeu())
    expected = scorer.with_score(dw.BDeu()).gains("a", ["b"])
    answers = []
    threads = [
        threading.Thread(target=lambda: answers.append(scorer.gains("a", ["b"]))) for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == [pytest.approx(expected)] * 8


def test_unknown_names_come_with_a_hint(table):
    other = table.select(["a", "b"])
    longer = dw.Table({"smoke": [0, 1], "cancer": [0, 1]})
    scorer = dw.Scorer(longer)
    for ask in (
        lambda: scorer.local("smok"),
        lambda: scorer.local("cancer", ["smok"]),
        lambda: scorer.gains("cancer", [], ["smok"]),
        lambda: scorer.entropy(["smok"]),
        lambda: scorer.upper_bound("smok"),
        lambda: scorer.counts("smok"),
    ):
        with pytest.raises(dw.GraphError, match="'smok'; did you mean 'smoke'"):
            ask()
    assert dw.Scorer(other).names == ("a", "b")


@pytest.mark.parametrize(
    ("child", "parents", "message"),
    [
        ("a", ["a"], "other than itself"),
        ("a", ["b", "b"], "distinct"),
        ("a", "b", "no list of names"),
    ],
)
def test_impossible_families_are_refused(table, child, parents, message):
    scorer = dw.Scorer(table)
    for ask in scorer.local, scorer.gains, scorer.upper_bound, scorer.counts:
        with pytest.raises(dw.GraphError, match=message):
            ask(child, parents)


def test_a_child_is_no_candidate(table):
    scorer = dw.Scorer(table)
    with pytest.raises(dw.GraphError, match="its own parent"):
        scorer.gains("a", [], ["a", "b"])
    assert scorer.gains("a", ["b"], []) == {}
    assert list(scorer.gains("a", ["b"], ["c", "b"])) == ["c", "b"]


def test_a_graph_must_have_the_variables_of_the_data(table):
    with pytest.raises(dw.GraphError, match="no node for the variables"):
        dw.score(dw.Dag([("a", "b")]), table)
    with pytest.raises(dw.GraphError, match="no variable 'z'"):
        dw.score(dw.Dag([("a", "z")], nodes=[*table.names, "z"]), table)
    in_any_order = dw.Dag([("a", "b")], nodes=table.names[::-1])
    assert dw.score(in_any_order, table) == pytest.approx(
        dw.score(dw.Dag([("a", "b")], nodes=table.names), table)
    )


def test_an_empty_batch_and_an_empty_set(table):
    scorer = dw.Scorer(table)
    assert scorer.batch([]).shape == (0,)
    assert scorer.entropy([]) == 0
    with pytest.raises(dw.DagwrightError):
        scorer.entropy(["a", "a", "zz"])


def test_entropy_of_a_set_named_twice_is_that_of_the_set(table):
    """A set has each variable once: the same number, or a clear refusal."""
    scorer = dw.Scorer(table)
    try:
        twice = scorer.entropy(["a", "a"])
    except dw.DagwrightError as error:
        assert "a" in str(error)  # noqa: PT017
    else:
        assert twice == pytest.approx(scorer.entropy(["a"]))


@pytest.mark.parametrize("cache_bytes", [-1, 1.5, True, None, "1"])
def test_cache_bytes_is_a_number_of_bytes(table, cache_bytes):
    with pytest.raises(dw.SpecError, match="cache_bytes"):
        dw.Scorer(table, cache_bytes=cache_bytes)


@pytest.mark.parametrize("threads", [0, -1, 1.5, "2", True, 2000])
def test_batch_refuses_a_bad_number_of_threads(table, threads):
    with pytest.raises(dw.SpecError, match="threads must be"):
        dw.Scorer(table).batch([("a", [])], threads=threads)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1.0] * 99, "one number for each of the 100 rows|shape"),
        ([-1.0] + [1.0] * 99, "row 0|negative"),
        ([math.nan] + [1.0] * 99, "row 0"),
        ([math.inf] + [1.0] * 99, "row 0"),
        ([0.0] * 100, "all are 0|sum"),
    ],
)
def test_bad_weights_are_refused(table, weights, message):
    for ask in dw.Scorer(table).reweighted, table.with_weights:
        with pytest.raises(dw.DataError, match=message):
            ask(weights)
    chunks = dw.Chunks([table.head(60), table.take(range(60, 100))])
    with pytest.raises(dw.DataError, match=message):
        dw.Scorer(chunks).reweighted(weights)


def test_a_family_knows_its_counts(table):
    family = dw.Scorer(table).counts("a", ["c", "b"])
    assert family.child == "a"
    assert set(family.parents) == {"b", "c"}
    assert family.table().shape == (3, 3, 3)
    assert family.table().sum() == family.total == 100
    alone = dw.Scorer(table).counts("a")
    assert alone.configs.shape == (1, 0)
    assert alone.table().sum() == 100
    assert "a given" in repr(family)


def test_a_decomposition_prints(table):
    text = str(dw.Scorer(table).decompose(dw.Dag([("a", "b")], nodes=table.names)))
    assert "complexity" in text
    assert text.count("\n") == 7
    assert repr(dw.Scorer(table)) == "Scorer(6 variables, BIC(), Uniform())"


def test_likelihood_never_falls_and_learns_the_complete_graph(table):
    """THEORY: adding an edge never lowers it."""
    scorer = dw.Scorer(table, dw.LogLikelihood())
    assert min(scorer.gains("a", ["b"], ["c", "d"]).values()) >= 0
    assert len(dw.learn(scorer).dag.edges) == 15


def test_two_variables_gain_n_times_their_mutual_information():
    """THEORY: LL(G1) - LL(G0) = N I(x; y); by hand for a 2 x 2 table."""
    table = dw.Table({"x": [0, 0, 0, 1, 1, 1, 1, 1], "y": [0, 0, 1, 0, 1, 1, 1, 1]})
    gain = dw.Scorer(table, dw.LogLikelihood()).gains("y")["x"]
    by_hand = (
        2 * math.log(2 * 8 / (3 * 3))
        + 1 * math.log(1 * 8 / (3 * 5))
        + 1 * math.log(1 * 8 / (5 * 3))
        + 4 * math.log(4 * 8 / (5 * 5))
    )
    assert gain == pytest.approx(by_hand)


def test_ctrl_c_in_a_batch_is_ctrl_c():
    codes = np.random.default_rng(0).integers(20, size=(200_000, 30))
    table = dw.Table.from_codes(codes)
    scorer = dw.Scorer(table)
    names = table.names
    asked = [(a, [b, c]) for a in names for b in names for c in names if len({a, b, c}) == 3]
    answered = threading.Event()

    def press():
        # Once is not always enough: an interrupt that comes while Python collects garbage is lost.
        while not answered.wait(1.0):
            signal.raise_signal(signal.SIGINT)

    threading.Thread(target=press, daemon=True).start()
    with pytest.raises(KeyboardInterrupt):
        scorer.batch(asked)
    answered.set()


def test_names_are_known_by_their_text_whatever_object_they_are():
    rng = np.random.default_rng(1)
    names = [f"v{i}" for i in range(3000)]  # more than are remembered by their object
    scorer = dw.Scorer(dw.Table.from_codes(rng.integers(2, size=(8, 3000)), names=names))
    pairs = [(int(child), int(parent)) for child, parent in rng.integers(3000, size=(4000, 2))]
    pairs = [pair for pair in pairs if pair[0] != pair[1]]
    again = scorer.batch([(names[child], (names[parent],)) for child, parent in pairs])
    anew = scorer.batch([(f"v{child}", [f"v{parent}"]) for child, parent in pairs])
    assert again.tolist() == anew.tolist()
    for (child, parent), score in list(zip(pairs, again, strict=True))[:50]:
        assert score == scorer.local(names[child], [names[parent]])


def test_a_graph_may_have_its_nodes_in_any_order(table):
    edges = [("f", "a"), ("b", "a"), ("e", "c"), ("f", "c"), ("a", "d")]
    scorer = dw.Scorer(table)
    dag = dw.Dag(edges, nodes=list("fdbeca"))
    one_by_one = sum(scorer.local(node, dag.parents(node)) for node in dag.nodes)
    assert scorer.score(dag) == pytest.approx(one_by_one, rel=1e-14)
    in_order = scorer.score(dw.Dag(edges, nodes=table.names))
    assert in_order == pytest.approx(one_by_one, rel=1e-14)


def test_a_name_that_runs_python_cannot_put_another_in_the_place_of_one():
    rng = np.random.default_rng(0)
    scorer = dw.Scorer(dw.Table.from_codes(rng.integers(3, size=(200, 10))))

    class Swapping(str):
        """Looked up, it frees the first parent and makes another name where that was."""

        def __hash__(self):
            if parents[0] == "x1":
                address, others = id(parents[0]), []
                parents[0] = ""
                for _ in range(2000):
                    others.append("".join(["x", "3"]))
                    if id(others[-1]) == address:
                        break
                parents[0] = others[-1]
            return str.__hash__(self)

    for _ in range(5):
        parents = ["".join(["x", "1"])]
        asked = [("x5", parents), (Swapping("x6"), ("x7",)), ("x8", parents)]
        assert scorer.batch(asked)[2] == scorer.local("x8", ["x3"])
