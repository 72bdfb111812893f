import pytest

from dagwright.errors import DataError
from dagwright.io.xmlbif import read_xmlbif

A = """<VARIABLE TYPE="nature"><NAME> a </NAME>
  <OUTCOME>no</OUTCOME><OUTCOME>yes &amp; more</OUTCOME><PROPERTY>position = (1,2)</PROPERTY>
</VARIABLE>
<DEFINITION><FOR>a</FOR><TABLE>0.25 <!-- no --> .75</TABLE></DEFINITION>
"""
B = "<VARIABLE><NAME>b</NAME><VALUE>x</VALUE><VALUE>y</VALUE><VALUE>z</VALUE></VARIABLE>"


def bif(*parts, head=""):
    return f'{head}<BIF VERSION="0.3"><NETWORK><NAME>n</NAME>{"".join(parts)}</NETWORK></BIF>'


DOCTYPE = """<?xml version="1.0" encoding="US-ASCII"?>
<!DOCTYPE BIF [
  <!ELEMENT BIF ( NETWORK )*>
  <!ATTLIST BIF VERSION CDATA #REQUIRED>
  <!ELEMENT VARIABLE ( NAME, ( OUTCOME | PROPERTY )* ) >
  <!ATTLIST VARIABLE TYPE (nature|decision|utility) "nature">
]>
"""


def test_dialects():
    table = "<TABLE>\n1. 0 0<!-- next -->\n.5 5e-1 0\n</TABLE>"
    network = read_xmlbif(
        bif(A, B, f"<DEFINITION><FOR>b</FOR><GIVEN>a</GIVEN>{table}</DEFINITION>", head=DOCTYPE)
    )
    assert network.states == {"a": ("no", "yes & more"), "b": ("x", "y", "z")}
    assert network.parents == {"a": (), "b": ("a",)}
    assert network.probabilities["b"].tolist() == [[1, 0, 0], [0.5, 0.5, 0]]


def test_the_first_parent_changes_slowest():
    network = read_xmlbif(
        bif(
            A,
            B,
            "<PROBABILITY><FOR>b</FOR><TABLE>0.2 0.3 0.5</TABLE></PROBABILITY>"
            "<VARIABLE><NAME>c</NAME><OUTCOME>u</OUTCOME><OUTCOME>v</OUTCOME></VARIABLE>"
            "<DEFINITION><FOR>c</FOR><GIVEN>a</GIVEN><GIVEN>b</GIVEN>"
            "<TABLE>1 0 0 1 1 0  0 1 0 1 0 1</TABLE></DEFINITION>",
        )
    )
    assert network.probabilities["c"][0, :, 0].tolist() == [1, 0, 1]
    assert network.probabilities["c"][1, :, 0].tolist() == [0, 0, 0]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "not XML: no element found"),
        ("not xml", "line 1, column 1: not XML"),
        ("\ud800", "half a character"),
        ("<svg/>", "XMLBIF needs <BIF> with one <NETWORK>, not 'svg' with 0"),
        (bif(), "no variables"),
        (bif(A, "\n", B), "'b' has no table"),
        (bif(A, "\n<VARIABLE/>"), "line 6, column 1: a <VARIABLE> needs one <NAME>, not 0"),
        (bif(A, "<DEFINITION><FOR>b</FOR></DEFINITION>"), "must have one <TABLE>, not 0"),
        (bif(A.replace("nature", "decision")), "'a' is a decision: it must be of nature"),
        (bif(A, A), "'a' is defined twice"),
        (bif(A.replace(".75", ".7")), "line 4, column 1: 'a' has probabilities that sum to 0.95"),
        (bif(A.replace(".75", "x")), "line 4, column 25: 'x' is not a finite number"),
        (bif(A.replace(".75", "0 0.75")), "has 3 numbers, but 2 are needed"),
        (
            '<!DOCTYPE BIF [<!ENTITY e "ee">]>' + bif(A.replace("no<", "&e;<")),
            "the entity 'e' is declared, which is not safe",
        ),
        ('<!DOCTYPE BIF [<!ENTITY % p "x"> %p;]>' + bif(A), "the entity 'p' is declared"),
        ('<!DOCTYPE BIF [<!ENTITY e SYSTEM "/etc/passwd">]>' + bif(A), "the entity 'e' is"),
        (
            '<!DOCTYPE BIF SYSTEM "bif.dtd">' + bif(A.replace("no<", "&e;<")),
            "the entity 'e' is not known",
        ),
        ("<BIF>" * 100_000, "nested more than 100 deep"),
        (bif(A).replace("no", "\0"), "not XML"),
    ],
)
def test_errors_say_what_and_where(text, message):
    with pytest.raises(DataError, match=message):
        read_xmlbif(text)


def test_defaults_of_attributes_are_not_copied_into_elements():
    text = '<!DOCTYPE BIF [<!ATTLIST NAME x CDATA "%s">]>' % ("x" * 1_000_000)
    with pytest.raises(DataError, match="needs one <NAME>, not 10000"):
        read_xmlbif(text + bif("<VARIABLE>" + "<NAME/>" * 10_000 + "</VARIABLE>"))
