import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

import dagwright as dw
from dagwright.errors import GraphError

QUOTED = r'"((?:[^"\\]|\\.)*)"'


def unquoted(text):
    """What Graphviz makes of the inside of a quoted name."""
    return re.sub(r"\\(.)", lambda hit: "\n" if hit[1] == "n" else hit[1], text, flags=re.DOTALL)


def test_dag_and_cpdag_as_text():
    dag = dw.Dag([("a", "c"), ("b", "c"), ("d", "e")], nodes=["a", "b", "c", "d", "e", "f"])
    assert dag.to_dot().splitlines() == [
        "digraph {",
        *(f'  "{node}";' for node in "abcdef"),
        '  "a" -> "c";',
        '  "b" -> "c";',
        '  "d" -> "e";',
        "}",
    ]
    assert '  "d" -> "e" [dir=none];' in dag.cpdag().to_dot().splitlines()
    assert '  "a" -> "c";' in dag.cpdag().to_dot().splitlines()


@given(
    st.lists(
        st.text(st.characters(exclude_characters="\0", codec="utf-8")),
        min_size=2,
        max_size=2,
        unique=True,
    )
)
def test_any_name_is_quoted_so_that_it_can_be_read_back(names):
    text = dw.Dag([names], nodes=names).to_dot()
    found = re.fullmatch(
        rf"digraph \{{\n  {QUOTED};\n  {QUOTED};\n  {QUOTED} -> {QUOTED};\n\}}", text
    )
    assert found is not None
    assert [unquoted(part) for part in found.groups()] == names * 2


def test_nul_is_refused():
    with pytest.raises(GraphError, match="NUL"):
        dw.Dag(nodes=["a\0b"]).to_dot()
