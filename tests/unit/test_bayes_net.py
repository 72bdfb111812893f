"""Parameters: fitting, updating, forgetting, and what the posterior of a parameter is."""

import datetime as dt
import itertools
import json
import pickle

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

import dagwright as dw
from models import random_model
from strategies import dags_of, tables

PARAMETERS = ["ml", dw.K2(), dw.BDeu(3), dw.Dirichlet(0.5)]


def counts_by_hand(table, child, parents):
    """Count with a dictionary: the slow, obvious way."""
    weights = np.ones(len(table)) if table.weights is None else table.weights
    codes = dict(zip(table.names, table.codes, strict=True))
    shape = [len(table.states[name]) for name in (*parents, child)]
    out = np.zeros(shape)
    for row in range(len(table)):
        out[tuple(int(codes[name][row]) for name in (*parents, child))] += weights[row]
    return out


def alpha_by_hand(parameters, shape):
    match parameters:
        case "ml":
            return 0.0
        case dw.K2():
            return 1.0
        case dw.BDeu():
            return parameters.ess / np.prod(shape)
    return parameters.alpha


@given(st.data(), st.sampled_from(PARAMETERS))
def test_probabilities_are_counts_and_prior(data, parameters):
    table = data.draw(tables(max_variables=5))
    dag = data.draw(dags_of(table.names))
    model = dw.fit(dag, table, parameters)
    for child in dag.nodes:
        own = model.table(child)
        expected = counts_by_hand(table, child, own.parents)
        np.testing.assert_allclose(own.counts.reshape(own.shape), expected, rtol=1e-12)
        posterior = expected + alpha_by_hand(parameters, own.shape)
        totals = posterior.sum(axis=-1, keepdims=True)
        with np.errstate(invalid="ignore"):
            np.testing.assert_allclose(own.probabilities, posterior / totals, rtol=1e-12)
        unseen = list(own.undefined())
        assert len(unseen) == int((totals == 0).sum())


@given(st.data(), st.sampled_from(PARAMETERS))
def test_update_and_forget_equal_fitting_in_any_batching(data, parameters):
    """Integer weights: equal to the last bit."""
    table = data.draw(tables(max_variables=4, weighted=False))
    if data.draw(st.booleans()):
        weights = data.draw(
            st.lists(st.integers(0, 5), min_size=len(table), max_size=len(table)).filter(any)
        )
        table = table.with_weights(weights)
    dag = data.draw(dags_of(table.names))
    cuts = sorted(data.draw(st.sets(st.integers(1, max(1, len(table) - 1)), max_size=3)))
    ends = [0, *[cut for cut in cuts if cut < len(table)], len(table)]
    parts = [range(a, b) for a, b in itertools.pairwise(ends)]

    def part(rows):
        own = table.take(list(rows)) if _has_weight(table, rows) else None
        return own

    whole = dw.fit(dag, table, parameters)
    batches = [own for own in map(part, parts) if own is not None]
    model = dw.fit(dag, batches[0], parameters)
    for batch in batches[1:]:
        model = model.update(batch)
    assert model == whole
    for batch in batches[1:]:
        model = model.forget(batch)
    assert model == dw.fit(dag, batches[0], parameters)
    assert dw.fit(dag, dw.Chunks(batches), parameters) == whole
    assert (
        dw.fit(dag, batches[0], parameters).update(dw.Chunks(batches)).forget(batches[0]) == whole
    )


def _has_weight(table, rows):
    return table.weights is None or sum(table.weights[row] for row in rows) > 0


