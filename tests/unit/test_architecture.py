"""The laws of the layout that no compiler checks."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import dagwright as dw
from dagwright import _public

ROOT = Path(__file__).parents[2]
CORE = ROOT / "cpp" / "dagwright"
SOURCES = sorted(CORE.rglob("*.?pp"))

# Which folders of the core each folder may include. A search sees a Scorer, never counts or rows.
MAY_INCLUDE = {
    "base": {"base"},
    "data": {"data", "base"},
    "graph": {"graph", "base"},
    "score": {"score", "data", "graph", "base"},
    "search": {"search", "score", "graph", "base"},
    "posterior": {"posterior", "score", "graph", "base"},
    "mcmc": {"mcmc", "search", "score", "graph", "base"},
    "infer": {"infer", "data", "base"},
    "markov": {"markov", "data", "base"},
}

FORBIDDEN_IN_CORE = re.compile(
    r"Python\.h|nanobind|<iostream>|<cstdio>|<stdio\.h>|<cassert>|<assert\.h>"
    r"|\babort\s*\(|\bexit\s*\(|\bterminate\s*\(|\bprintf\s*\(|std::cout|std::cerr"
)


def code_of(path: Path) -> str:
    return re.sub(r"//[^\n]*", "", path.read_text())


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(CORE)))
def test_core_files_obey_the_laws(path):
    code = code_of(path)
    folder = path.relative_to(CORE).parts[0]
    included = set(re.findall(r'#include "dagwright/(\w+)/', code))
    assert included <= MAY_INCLUDE[folder]
    local = re.findall(r'#include "(?!dagwright/)([^"]+)"', code)
    assert not local, "includes are written from the root: dagwright/..."
    assert not FORBIDDEN_IN_CORE.search(code)


def test_the_include_check_finds_what_it_looks_for():
    assert FORBIDDEN_IN_CORE.search("#include <iostream>")
    assert FORBIDDEN_IN_CORE.search("std::abort();")
    assert {path.relative_to(CORE).parts[0] for path in SOURCES} == set(MAY_INCLUDE)


def test_only_bindings_include_nanobind():
    outside = [
        path
        for path in (ROOT / "cpp").rglob("*.?pp")
        if "nanobind" in code_of(path) and path.parent.name != "bindings"
    ]
    assert outside == []


HEAVY = ["numpy", "scipy", "duckdb", "narwhals", "rich", "pandas", "polars", "pyarrow", "networkx"]


def test_import_is_light():
    heavy = [*HEAVY, "click"]
    code = f"import dagwright, sys; print([m for m in {heavy} if m in sys.modules])"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


@pytest.mark.parametrize("option", ["--help", "--version", "complete"])
def test_the_command_line_starts_without_numpy(option):
    """numpy, and the modules of dagwright that need it, take longer than all the rest."""
    code = f"""
import sys
from dagwright.cli import start
try:
    start()
finally:
    print(*(name for name in sys.modules if name.partition(".")[0] in {["dagwright", *HEAVY]}))
"""
    asked = {"_DAGWRIGHT_COMPLETE": "bash_complete", "COMP_WORDS": "dagwright ", "COMP_CWORD": "1"}
    env = os.environ | (asked if option == "complete" else {})
    command = [sys.executable, "-c", code, *([] if option == "complete" else [option])]
    run = subprocess.run(command, capture_output=True, text=True, check=True, env=env)
    *said, loaded = run.stdout.splitlines()
    assert said
    assert set(loaded.split()) == {
        "dagwright", "dagwright.cli", "dagwright.cli.main", "dagwright.errors"
    }  # fmt: skip


def test_the_package_loads_its_names_when_they_are_asked_for():
    code = """
import sys
import dagwright
assert "numpy" not in sys.modules and "learn" in dir(dagwright)
import dagwright.learn, dagwright.compare
assert dagwright.learn is sys.modules["dagwright.learn"].learn
from dagwright import *
assert compare is dagwright.compare is sys.modules["dagwright.compare"].compare
dagwright.learn = 1
assert dagwright.learn == 1
dagwright.nonsense
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    wanted = "AttributeError: module 'dagwright' has no attribute 'nonsense'"
    assert run.stderr.splitlines()[-1] == wanted


def test_every_public_name_is_loaded():
    loaded = {name for name in vars(_public) if not name.startswith("_")}
    assert loaded == set(dw.__all__) <= set(dir(dw))


def test_the_committed_stub_is_current(tmp_path):
    fresh = tmp_path / "_core.pyi"
    module = ["-m", "nanobind.stubgen", "-m", "dagwright._core", "-o", str(fresh)]
    subprocess.run([sys.executable, *module], check=True, capture_output=True)
    config = ["--config", str(ROOT / "pyproject.toml")]
    format_it = [sys.executable, "-m", "ruff", "format", "--quiet", *config, str(fresh)]
    subprocess.run(format_it, check=True)
    committed = (ROOT / "src/dagwright/_core.pyi").read_text()
    assert fresh.read_text() == committed, "run `make stub`"
