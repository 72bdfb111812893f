"""Every format by the same laws: what is written comes back, and no text does harm."""

import gzip
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dagwright.errors import DataError
from dagwright.io import files
from dagwright.io.bif import bif_text, read_bif
from dagwright.io.dsc import dsc_text, read_dsc
from dagwright.io.file_network import FileNetwork
from dagwright.io.net import net_text, read_net
from dagwright.io.networks_files import read_network, write_network
from dagwright.io.uai import read_uai, uai_text
from dagwright.io.xdsl import read_xdsl, xdsl_text
from dagwright.io.xmlbif import read_xmlbif, xmlbif_text

FORMATS = {
    "bif": (read_bif, bif_text),
    "dsc": (read_dsc, dsc_text),
    "net": (read_net, net_text),
    "uai": (read_uai, uai_text),
    "xdsl": (read_xdsl, xdsl_text),
    "xmlbif": (read_xmlbif, xmlbif_text),
}
more_examples = settings(max_examples=4 * settings().max_examples)
each_format = pytest.mark.parametrize("ending", FORMATS)

SIGNS = """ \t\n\r\0"'`\\%#<>&(){}[];,|=:~-/*\x85\u2028\ud800\ufffeé"""
CLASHES = ["", "a b", "a_b", "a-b", "A", "a", "1", "0", "0.5", "1e5", "node", "table", "default"]
NOT_COMMENTS = ["//", "/*", "*/", "]]>", '\\"', "~20~", "// dagwright_name = x;", "x" * 300]
awkward = st.sampled_from([*SIGNS, *CLASHES, *NOT_COMMENTS])
any_name = st.text(max_size=8) | awkward


@st.composite
def networks(draw):
    names = draw(st.lists(any_name, min_size=1, max_size=5, unique=True))
    order = draw(st.permutations(names))
    states = {
        name: tuple(draw(st.lists(any_name, min_size=1, max_size=4, unique=True))) for name in names
    }
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    parents, probabilities = {}, {}
    for name in names:
        before = order[: order.index(name)]
        parents[name] = (
            tuple(draw(st.lists(st.sampled_from(before), max_size=3, unique=True)))
            if (before)
            else ()
        )
        shape = [len(states[parent]) for parent in parents[name]]
        rows = rng.dirichlet(np.full(len(states[name]), 0.3), size=shape)
        probabilities[name] = np.where(rows < 1e-3, rows * 1e-300, rows)
        probabilities[name] /= probabilities[name].sum(axis=-1, keepdims=True)
    return FileNetwork(states, parents, probabilities)


def assert_same(one, other):
    assert list(one.states.items()) == list(other.states.items())
    assert dict(one.parents) == dict(other.parents)
    assert one.probabilities.keys() == other.probabilities.keys()
    for name in one.probabilities:
        assert one.probabilities[name].dtype == np.float64
        np.testing.assert_array_equal(one.probabilities[name], other.probabilities[name])


def numbered(network):
    """Return the network with the names of UAI."""
    new = {name: f"x{number}" for number, name in enumerate(network.states)}
    return FileNetwork(
        {new[name]: tuple(map(str, range(len(of)))) for name, of in network.states.items()},
        {new[name]: tuple(new[parent] for parent in of) for name, of in network.parents.items()},
        {new[name]: of for name, of in network.probabilities.items()},
    )


@each_format
@more_examples
@given(network=networks())
def test_any_network_comes_back_to_the_last_bit(ending, network):
    read, text_of = FORMATS[ending]
    text = text_of(network)
    text.encode()  # no half characters
    assert_same(read(text), numbered(network) if ending == "uai" else network)


@pytest.fixture(scope="module")
def small():
    return FileNetwork(
        {"rain today": ("no", "yes"), "b": ("x/1", "y", "z"), "c": ("0", "1")},
        {"rain today": (), "b": ("rain today",), "c": ("b", "rain today")},
        {
            "rain today": np.array([0.2, 0.8]),
            "b": np.array([[0.1, 0.2, 0.7], [1.0, 0.0, 0.0]]),
            "c": np.array([[[0.5, 0.5], [0.25, 0.75]]] * 3),
        },
    )


def read_or_refused(read, text):
    try:
        assert isinstance(read(text), FileNetwork)
    except DataError as error:
        message = str(error)
    else:
        message = "it was read"
    assert 0 < len(message) < 1000


@each_format
def test_a_file_that_is_cut_anywhere_is_refused_or_whole(ending, small):
    read, text_of = FORMATS[ending]
    text = text_of(small)
    for length in range(len(text)):
        read_or_refused(read, text[:length])
        read_or_refused(read, text[length:])
    # All but the space at the end is needed, beside digits of the last number.
    with pytest.raises(DataError):
        read(text[: text.rstrip().rfind("\n")])


@each_format
def test_a_file_with_faults_is_refused_or_read(ending, small):
    read, text_of = FORMATS[ending]
    text = text_of(small)
    rng = random.Random(7)
    bits = [
        *"(){}[]<>;,|=:\"'\\%#&/*~-0129.e \n\0é\ud800",
        "99999999999",
        "//",
        "/*",
        "<!--",
        "&x;",
    ]
    for _ in range(1000):
        mutated = text
        for _ in range(rng.randint(1, 3)):
            start = rng.randrange(len(mutated))
            end = min(len(mutated), start + rng.choice([0, 0, 1, 1, 2, 10]))
            mutated = mutated[:start] + rng.choice(["", *bits]) + mutated[end:]
        read_or_refused(read, mutated)