def test_a_file_is_fitted_and_added_piece_by_piece(tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    model = dw.networks.load("alarm")
    rows = model.sample(5000, seed=9)
    parquet.write_table(rows.to_frame("pyarrow"), tmp_path / "rows.parquet")

    def pieces():
        for batch in parquet.ParquetFile(tmp_path / "rows.parquet").iter_batches(700):
            yield dw.Table(batch, states=rows.states)

    whole = dw.fit(model.dag, rows, dw.BDeu(5))
    assert dw.fit(model.dag, dw.Chunks(pieces), dw.BDeu(5)) == whole
    start = dw.fit(model.dag, rows.take([0]), dw.BDeu(5))
    assert start.update(dw.Chunks(pieces)).forget(rows.take([0])) == whole


def test_rows_that_were_never_counted_cannot_be_forgotten():
    rows = dw.Table({"a": ["n", "y"], "b": ["n", "y"]})
    model = dw.fit(dw.Dag([("a", "b")]), rows)
    other = dw.Table({"a": ["n"], "b": ["y"]}, states={"a": ["n", "y"], "b": ["n", "y"]})
    with pytest.raises(dw.DataError, match="never counted: 'b' would have a count of -1"):
        model.forget(other)


def test_new_states_are_refused_or_added():
    dag = dw.Dag([("a", "b")])
    first = dw.Table({"a": ["n", "y"], "b": [1, 2]})
    more = dw.Table({"a": ["n", "z"], "b": [3, 1]})
    model = dw.fit(dag, first, dw.BDeu(4))
    with pytest.raises(dw.DataError, match="'a' has the state 'z'.*unseen=\"extend\""):
        model.update(more)
    grown = model.update(more, unseen="extend")
    assert grown.states["a"] == ("n", "y", "z")
    assert grown.states["b"] == (1, 2, 3)
    everything = dw.Table(
        {"a": ["n", "y", "n", "z"], "b": [1, 2, 3, 1]},
        states={"a": ["n", "y", "z"], "b": [1, 2, 3]},
    )
    assert grown == dw.fit(dag, everything, dw.BDeu(4))  # the prior has the new size too
    with pytest.raises(dw.DataError, match="'b' has the state 'x'"):
        model.update(dw.Table({"a": ["n"], "b": ["x"]}), unseen="extend")  # text among numbers


def test_rows_in_other_orders_and_frames_fit_the_model():
    dag = dw.Dag([("a", "b")])
    model = dw.fit(dag, dw.Table({"a": ["n", "y"], "b": ["n", "y"]}))
    frame = {"b": ["y"], "else": [0.5], "a": ["n"]}
    assert model.update(frame).table("b").counts.tolist() == [[1, 1], [0, 1]]
    with pytest.raises(dw.DataError, match=r"no variable \['b'\]"):
        model.update({"a": ["n"]})


def test_a_discretized_variable_takes_numbers():
    rows = dw.Table(
        {"age": [20.5, 30, 40, 50], "b": ["n", "n", "y", "y"]}, discretize={"age": dw.Quantiles(2)}
    )
    model = dw.learn(rows, score=dw.K2()).fit()
    assert model.cuts == {"age": (35.0,)}
    more = model.update({"age": [60.0], "b": ["y"]})
    assert more.total_weight == 5
    assert model.predict({"age": [22.0, 70.1]}, "b") == ["n", "y"]
    assert dw.BayesNet.from_dict(model.to_dict()) == model


def test_posterior_of_a_parameter():
    rows = dw.Table({"a": ["n"] * 3 + ["y"] * 7})
    table = dw.fit(dw.Dag(nodes=["a"]), rows, dw.Dirichlet(2.0)).table("a")
    law = scipy.stats.beta(5, 9)
    assert table.mean()[0] == pytest.approx(law.mean())
    assert table.mode()[0] == pytest.approx(4 / 12)
    assert table.variance()[0] == pytest.approx(law.var())
    low, high = table.interval(0.9)
    assert (low[0], high[0]) == pytest.approx((law.ppf(0.05), law.ppf(0.95)))
    with pytest.raises(dw.DataError, match="between 0 and 1"):
        table.interval(90)
    bare = dw.fit(dw.Dag(nodes=["a"]), rows, "ml").table("a")
    with pytest.raises(dw.DataError, match="no posterior"):
        bare.interval()
    # Below 1 the density has no highest point.
    sharp = dw.fit(dw.Dag(nodes=["a"]), rows.take([0]), dw.BDeu(1)).table("a")
    assert np.isnan(sharp.mode()).all()


def test_drawn_parameters_have_the_posterior_moments():
    rows = dw.Table({"a": ["n", "y", "y"], "b": ["n", "y", "n"]})
    model = dw.fit(dw.Dag([("a", "b")]), rows, dw.BDeu(2))
    draws = model.sample_parameters(4000, seed=3)
    for name in "ab":
        values = np.stack([draw.table(name).probabilities for draw in draws])
        table = model.table(name)
        sd = np.sqrt(table.variance())
        assert (abs(values.mean(axis=0) - table.mean()) < 5 * sd / np.sqrt(4000)).all()
        np.testing.assert_allclose(values.var(axis=0), table.variance(), rtol=0.15)
    again = model.sample_parameters(2, seed=3)
    assert again == draws[:2]
    # Tiny hyperparameters: all gamma draws of a row may underflow to zero.
    tiny = dw.fit(dw.Dag([("a", "b")]), rows, dw.Dirichlet(1e-6)).sample_parameters(50)
    assert all(np.isfinite(draw.table("b").probabilities).all() for draw in tiny)


def test_a_family_of_many_parents_is_stored_sparsely():
    rng = np.random.default_rng(0)
    n, parents = 500, 20
    codes = [rng.integers(3, size=n) for _ in range(80)]
    names = [f"x{i}" for i in range(80)]
    table = dw.Table.from_codes(codes, names=names, states=[range(3)] * 80)
    dag = dw.Dag([(names[j], names[i]) for i in range(80) for j in range(max(0, i - parents), i)])
    model = dw.fit(dag, table, dw.BDeu(1))
    own = model.table("x50")
    assert own.is_sparse
    assert own.counts.nbytes < 100_000
    assert own.n_configs == 3**20
    with pytest.raises(dw.DataError, match=r"1\.05e\+10 cells"):
        _ = own.probabilities
    row = {name: int(codes[int(name[1:])][7]) for name in own.parents}
    assert own.row(row)[int(codes[50][7])] > 0.99
    other = own.row(dict.fromkeys(own.parents, 2))
    assert other == pytest.approx({0: 1 / 3, 1: 1 / 3, 2: 1 / 3})
    # Rows, updates and files work; queries fill what the evidence leaves.
    logs = model.log_likelihoods(table)
    assert logs.sum() == pytest.approx(model.log_likelihood(table))
    half = dw.fit(dag, table.take(range(250)), dw.BDeu(1))
    assert half.update(table.take(range(250, 500))) == model
    assert dw.BayesNet.from_dict(json.loads(json.dumps(model.to_dict()))) == model
    known = {name: int(codes[int(name[1:])][7]) for name in names if name != "x79"}
    assert model.query("x79", known)[int(codes[79][7])] > 0.99
    marginal = model.table("x0").probabilities @ model.table("x1").probabilities
    assert model.query("x1").probabilities == pytest.approx(marginal)
    with pytest.raises(dw.DataError, match="Give evidence on more of its parents"):
        model.query("x79")
    predicted = model.predict(table.take([7, 8]), "x79")
    assert predicted == [int(codes[79][7]), int(codes[79][8])]


def test_bde_with_a_network_is_bde_with_its_joint():
    network = random_model(5, 4, density=0.8)
    names = sorted(network.names)
    rows = network.sample(50, seed=1)
    from oracle import inference

    joint = inference.joint(network)
    dag = dw.random_dag(names, seed=3)
    by_network = dw.fit(dag, rows, dw.BDe(network=network, ess=5))
    by_joint = dw.fit(dag, rows, dw.BDe(joint, list(network.names), ess=5))
    for name in names:
        np.testing.assert_allclose(
            by_network.table(name).probabilities, by_joint.table(name).probabilities, rtol=1e-12
        )
    assert dw.BayesNet.from_dict(by_network.to_dict()) == by_network
    learned = dw.learn(rows, score=dw.BDe(network=network, ess=5))
    assert learned.fit().parameters.network.names == network.network.names
    with pytest.raises(dw.SpecError, match="'either' = 'no' the probability 0.*smoothed"):
        dw.BDe(network=dw.networks.load("asia"))
    with pytest.raises(dw.SpecError, match="only one has"):
        dw.learn(rows, score=dw.BDe(network=dw.networks.load("student")))
    with pytest.raises(dw.SpecError, match="either as joint"):
        dw.BDe()


def test_the_score_that_chose_the_graph_gives_the_prior():
    rows = dw.networks.load("asia").sample(200, seed=2)
    assert dw.learn(rows, score=dw.BDeu(7)).fit().parameters == dw.BDeu(7)
    assert dw.learn(rows).fit().parameters == dw.BDeu(1)  # BIC has none
    assert dw.learn(rows).fit(parameters="ml").parameters == "ml"
    result = dw.learn(rows, score=dw.K2())
    again = dw.Result.from_dict(result.to_dict())
    assert again == result
    with pytest.raises(dw.DataError, match="does not have its data"):
        again.fit()
    assert again.fit(rows) == result.fit()
    with pytest.raises(dw.SpecError, match='parameters=BIC.* give "ml"'):
        dw.fit(result.dag, rows, dw.BIC())


def test_likelihood_of_rows_and_weights():
    model = dw.networks.load("asia")
    rows = model.sample(300, seed=4).with_weights(np.arange(300) % 3 + 0.5)
    logs = model.log_likelihoods(rows)
    assert model.log_likelihood(rows) == pytest.approx(float((logs * rows.weights).sum()))
    assert model.log_loss(rows) == pytest.approx(
        -float((logs * rows.weights).sum()) / rows.total_weight
    )
    chunks = dw.Chunks([rows.take(range(100)), rows.take(range(100, 300))])
    assert model.log_likelihood(chunks) == pytest.approx(model.log_likelihood(rows))
    impossible = dw.Table(
        {name: [{"either": "no", "lung": "yes"}.get(name, "no")] for name in model.names},
        states=dict(model.states),
    )
    assert model.log_likelihood(impossible) == -np.inf
    fitted = dw.fit(model.dag, rows.take(range(20)), "ml")
    with pytest.raises(dw.DataError, match="undefined"):
        fitted.log_likelihood(rows)


def test_estimated_divergence_has_its_error():
    """Where a family is sparse there is no exact answer; rows give one."""
    rng = np.random.default_rng(0)
    names = [f"x{i}" for i in range(19)]
    dag = dw.Dag([(name, "y") for name in names])
    codes = [rng.integers(2, size=100) for _ in range(20)]
    rows = dw.Table.from_codes(codes, names=[*names, "y"], states=[range(2)] * 20)
    sparse = dw.fit(dag, rows, dw.BDeu(1))
    assert sparse.table("y").is_sparse
    uniform = dw.fit(dw.Dag(nodes=dag.nodes), rows, dw.BDeu(1))
    found = uniform.kl_divergence(sparse, n_samples=2000)
    assert not found.exact
    assert found.standard_error > 0
    assert "+-" in str(found)


def test_json_keeps_everything(tmp_path):
    rows = dw.Table(
        {
            "text": ["x", "é\n"] * 12,
            "whole": [1, 2, 3] * 8,
            "truth": [True, False] * 12,
            "day": [dt.date(2020, 1, 1), dt.date(2020, 1, 2)] * 12,
            "number": [i / 7 for i in range(24)],
        },
        discretize={"number": dw.Quantiles(3)},
    )
    dag = dw.Dag([("text", "whole"), ("whole", "day")], nodes=rows.names)
    for parameters in PARAMETERS:
        model = dw.fit(dag, rows, parameters)
        for name in ("model.json", "model.json.gz"):
            model.save(tmp_path / name)
            assert dw.load(tmp_path / name) == model
        assert pickle.loads(pickle.dumps(model)) == model
    with pytest.warns(UserWarning, match=r"counts and the prior.*cuts of.*no text"):
        model.save(tmp_path / "model.bif")
    read = dw.load(tmp_path / "model.bif")
    assert read.states["whole"] == ("1", "2", "3")
    np.testing.assert_array_equal(read.table("day").probabilities, model.table("day").probabilities)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda v: v.pop("tables"), "'tables' is missing"),
        (lambda v: v["tables"].pop(), "no table of"),
        (lambda v: v["tables"].append(v["tables"][0]), "two tables"),
        (lambda v: v["tables"][2].update(counts=[[1, 2]]), "have the shape"),
        (lambda v: v["edges"].pop(), "the edges say"),
        (lambda v: v.update(parameters="best"), "parameters are 'best'"),
        (lambda v: v.update(parameters=None), "must have counts if"),
        (lambda v: v["tables"][0].update(counts=[[-1, 2]]), "finite and 0 or more"),
        (lambda v: v.update(kind="soup"), "kind 'soup'"),
        (lambda v: v["edges"].append(["grade", "difficulty"]), "cycle"),
        (lambda v: v.update(tables=7), "not a Bayesian network"),
    ],
)
def test_broken_json_is_refused(change, message, tmp_path):
    student = dw.networks.load("student")
    values = dw.fit(student.dag, student.sample(50)).to_dict()
    change(values)
    with pytest.raises(dw.DagwrightError, match=message):
        dw.BayesNet.from_dict(values)


