import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dagwright as dw
from dagwright.errors import GraphError

HEAD = '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">'


@pytest.fixture
def path(tmp_path):
    return tmp_path / "graph.graphml"


xml_text = st.text(
    st.characters(codec="utf-8", exclude_categories=["Cc"], exclude_characters="\ufffe\uffff")
    | st.sampled_from("\n\t\r<>&\"'")
)


@given(st.lists(xml_text, min_size=2, max_size=4, unique=True))
def test_any_writable_name_comes_back(tmp_path_factory, names):
    path = tmp_path_factory.mktemp("graphml") / "graph.graphml"
    dag = dw.Dag([names[:2]], nodes=names)
    dag.to_graphml(path)
    assert dw.Dag.from_graphml(path).nodes == dag.nodes
    assert dw.Dag.from_graphml(path) == dag


def test_networkx_reads_ours_and_we_read_theirs(path):
    dag = dw.Dag([("a", "c"), ("b <&>", "c")], nodes=["a", "b <&>", "c", "alone"])
    dag.to_graphml(path)
    assert dw.Dag.from_networkx(nx.read_graphml(path)) == dag
    nx.write_graphml(dag.to_networkx(), path)
    assert dw.Dag.from_graphml(path) == dag


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("not xml", "is not XML"),
        ("", "is not XML"),
        ("<svg/>", "must be GraphML with one graph, not <svg>"),
        (HEAD + "</graphml>", "with 0 graphs"),
        (
            HEAD + '<graph edgedefault="undirected"><node id="a"/><node id="b"/>'
            '<edge source="a" target="b"/></graph></graphml>',
            "'a' -- 'b' is undirected",
        ),
        (
            HEAD + '<graph edgedefault="directed"><node id="a"/><node id="b"/>'
            '<edge source="a" target="b" directed="false"/></graph></graphml>',
            "'a' -- 'b' is undirected",
        ),
        (
            HEAD + '<graph edgedefault="directed"><node id="a"/><node id="b"/>'
            '<edge source="a" target="b"/><edge source="b" target="a"/></graph></graphml>',
            "a -> b -> a",
        ),
        (
            HEAD + '<graph edgedefault="directed"><node id="a"/>'
            '<edge source="a" target="b"/></graph></graphml>',
            "unknown node 'b'",
        ),
        (HEAD + "<graph><node/></graph></graphml>", "a <node> has no id"),
        (
            '<!DOCTYPE x [<!ENTITY e "ee">]><graphml><graph><node id="&e;"/></graph></graphml>',
            "document type",
        ),
    ],
)
def test_what_is_no_dag_is_refused(path, text, message):
    path.write_text(text, encoding="utf-8")
    with pytest.raises(GraphError, match=message):
        dw.Dag.from_graphml(path)


def test_control_characters_are_refused(path):
    with pytest.raises(GraphError, match=r"control characters in node 'a\\x01'"):
        dw.Dag(nodes=["a\x01"]).to_graphml(path)
    assert not path.exists()
