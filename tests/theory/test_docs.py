"""The pages about the lectures: their examples run, and their table of formulas is true."""

import ast
import doctest
import functools
import importlib
import inspect
import re
import types
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

import dagwright as dw

ROOT = Path(__file__).parents[2]
PAGES = sorted((ROOT / "docs" / "theory").glob("*.md"))
LECTURES = ("0", "1", "2", "3", "4")

# Every erratum that must have its row, by the words of that row.
ERRATA = {
    "E1": "undirected graphs",
    "E2": "the factor $N$",
    "E3": "the factor $N$",
    "E4": "inside the logarithm",
    "E5": "minus the joint entropy",
    "E6": "inside the integrals",
    "E7": "not its inverse",
    "E8": "not $\\Gamma(\\alpha_i + N)$",
    "E9": "not $\\Gamma(\\alpha_{ijk}) + N_{ijk}$",
    "E10": "$D = +\\sum",
    "E11": "$D = H(P,Q) - H(P)$",
    "E12": "$B(\\alpha)",
    "E13": "is the mean",
    "E14": "exponents",
    "E15": "symmetric",
    "E16": "proportional",
    "E17": "Beta$(s+1, f+1)$",
    "E18": "not $E(p_i",
    "E19": "$\\phi(N)",
    "E20": "exhaustive",
    "E21": "$p(D \\mid G)",
    "E22": "distribution over graphs",
    "E23": '"???"',
    "E24": "interior",
    "E25": "no $O(1)$",
    "E26": "under the root",
    "E27": "each pair twice",
    "E28": "diagonal",
    "E29": "$-\\ln P(x)$",
    "E30": "the K2 score",
    "E31": "two algorithms",
    "E32": "up to its class",
    "E33": "entries",
    "E34": "identical variables",
    "E35": "$I \\ge 0$, not $> 0$",
    "E36": "summed over all variables",
    "E37": "spanning tree is easy",
    "E38": "has the prior",
    "E39": "family of the prior",
    "E40": "Bernoulli",
    "E41": "low bias",
    "E42": "not safe",
    "E43": "not faster",
}


# --- Examples -----------------------------------------------------------------------------------


