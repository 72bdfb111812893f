"""The laws of the layout that no compiler checks."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

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


def test_import_is_light():
    heavy = "duckdb scipy rich click pandas polars pyarrow narwhals networkx fast_sugiyama"
    code = f"import dagwright, sys; print([m for m in {heavy!r}.split() if m in sys.modules])"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_the_committed_stub_is_current(tmp_path):
    fresh = tmp_path / "_core.pyi"
    module = ["-m", "nanobind.stubgen", "-m", "dagwright._core", "-o", str(fresh)]
    subprocess.run([sys.executable, *module], check=True, capture_output=True)
    config = ["--config", str(ROOT / "pyproject.toml")]
    format_it = [sys.executable, "-m", "ruff", "format", "--quiet", *config, str(fresh)]
    subprocess.run(format_it, check=True)
    committed = (ROOT / "src/dagwright/_core.pyi").read_text()
    assert fresh.read_text() == committed, "run `make stub`"