@pytest.mark.parametrize(
    ("probabilities", "message"),
    [
        ({"a": [0.5, 0.5]}, r"\['b'\] is only in one"),
        ({"a": [0.5, 0.5], "b": [0.5, 0.5]}, r"shape \(2,\)"),
        ({"a": [0.5, 0.6], "b": [[0.5, 0.5]] * 2}, "sum to 1.1"),
        ({"a": [1.5, -0.5], "b": [[0.5, 0.5]] * 2}, "0 or more"),
        ({"a": "half", "b": [[0.5, 0.5]] * 2}, "must be an array"),
    ],
)
def test_wrong_tables_are_refused(probabilities, message):
    with pytest.raises(dw.DataError, match=message):
        dw.BayesNet(dw.Dag([("a", "b")]), probabilities)


def test_a_network_that_was_not_fitted_cannot_be_updated():
    model = dw.networks.load("student")
    with pytest.raises(dw.DataError, match="was not fitted.*BDe"):
        model.update(model.sample(5))
    assert not model.is_fitted
    assert model.total_weight == 0


def test_other_packages_and_back():
    model = dw.networks.load("child")
    back = dw.BayesNet.from_pyagrum(model.to_pyagrum())
    assert back.dag == model.dag
    assert back.query("Sick", {"Age": "0-3_days"}).probabilities == pytest.approx(
        model.query("Sick", {"Age": "0-3_days"}).probabilities
    )
    graph = model.to_networkx()
    assert dw.BayesNet.from_networkx(graph).kl_divergence(model).value == pytest.approx(
        0, abs=1e-12
    )
    del graph.nodes["Sick"]["states"]
    with pytest.raises(dw.DataError, match="no attribute 'states'"):
        dw.BayesNet.from_networkx(graph)