def python_blocks(text):
    """Return the ```python blocks of a page, each with the number of its first line."""
    found = re.finditer(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return [(match[1], text.count("\n", 0, match.start(1))) for match in found]


def run_blocks(path, namespace):
    """Run a page's blocks in order, in one namespace; outputs after >>> are compared."""
    blocks = python_blocks(path.read_text())
    runner = doctest.DocTestRunner(
        optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE, verbose=False
    )
    for code, line in blocks:
        if ">>>" in code:
            test = doctest.DocTest(
                doctest.DocTestParser().get_examples(code), namespace, path.name, path, line, code
            )
            complaints = []
            runner.run(test, out=complaints.append, clear_globs=False)
            assert not complaints, "".join(complaints)
            namespace.update(test.globs)  # of which it has made a copy
        else:
            # As many empty lines before it, so that an error has the line of the page.
            exec(compile("\n" * line + code, str(path), "exec"), namespace)
    return len(blocks)


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_examples_run(path):
    n_blocks = run_blocks(path, {"__name__": path.stem})
    assert n_blocks >= (0 if path.stem == "index" else 4)


def test_a_wrong_example_is_found(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("```python\nx = 1\n```\n\n```python\n>>> x + 1\n3\n```\n")
    with pytest.raises(AssertionError, match="Failed example"):
        run_blocks(page, {})
    page.write_text("```python\nassert 1 > 2\n```\n")
    with pytest.raises(AssertionError):
        run_blocks(page, {})


@pytest.mark.filterwarnings("ignore:model.bif")
def test_the_examples_of_the_readme_run(tmp_path, monkeypatch):
    """They read survey.csv: the bundled table, with two more variables."""
    rows = (ROOT / "src" / "dagwright" / "examples" / "asia.csv").read_text().splitlines()
    more = ["age,sex", *(f"{'young' if i % 3 else 'old'},{'fm'[i % 2]}" for i in range(len(rows)))]
    joined = [f"{row},{own}" for row, own in zip(rows, more, strict=False)]
    (tmp_path / "survey.csv").write_text("\n".join(joined) + "\n")
    monkeypatch.chdir(tmp_path)
    assert run_blocks(ROOT / "README.md", {"np": np}) >= 3
    assert {"graph.svg", "model.bif"} <= {path.name for path in tmp_path.iterdir()}


def test_every_page_is_linked():
    linked = set(re.findall(r"\]\((\w+\.md)\)", (ROOT / "docs/theory/index.md").read_text()))
    assert linked == {path.name for path in PAGES} - {"index.md"}


# --- The table ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Row:
    """One formula: which function computes it, and which tests assert that."""

    id: str
    place: str
    formula: str
    function: str
    tests: tuple[str, ...]


def read_rows(text):
    """Return the rows of all tables that have an id, a place, a formula, a function and a test."""
    rows = []
    for line in text.splitlines():
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        if cells and re.fullmatch(r"\d\.\d+|E\d+", cells[0]):
            own_id, place, formula, function, tests = cells
            rows.append(Row(own_id, place, formula, function, tuple(names_in(tests))))
    return rows


def names_in(cell):
    """Return what is between backticks; the cell may have nothing else but commas."""
    assert not re.sub(r"`[^`]+`|[, ]", "", cell), f"not only names in backticks: {cell}"
    return re.findall(r"`([^`]+)`", cell)


ROWS = read_rows((ROOT / "docs" / "theory" / "index.md").read_text())
BY_ID = {row.id: row for row in ROWS}


@functools.cache
def theory_module(file):
    return importlib.import_module(f"theory.{file.removesuffix('.py')}")


def named_test(test):
    """Return the function of a test that is named file.py::test; it must be there."""
    file, _, name = test.partition("::")
    assert (Path(__file__).parent / file).is_file(), f"there is no {file}"
    found = getattr(theory_module(file), name, None)
    assert inspect.isfunction(found), f"{file} has no test {name}"
    return found


def library_member(name):
    """Return what dw.a.b names; fields of dataclasses count though classes do not have them."""
    first, *path = name.split(".")
    assert first == "dw", f"{name} does not start with dw"
    found = dw
    for part in path:
        fields = getattr(found, "__dataclass_fields__", {})
        assert hasattr(found, part) or part in fields, f"dagwright has no {name}"
        found = getattr(found, part, fields.get(part))
    return found


@functools.cache
def called_in(module):
    """Return the names after a dot in a module: pytest.skip is one of them."""
    tree = ast.parse(inspect.getsource(module))
    return {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}


def skips(test):
    """Whether a test is marked to be skipped or to fail, or its module skips any."""
    module = inspect.getmodule(test)
    marks = {mark.name for mark in getattr(test, "pytestmark", [])} | called_in(module)
    return not marks.isdisjoint({"skip", "skipif", "importorskip", "xfail", "slow"})


def test_the_table_has_every_lecture_without_gaps():
    assert len(BY_ID) == len(ROWS)
    for lecture in LECTURES:
        numbers = [int(row.id[2:]) for row in ROWS if row.id.startswith(f"{lecture}.")]
        assert numbers == list(range(1, len(numbers) + 1))
        assert len(numbers) >= 15
    assert all(row.place and row.formula and row.tests for row in ROWS)


def check_row(row):
    """The functions exist; the tests exist, are not skipped, and use the functions."""
    tests = [named_test(test) for test in row.tests]
    assert not any(skips(test) for test in tests), f"{row.id}: a test is skipped"
    names = names_in(row.function)
    assert names, f"{row.id} names no function"
    source = "\n".join(inspect.getsource(test) for test in tests)
    constants = [
        value
        for test in tests
        for name, value in vars(inspect.getmodule(test)).items()
        if name.isupper() and re.search(rf"\b{name}\b", source)
    ]
    for name in names:
        member = library_member(name)
        owner = r"\bdw" if name.count(".") == 1 else ""
        written = re.search(rf"{owner}\.{name.rpartition('.')[2]}\b", source)
        made_before = isinstance(member, type) and any(
            isinstance(value, member) for value in constants
        )
        assert written or made_before, f"{name} is not used in {row.tests}"


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.id)
def test_row(row):
    check_row(row)


@pytest.mark.parametrize(
    ("function", "test", "complaint"),
    [
        ("`dw.nonsense`", "test_lecture_0.py::test_entropy", "dagwright has no dw.nonsense"),
        ("`dw.entropy`", "test_lecture_0.py::test_nonsense", "has no test test_nonsense"),
        ("`dw.entropy`", "test_lecture_9.py::test_entropy", "there is no test_lecture_9.py"),
        ("`dw.K2`", "test_lecture_0.py::test_entropy", "dw.K2 is not used"),
        ("none yet", "test_lecture_0.py::test_entropy", "not only names in backticks"),
    ],
)
def test_a_wrong_row_is_found(function, test, complaint):
    with pytest.raises(AssertionError, match=complaint):
        check_row(Row("0.0", "nowhere", "$1 = 2$", function, (test,)))


@pytest.mark.parametrize("reason", [pytest.mark.skip, pytest.mark.xfail, pytest.mark.slow])
def test_a_skipped_test_is_found(reason):
    test = named_test("test_lecture_0.py::test_entropy")
    copy = types.FunctionType(test.__code__, test.__globals__)
    assert not skips(copy)
    assert skips(reason(copy))


@pytest.mark.parametrize("file", [*(f"test_lecture_{n}.py" for n in LECTURES), "test_errata.py"])
def test_every_test_has_a_row(file):
    tests = {name for name in vars(theory_module(file)) if name.startswith("test_")}
    named = {test.partition("::")[2] for row in ROWS for test in row.tests if file in test}
    assert tests == named


@pytest.mark.parametrize("erratum", ERRATA)
def test_every_erratum_has_its_row(erratum):
    """In the table, with a test of its own, and on its page."""
    assert ERRATA[erratum] in BY_ID[erratum].formula
    assert all(test.startswith("test_errata.py::") for test in BY_ID[erratum].tests)
    page = (ROOT / "docs" / "theory" / "errata.md").read_text()
    assert re.search(rf"\*\*{erratum}\*\*", page)


def test_no_erratum_is_unknown():
    assert {row.id for row in ROWS if row.id.startswith("E")} == set(ERRATA)
    cited = {own for row in ROWS for own in re.findall(r"\bE\d+\b", row.formula)}
    assert cited <= set(ERRATA)