TEXT_WORDS = """network variable probability property type discrete table default net class node
potential states data belief name BAYES MARKOV a b 0 1 2 0.5 ( ) { } [ ] ; , | = : " % # /"""
XML_WORDS = "<BIF> <NETWORK> </NETWORK> <VARIABLE> <NAME> </BIF> <smile> <nodes> </cpt> <!DOCTYPE"
words = st.sampled_from([*TEXT_WORDS.split(), *XML_WORDS.split(), "\n", "<cpt id='a'>"])


@each_format
@more_examples
@given(text=st.text() | st.lists(words, max_size=30).map(" ".join))
def test_any_text_is_read_or_refused(ending, text):
    read_or_refused(FORMATS[ending][0], text)


@each_format
def test_undefined_rows_cannot_be_written(ending):
    network = FileNetwork(
        {"a": ("no", "yes"), "b": ("x",)},
        {"a": (), "b": ("a",)},
        {"a": np.array([0.5, 0.5]), "b": np.array([[1.0], [np.nan]])},
    )
    with pytest.raises(DataError, match=r"'b' given 'a'='yes' are undefined.*parameters=BDeu\(1\)"):
        FORMATS[ending][1](network)
    with pytest.raises(DataError, match="no variables"):
        FORMATS[ending][1](FileNetwork({}, {}, {}))


@pytest.mark.parametrize("ending", [*FORMATS, "xml", "BIF", "Net"])
@pytest.mark.parametrize("zipped", ["", ".gz", ".GZ"])
def test_the_ending_says_the_format(tmp_path, small, ending, zipped):
    path = tmp_path / f"small.{ending}{zipped}"
    write_network(small, path)
    assert_same(read_network(path), numbered(small) if ending == "uai" else small)
    assert path.read_bytes()[:2] == b"\x1f\x8b" or not zipped
    assert list(tmp_path.iterdir()) == [path]


def test_zipped_files_do_not_depend_on_the_clock(tmp_path, small, monkeypatch):
    write_network(small, tmp_path / "one.bif.gz")
    monkeypatch.setattr("time.time", lambda: 1e9)
    write_network(small, str(tmp_path / "two.bif.gz"))
    assert (tmp_path / "one.bif.gz").read_bytes() == (tmp_path / "two.bif.gz").read_bytes()


def test_xml_may_be_xdsl(tmp_path, small):
    path = tmp_path / "small.xml"
    path.write_text(xdsl_text(small), encoding="utf-8")
    assert_same(read_network(path), small)


def test_encodings(tmp_path):
    xml = (
        '<?xml version="1.0" encoding="ISO-8859-1"?><smile><nodes><cpt id="a"><state id="é"/>'
        "<probabilities>1</probabilities></cpt></nodes></smile>"
    )
    path = tmp_path / "latin.xdsl"
    path.write_bytes(xml.encode("latin-1"))
    assert read_network(path).states == {"a": ("é",)}
    path.write_bytes(b"\xef\xbb\xbf" + xml.replace("ISO-8859-1", "UTF-8").encode())
    assert read_network(path).states == {"a": ("é",)}
    path.write_bytes(xml.replace("ISO-8859-1", "rot13").encode())
    with pytest.raises(DataError, match="latin.xdsl: the encoding 'rot13' is not read"):
        read_network(path)
    path.write_bytes(xml.replace("ISO-8859-1", "UTF-8").encode("latin-1"))
    with pytest.raises(DataError, match="is not text in utf-8"):
        read_network(path)
    path = tmp_path / "windows.uai"
    path.write_bytes(b"\xef\xbb\xbfBAYES\r\n1\r\n1\r\n1\r\n1 0\r\n1\r\n1.0\r\n")
    assert read_network(path).states == {"x0": ("0",)}


def test_every_error_names_the_file(tmp_path, small):
    path = tmp_path / "bad.bif"
    path.write_text("variable a {")
    with pytest.raises(DataError, match=r"bad.bif: line 1, column 13: 'type'.*is missing"):
        read_network(path)
    with pytest.raises(DataError, match=r"small.txt: the ending must say .*\.bif, .*\.gz"):
        read_network(tmp_path / "small.txt")
    with pytest.raises(DataError, match="small.gz: the ending"):
        write_network(small, tmp_path / "small.gz")
    with pytest.raises(DataError, match="cannot read .*none.bif: No such file"):
        read_network(tmp_path / "none.bif")
    with pytest.raises(DataError, match="cannot write .*no directory"):
        write_network(small, tmp_path / "none" / "a.bif")
    nothing = FileNetwork({}, {}, {})
    with pytest.raises(DataError, match="a.bif: the network has no variables"):
        write_network(nothing, tmp_path / "a.bif")


@pytest.mark.parametrize("data", [b"", b"no zip", b"\x1f\x8b", b"\x1f\x8b\x08" + b"\0" * 30])
def test_broken_zips_are_refused(tmp_path, data):
    path = tmp_path / "bad.bif.gz"
    path.write_bytes(data)
    with pytest.raises(DataError, match="bad.bif.gz"):
        read_network(path)
    path.write_bytes(gzip.compress(b"network n { }" * 100)[:-9])
    with pytest.raises(DataError, match="cannot read .*bad.bif.gz"):
        read_network(path)


def test_a_zip_that_grows_is_stopped(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "MAX_BYTES", 5_000_000)
    path = tmp_path / "bomb.bif.gz"
    path.write_bytes(gzip.compress(b" " * 20_000_000))
    with pytest.raises(DataError, match="bomb.bif.gz has more than 5,000,000 bytes"):
        read_network(path)


@each_format
def test_binary_garbage_is_refused(tmp_path, ending):
    path = tmp_path / f"garbage.{ending}"
    path.write_bytes(random.Random(1).randbytes(10_000))
    with pytest.raises(DataError, match="garbage"):
        read_network(path)
    path.write_bytes(b"")
    with pytest.raises(DataError, match="garbage"):
        read_network(path)