def test_pgmpy_and_back():
    pytest.importorskip("pgmpy")
    model = dw.networks.load("survey")
    assert dw.BayesNet.from_pgmpy(model.to_pgmpy()).kl_divergence(model).value == pytest.approx(
        0, abs=1e-12
    )


def test_reference_networks():
    sizes = {
        "student": 3,
        "asia": 8,
        "cancer": 5,
        "earthquake": 5,
        "survey": 6,
        "sachs": 11,
        "child": 20,
        "insurance": 27,
        "alarm": 37,
    }
    assert {name: len(dw.networks.load(name).names) for name in dw.networks.names} == sizes
    assert all(len(dw.networks.source(name)) > 30 for name in dw.networks.names)
    with pytest.raises(dw.DataError, match="no network 'alarms'.*did you mean 'alarm'"):
        dw.networks.load("alarms")


def test_a_network_never_changes():
    rows = dw.Table({"a": ["x", "x", "y"], "b": ["n", "n", "y"]})
    for model in (
        dw.fit(dw.Dag([("a", "b")]), rows),
        dw.networks.load("student"),
        dw.fit(dw.Dag([("a", "b")]), rows).sample_parameters()[0],
        dw.networks.load("student").smoothed(0.1),
    ):
        for name in model.names:
            with pytest.raises(ValueError, match="read-only"):
                model.table(name).probabilities[...] = 0
            if model.is_fitted:
                with pytest.raises(ValueError, match="read-only"):
                    model.table(name).counts[...] = 0


