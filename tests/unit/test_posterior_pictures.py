"""Pictures of posteriors: what the artists were given, and that files can be written."""

import builtins

import numpy as np
import pytest

import dagwright as dw

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("agg")

from matplotlib import pyplot  # noqa: E402
from matplotlib.colors import to_hex  # noqa: E402


@pytest.fixture
def posterior():
    rng = np.random.default_rng(1)
    names = ["a", "b", "c"]
    dags = [
        dw.Dag([("a", "b")], nodes=names),
        dw.Dag([("b", "a")], nodes=names),
        dw.Dag([("a", "b"), ("c", "b")], nodes=names),
    ]
    chains = [[dags[k] for k in rng.integers(0, 3, 20)] for _ in range(3)]
    yield dw.Posterior.from_dags(chains, rng.normal(size=(3, 20)))
    pyplot.close("all")


@pytest.mark.parametrize("kind", ["directed", "undirected", "compelled"])
def test_the_matrix_of_edges(posterior, kind):
    ax = posterior.plot_edges(kind)
    (image,) = ax.get_images()
    assert (image.get_array() == posterior.edge_probabilities(kind).values).all()
    assert image.get_clim() == (0, 1)
    assert [label.get_text() for label in ax.get_xticklabels()] == ["a", "b", "c"]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["a", "b", "c"]
    wanted = ("node", "node") if kind == "undirected" else ("child", "parent")
    assert (ax.get_xlabel(), ax.get_ylabel()) == wanted
    assert kind in ax.get_title()
    assert ax.figure.axes[1].get_ylabel() == "probability"


def test_the_trace(posterior):
    ax = posterior.plot_trace()
    lines = ax.get_lines()
    assert [line.get_ydata().tolist() for line in lines] == posterior.scores.tolist()
    assert [text.get_text() for text in ax.get_legend().get_texts()] == [
        "chain 1", "chain 2", "chain 3"
    ]  # fmt: skip
    assert len({to_hex(line.get_color()) for line in lines}) == 3
    assert ax.get_xlabel() == "draw"
    assert "score" in ax.get_ylabel()


def test_chains_against_the_first(posterior):
    ax = posterior.plot_chains()
    off = ~np.eye(3, dtype=bool)
    first, *others = (own.values[off] for own in posterior.chain_edge_probabilities())
    assert len(ax.collections) == len(others) == 2
    for dots, values in zip(ax.collections, others, strict=True):
        assert (dots.get_offsets() == np.column_stack([first, values])).all()
    assert "chain 1" in ax.get_xlabel()
    alone = dw.Posterior.from_dags([[dw.Dag([("a", "b")])] * 4], [[-1.0] * 4])
    assert len(alone.plot_chains().collections) == 0


@pytest.mark.parametrize("ending", ["svg", "png"])
def test_axes_that_are_given_are_used_and_saved(posterior, tmp_path, ending):
    figure, axes = pyplot.subplots(1, 3)
    assert posterior.plot_edges(ax=axes[0]) is axes[0]
    assert posterior.plot_trace(ax=axes[1]) is axes[1]
    assert posterior.plot_chains(ax=axes[2]) is axes[2]
    path = tmp_path / f"picture.{ending}"
    figure.savefig(path)
    start = path.read_bytes()[:500]
    assert b"<svg" in start if ending == "svg" else start.startswith(b"\x89PNG")


def test_many_names_are_left_out():
    names = [f"v{i}" for i in range(70)]
    posterior = dw.Posterior.from_dags([[dw.Dag(nodes=names)] * 4], [[-1.0] * 4])
    labels = [label.get_text() for label in posterior.plot_edges().get_xticklabels()]
    assert "v1" not in labels
    pyplot.close("all")


@pytest.mark.parametrize(
    ("package", "method", "extra"),
    [
        ("matplotlib", "plot_edges", "plot"),
        ("matplotlib", "plot_trace", "plot"),
        ("matplotlib", "plot_chains", "plot"),
        ("arviz", "to_arviz", "arviz"),
    ],
)
def test_a_package_that_is_not_there_is_named_with_its_extra(
    posterior, monkeypatch, package, method, extra
):
    real = builtins.__import__

    def without(name, *rest, **more):
        if name.partition(".")[0] == package:
            raise ImportError(name)
        return real(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(ImportError, match=rf"pip install 'dagwright\[{extra}\]'"):
        getattr(posterior, method)()
