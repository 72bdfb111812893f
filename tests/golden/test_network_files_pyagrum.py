"""Files of networks against pyAgrum, which shares no code with us.

What has to be known to compare (pyAgrum 3):

- It reads BIF, NET and UAI in single precision, and writes XDSL, XMLBIF and UAI with six digits.
- In XDSL and UAI it takes the first parent to change fastest, both reading and writing. GeNIe and
  the rules of UAI have it change slowest, as we do. So it reads a table with several parents with
  the parents' axes in the other order.
- In XDSL it calls a variable by the name that GeNIe shows, not by its id. States are ids, which
  cannot begin with a digit, so we write x0 for 0.
- Its name for XMLBIF is .bifxml. It has no DSC, and no state of BIF may have a sign such as "<".
"""

import numpy as np
import pytest

from dagwright.io.file_network import FileNetwork
from dagwright.io.networks_files import read_network, write_network

gum = pytest.importorskip("pyagrum")

ENDINGS = {"bif": "bif", "bifxml": "xml", "net": "net", "uai": "uai", "xdsl": "xdsl"}
FIRST_PARENT_FASTEST = ("uai", "xdsl")
TOLERANCE = 2e-6  # six digits
each_format = pytest.mark.parametrize("ending", ENDINGS)


@pytest.fixture
def network():
    rng = np.random.default_rng(3)
    return FileNetwork(
        {"x0": ("0", "1"), "x1": ("0", "1", "2"), "x2": ("0", "1"), "x3": ("0", "1", "2", "3")},
        {"x0": (), "x1": ("x0",), "x2": ("x1", "x0"), "x3": ("x0",)},
        {
            "x0": rng.dirichlet([1, 1]),
            "x1": rng.dirichlet([1, 1, 1], size=2),
            "x2": rng.dirichlet([1, 1], size=(3, 2)),
            "x3": np.array([[1.0, 0.0, 0.0, 0.0], [1e-5, 0.0, 0.0, 1 - 1e-5]]),
        },
    )


def as_pyagrum_reads(cells, ending):
    """Return the table with its numbers as they stand, but by pyAgrum's order of the parents."""
    if ending not in FIRST_PARENT_FASTEST:
        return cells
    *parents, n_states = cells.shape
    swapped = cells.reshape(*reversed(parents), n_states)
    return swapped.transpose(*reversed(range(len(parents))), len(parents))


def as_pyagrum_writes(cells, ending):
    if ending not in FIRST_PARENT_FASTEST:
        return cells
    n_parents = cells.ndim - 1
    return cells.transpose(*reversed(range(n_parents)), n_parents).reshape(cells.shape)


def table(net, child, parents):
    """Return pyAgrum's table with our axes."""
    cpt = net.cpt(child)
    axes = list(cpt.names)[::-1]
    return cpt.toarray().transpose([axes.index(name) for name in (*parents, child)])


@each_format
def test_pyagrum_reads_what_we_write(tmp_path, network, ending):
    path = tmp_path / f"ours.{ending}"
    write_network(network, tmp_path / f"ours.{ENDINGS[ending]}")
    (tmp_path / f"ours.{ENDINGS[ending]}").rename(path)
    net = gum.loadBN(str(path))
    # It calls the variables of UAI 0, 1 and so on.
    called = {name: name.removeprefix("x") if ending == "uai" else name for name in network.states}
    assert set(net.names()) == set(called.values())
    for name, states in network.states.items():
        labels = net.variable(called[name]).labels()
        assert labels == (tuple(f"x{state}" for state in states) if ending == "xdsl" else states)
        parents = [called[parent] for parent in network.parents[name]]
        assert {net.variable(parent).name() for parent in net.parents(called[name])} == set(parents)
        np.testing.assert_allclose(
            table(net, called[name], parents),
            as_pyagrum_reads(network.probabilities[name], ending),
            rtol=0,
            atol=TOLERANCE,
        )


@each_format
def test_we_read_what_pyagrum_writes(tmp_path, network, ending):
    net = gum.BayesNet()
    for name, states in network.states.items():
        net.add(gum.LabelizedVariable(name, name, list(states)))
    for name, parents in network.parents.items():
        for parent in parents:
            net.addArc(parent, name)
        axes = (*parents, name)
        cpt_axes = list(net.cpt(name).names)[::-1]
        cells = network.probabilities[name].transpose([axes.index(axis) for axis in cpt_axes])
        net.cpt(name).fillWith(np.ascontiguousarray(cells).ravel().tolist())
    path = tmp_path / f"theirs.{ending}"
    gum.saveBN(net, str(path))
    path = path.rename(path.with_suffix(f".{ENDINGS[ending]}"))
    ours = read_network(path)
    assert ours.states == network.states
    for name, parents in network.parents.items():
        assert set(ours.parents[name]) == set(parents)
        order = [ours.parents[name].index(parent) for parent in parents]
        cells = ours.probabilities[name]
        n_parents = len(parents)
        theirs = network.probabilities[name].transpose(*np.argsort(order), n_parents)
        np.testing.assert_allclose(cells, as_pyagrum_writes(theirs, ending), rtol=0, atol=TOLERANCE)


def test_pyagrum_reads_names_that_we_made_safe(tmp_path):
    network = FileNetwork(
        {"rain today?": ("<5", "5 or more", "")}, {"rain today?": ()},
        {"rain today?": np.array([0.25, 0.5, 0.25])},
    )  # fmt: skip
    for ending in ("bif", "net", "xdsl"):
        path = tmp_path / f"ours.{ending}"
        write_network(network, path)
        net = gum.loadBN(str(path))
        (name,) = net.names()
        assert name == ("rain today?" if ending == "xdsl" else "rain_today_")
        assert net.cpt(name).toarray().tolist() == [0.25, 0.5, 0.25]
        assert read_network(path).states == network.states