def test_smoothing_keeps_the_cuts():
    rows = dw.Table(
        {"age": [20.5, 30, 40, 50], "b": ["n", "n", "y", "y"]}, discretize={"age": dw.Quantiles(2)}
    )
    model = dw.fit(dw.Dag([("age", "b")]), rows, "ml").smoothed(0.01)
    assert model.predict({"age": [22.0, 70.1]}, "b") == ["n", "y"]


def test_fractions_are_forgotten_without_a_rest():
    weights = [0.1, 0.2, 0.3, 0.7] * 3
    rows = dw.Table({"a": ["x", "y", "x", "y"] * 3}, weights=weights)
    model = dw.fit(dw.Dag(nodes=["a"]), rows, dw.K2())
    for row in range(11):
        model = model.forget(rows.take([row]))
    assert model.table("a").counts == pytest.approx(np.array([[0, 0.7]]), abs=1e-12)
    assert model.forget(rows.take([11])).table("a").counts.tolist() == [[0, 0]]


def test_sparse_families_are_filled_only_where_they_matter():
    rng = np.random.default_rng(0)
    names = [f"x{i}" for i in range(26)]
    dag = dw.Dag([(name, "s") for name in names] + [("s", "c")], nodes=[*names, "s", "c", "o"])
    codes = [rng.integers(2, size=300) for _ in range(29)]
    rows = dw.Table.from_codes(codes, names=dag.nodes, states=[range(2)] * 29)
    model = dw.fit(dag, rows, dw.BDeu(1))
    assert model.table("s").is_sparse
    expected = model.table("c").row({"s": 1})[1]
    assert model.query("c", {"s": 1})[1] == pytest.approx(expected)
    assert model.query("c", do={"s": 1})[1] == pytest.approx(expected)
    assert model.query("o")[1] == pytest.approx(model.table("o").probabilities[1])
    with pytest.raises(dw.DataError, match="Give evidence on more"):
        model.query("c")
    drawn = model.sample(2000, seed=1)
    share = np.bincount(drawn.codes[dag.nodes.index("o")], minlength=2) / 2000
    assert share == pytest.approx(model.table("o").probabilities, abs=0.05)
    logs = model.log_likelihoods(drawn)
    assert np.isfinite(logs).all()
    done = model.sample(50, do={"s": 0})
    assert set(done.codes[dag.nodes.index("s")]) == {0}
    other = dw.fit(dw.Dag(nodes=dag.nodes), rows, dw.BDeu(1))
    assert not model.kl_divergence(other, n_samples=500).exact
    assert not other.kl_divergence(model, n_samples=500).exact


