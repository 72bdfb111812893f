import os
import random
import re
import subprocess
import sys
import types
import xml.etree.ElementTree as ET
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dagwright as dw
from dagwright.errors import DataError, SpecError
from dagwright.examples import asia
from strategies import dags

ROOT = Path(__file__).parents[2]
SVG = "{http://www.w3.org/2000/svg}"
NUMBERS = re.compile(r"-?\d+(?:\.\d+)?")


def parsed(text):
    return ET.fromstring(text)


def groups(root, kind):
    return [group for group in root.iter(f"{SVG}g") if group.get("class") == kind]


def titles(root, kind):
    return [group.findtext(f"{SVG}title") for group in groups(root, kind)]


def boxes(root):
    rects = [group.find(f"{SVG}rect") for group in groups(root, "node")]
    return [tuple(float(rect.get(key)) for key in ("x", "y", "width", "height")) for rect in rects]


def overlap(first, second):
    (x, y, width, height), (x2, y2, width2, height2) = first, second
    return x < x2 + width2 and x2 < x + width and y < y2 + height2 and y2 < y + height


def curve_points(path):
    """Points along a path of M, L and C, close together."""
    found, at = [], None
    for command, rest in re.findall(r"([MLC])([^MLCZ]*)", path):
        numbers = [float(number) for number in NUMBERS.findall(rest)]
        points = list(zip(numbers[::2], numbers[1::2], strict=True))
        if command == "M":
            at = points[0]
            continue
        b, c = (points[0], points[1]) if command == "C" else (at, points[-1])
        d = points[-1]
        for step in range(21):
            t = step / 20
            weights = ((1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3)
            found.append(
                tuple(
                    sum(w * p[i] for w, p in zip(weights, (at, b, c, d), strict=True))
                    for i in (0, 1)
                )
            )
        at = d
    return found


def named(n, edges):
    names = [f"v{'x' * (i * 7 % 23)}{i}" for i in range(n)]
    return dw.Dag([(names[a], names[b]) for a, b in edges], nodes=names)


@settings(max_examples=60, deadline=None)
@given(dags(min_nodes=0, max_nodes=30, max_edges=60))
def test_random_graphs(graph):
    dag = named(*graph)
    root = parsed(dag.to_svg())
    assert titles(root, "node") == sorted(dag.nodes)
    assert sorted(titles(root, "edge")) == sorted(f"{start} → {end}" for start, end in dag.edges)
    placed = boxes(root)
    assert not any(overlap(first, second) for first, second in combinations(placed, 2))
    _, _, width, height = (float(number) for number in root.get("viewBox").split())
    for x, y, box_width, box_height in placed:
        assert 0 <= x <= width - box_width
        assert 0 <= y <= height - box_height
    box_of = dict(zip(titles(root, "node"), placed, strict=True))
    for start, end in dag.edges:
        assert box_of[start][1] + box_of[start][3] < box_of[end][1], "parents are above children"


@settings(max_examples=60, deadline=None)
@given(dags(min_nodes=2, max_nodes=20, max_edges=40))
def test_edges_run_from_box_to_box_and_behind_none(graph):
    dag = named(*graph)
    root = parsed(dag.to_svg())
    box_of = dict(zip(titles(root, "node"), boxes(root), strict=True))
    for group in groups(root, "edge"):
        start, end = group.findtext(f"{SVG}title").split(" → ")
        line, head = (path.get("d") for path in group.findall(f"{SVG}path"))
        points = curve_points(line)
        x, y, width, height = box_of[start]
        assert x <= points[0][0] <= x + width
        assert points[0][1] == pytest.approx(y + height, abs=0.11)
        tip = [float(number) for number in NUMBERS.findall(head)][-2:]
        x, y, width, height = box_of[end]
        assert x <= tip[0] <= x + width
        assert tip[1] == pytest.approx(y, abs=0.11)
        for name in set(dag.nodes) - {start, end}:
            x, y, width, height = box_of[name]
            behind = [p for p in points if x < p[0] < x + width and y < p[1] < y + height]
            assert not behind, f"{start} -> {end} runs behind {name}"


@settings(max_examples=30, deadline=None)
@given(dags(min_nodes=1, max_nodes=12), st.randoms(use_true_random=False))
def test_equal_graphs_give_equal_text(graph, rng):
    dag = named(*graph)
    nodes, edges = list(dag.nodes), list(dag.edges)
    rng.shuffle(nodes)
    rng.shuffle(edges)
    again = dw.Dag(edges, nodes=nodes)
    assert again.to_svg() == dag.to_svg()
    assert again.cpdag().to_svg() == dag.cpdag().to_svg()


def test_another_process_gives_the_same_text():
    code = (
        "import dagwright as dw, hashlib; "
        "pairs = [(i, j) for j in range(25) for i in range(j)]; "
        "dag = dw.Dag([(f'v{i}', f'v{j}') for i, j in pairs if i * j % 7 == 3]); "
        "print(hashlib.sha256(dag.to_svg().encode()).hexdigest())"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(outputs) == 1


def test_reversible_edges_have_no_arrowhead():
    root = parsed(dw.Dag([("a", "c"), ("b", "c"), ("d", "e")]).cpdag().to_svg())
    heads = {
        group.findtext(f"{SVG}title"): len(group.findall(f"{SVG}path[@class='head']"))
        for group in groups(root, "edge")
    }
    assert sorted(heads.values()) == [0, 1, 1]
    assert heads["a → c"] == heads["b → c"] == 1
    assert len(titles(root, "edge")) == 3


@pytest.mark.parametrize(
    "name",
    ["<b> & \"c\" 'd'", "Größe", "年齢", "]]>", "&amp;", "", " ", "a -- b", "\u202eevil", "👩‍🔬"],
)
def test_any_name_is_escaped(name):
    root = parsed(dw.Dag([(name, "end")]).to_svg())
    assert name in titles(root, "node")
    assert name in [text.text or "" for text in root.iter(f"{SVG}text")]


def test_what_xml_cannot_hold_is_replaced(tmp_path):
    dag = dw.Dag(nodes=["a\0b", "half \ud800", "two\nlines"])
    root = parsed(dag.to_svg(tmp_path / "graph.svg"))
    assert titles(root, "node") == ["a\ufffdb", "half \ufffd", "two lines"]


@given(st.text(max_size=40), st.text(max_size=40))
@settings(max_examples=50, deadline=None)
def test_text_of_any_kind_parses(first, second):
    parsed(dw.Dag(nodes={first, second}).to_svg())


def test_long_names_are_shortened_and_kept_in_the_title():
    name = "the_first_of_" + "very_" * 2000 + "long_names"
    root = parsed(dw.Dag(nodes=[name]).to_svg())
    assert titles(root, "node") == [name]
    label = next(root.iter(f"{SVG}text")).text
    assert "…" in label
    assert len(label) < 40
    assert (label[0], label[-1]) == (name[0], name[-1])
    assert boxes(root)[0][2] < 250


def test_empty_single_and_without_edges():
    assert titles(parsed(dw.Dag().to_svg()), "node") == []
    assert titles(parsed(dw.Dag(nodes=["a"]).to_svg()), "node") == ["a"]
    root = parsed(dw.Dag(nodes=[f"v{i}" for i in range(40)]).to_svg())
    placed = boxes(root)
    assert len(placed) == 40
    assert not any(overlap(first, second) for first, second in combinations(placed, 2))
    assert len({y for _, y, _, _ in placed}) > 3, "in rows, not in one line"


def test_two_hundred_nodes():
    rng = random.Random(0)
    names = [f"node_{i}" for i in range(200)]
    edges = [(names[i], names[j]) for j in range(200) for i in range(j) if rng.random() < 0.015]
    root = parsed(dw.Dag(edges, nodes=names).to_svg())
    assert len(groups(root, "edge")) == len(edges)
    assert not any(overlap(first, second) for first, second in combinations(boxes(root), 2))


def test_it_can_be_read_aloud_and_runs_nothing():
    text = dw.Dag([("a", "b")]).to_svg()
    root = parsed(text)
    assert root.get("role") == "img"
    assert [child.tag.removeprefix(SVG) for child in root][:2] == ["title", "desc"]
    assert root.findtext(f"{SVG}title") == "Graph: 2 nodes, 1 edge"
    assert root.findtext(f"{SVG}desc") == "a → b"
    assert root.get("viewBox")
    assert "<script" not in text
    assert " id=" not in text, "ids would collide where a page holds several pictures"


def test_themes():
    dag = dw.Dag([("a", "b")])
    light, dark, auto = (dag.to_svg(theme=theme) for theme in ("light", "dark", "auto"))
    assert "prefers-color-scheme" in auto
    assert "prefers-color-scheme" not in light + dark
    assert len({light, dark, auto}) == 3
    with pytest.raises(SpecError, match="theme must be one of auto, light, dark, not 'pink'"):
        dag.to_svg(theme="pink")


def test_written_to_a_file(tmp_path):
    dag = dw.Dag([("ä", "b")])
    for graph in (dag, dag.cpdag()):
        text = graph.to_svg(tmp_path / "graph.svg", theme="dark")
        assert (tmp_path / "graph.svg").read_text(encoding="utf-8") == text
        assert "dagwright-dark" in text
    with pytest.raises(DataError, match="no directory"):
        dag.to_svg(tmp_path / "none" / "graph.svg")


def test_notebooks_show_it_unless_it_is_large():
    dag = dw.Dag([("a", "b")])
    assert dag._repr_svg_() == dag.to_svg()
    assert dag.cpdag()._repr_svg_() == dag.cpdag().to_svg()
    large = dw.Dag(combinations([str(i) for i in range(60)], 2))
    assert large._repr_svg_() is None


def test_plot_gives_the_picture_to_the_browser(monkeypatch, capsys):
    opened = []
    monkeypatch.setattr("webbrowser.open", lambda uri: opened.append(uri) or True)
    dag = dw.Dag([("a", "b")])
    for graph in (dag, dag.cpdag()):
        path = graph.plot(theme="dark")
        assert opened.pop() == path.as_uri()
        assert path.read_text(encoding="utf-8") == graph.to_svg(theme="dark")
        path.unlink()
    assert capsys.readouterr().err == ""
    monkeypatch.setattr("webbrowser.open", lambda uri: False)
    path = dag.plot()
    assert str(path) in capsys.readouterr().err
    path.unlink()


def test_plot_in_a_notebook_shows_the_picture_there(monkeypatch):
    shown = []
    display = types.SimpleNamespace(SVG=lambda text: ("svg", text), display=shown.append)
    kernel = types.SimpleNamespace(kernel=object())
    for shell, expected in ((kernel, True), (types.SimpleNamespace(), False), (None, False)):
        ipython = types.SimpleNamespace(get_ipython=lambda shell=shell: shell, display=display)
        monkeypatch.setitem(sys.modules, "IPython", ipython)
        monkeypatch.setattr("webbrowser.open", lambda uri: True)
        dag = dw.Dag([("a", "b")])
        path = dag.plot()
        assert (path is None) == expected
        if path is not None:
            path.unlink()
    assert shown == [("svg", dag.to_svg())]


def test_without_the_package_the_error_says_what_to_install(monkeypatch, tmp_path):
    from click.testing import CliRunner

    from dagwright.cli.main import cli

    monkeypatch.setitem(sys.modules, "fast_sugiyama", None)
    dag = dw.Dag([("a", "b")])
    for graph in (dag, dag.cpdag(), dw.Dag()):
        with pytest.raises(ImportError, match=r"pip install 'dagwright\[draw\]'"):
            graph.to_svg()
        assert graph._repr_svg_() is None
    data = str(ROOT / "src/dagwright/examples/asia.csv")
    run = CliRunner().invoke(cli, ["learn", data, "-o", str(tmp_path / "graph.svg")])
    assert run.exit_code == 1
    assert "pip install 'dagwright[draw]'" in run.output
    assert "8 variables" not in run.output, "refused before the run"


def test_the_picture_in_the_readme_is_current():
    committed = (ROOT / "docs/asia.svg").read_text(encoding="utf-8")
    assert committed == dw.learn(asia()).dag.to_svg()
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert "docs/asia.svg" in readme
    assert "dagwright learn src/dagwright/examples/asia.csv -o docs/asia.svg" in readme