def test_a_prior_network_is_refused_for_a_family_that_is_too_wide():
    names = [f"x{i}" for i in range(31)]
    prior = dw.BayesNet(dw.Dag(nodes=names), {key: [0.5, 0.5] for key in names})
    rows = prior.sample(20, seed=1)
    dag = dw.Dag([(name, "x0") for name in names[1:]], nodes=names)
    with pytest.raises(dw.DataError, match="too many for a prior"):
        dw.fit(dag, rows, dw.BDe(network=prior))
    with pytest.raises(dw.DagwrightError, match="max_parents"):
        dw.score(dag, rows, score=dw.BDe(network=prior))


def fitted(model):
    return dw.fit(model.dag, model.sample(20))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda m: fitted(m).update(m.sample(3), unseen="Error"), 'unseen must be "error"'),
        (lambda m: fitted(m).update(None), "rows must be a Table"),
        (lambda m: m.predict([["yes"]], "lung"), "rows must be a Table"),
        (lambda m: m.sample(10**25), "draw them in parts"),
        (lambda m: m.sample(0), "sample: n must be"),
        (lambda m: m.query("lung", max_bytes="1"), "max_bytes must be a number"),
        (lambda m: m.most_probable("lungs"), "no variable 'lungs'"),
        (lambda m: m.sample_parameters(), "was not fitted"),
        (lambda m: m.table("lungs"), "did you mean 'lung'"),
        (lambda m: dw.BayesNet(dw.Dag(), {}), "at least one node"),
    ],
)
def test_wrong_calls_say_what_is_wrong(call, message):
    with pytest.raises(dw.DagwrightError, match=message):
        call(dw.networks.load("asia"))


def test_small_kindnesses():
    model = dw.BayesNet(dw.Dag(nodes=["a"]), {"a": [0.25, 0.75]})
    assert model.query("a")[np.int64(1)] == 0.75
    assert model.most_probable("a") == ({"a": 1}, 0.75)
    rows = model.sample(10)
    assert model.log_loss(dw.Chunks([rows, rows])) == pytest.approx(model.log_loss(rows))
    chain = [f"x{i}" for i in range(3000)]
    dag = dw.Dag(list(itertools.pairwise(chain)))
    fair = {name: [[0.5, 0.5]] * 2 if dag.parents(name) else [0.5, 0.5] for name in chain}
    long = dw.BayesNet(dag, fair)
    assert long.most_probable()[1] == 0  # 2 ** -3000
    assert long.kl_divergence(long).value == 0


@pytest.mark.parametrize(
    "table",
    [
        {"probabilities": [[0.5, float("nan")]]},
        {"probabilities": [[float("nan"), 0.5]]},
        {"counts": [[1.0, float("nan")]]},
    ],
)
def test_numbers_that_are_none_are_refused(table):
    model = dw.fit(dw.Dag(nodes=["a"]), dw.Table({"a": [0, 1]}))
    values = model.to_dict()
    entry = {"child": "a", "parents": [], **table}
    if "probabilities" in table:
        values.pop("parameters")
    with pytest.raises(dw.DataError, match="finite and 0 or more"):
        dw.BayesNet.from_dict(values | {"tables": [entry]})
