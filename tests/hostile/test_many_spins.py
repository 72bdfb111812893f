"""Hundreds of binary variables: little memory beyond the codes, and an answer to Ctrl-C."""

import os

import pytest

from child import in_child

ROWS = """
rng = np.random.default_rng(0)
n, n_rows = 150, 40_000
codes = [rng.integers(0, 2, n_rows, dtype=np.uint8)]
for v in range(1, n):
    codes.append(codes[v - 1] ^ (rng.random(n_rows) < 0.3))
table = dw.Table.from_codes(codes, states=[(0, 1)] * n)
coded = n * n_rows / 2**20
"""


@pytest.mark.memory
@pytest.mark.skipif(not os.path.exists("/proc/self/clear_refs"), reason="peaks of memory")
def test_memory_is_bounded_by_the_codes():
    code = """
method = dw.NeighbourhoodSelection(loss="rise", penalty=0.05)
dw.learn_undirected(table.head(1000), method=method)  # what is imported is no part of it
before = begin()
result = dw.learn_undirected(table, method=method, threads=2)
assert result.graph.edges == tuple(zip(table.names[:-1], table.names[1:]))
print(grown(before) / coded)
"""
    assert in_child(ROWS + code) < 4


@pytest.mark.parametrize("method", ["NeighbourhoodSelection(penalty=1e-4)", "PseudoLikelihood()"])
def test_ctrl_c_is_answered(method):
    code = f"""
print(ctrl_c(0.3, lambda: dw.learn_undirected(table, method=dw.{method}, threads=2)))
"""
    seconds = in_child(ROWS + code)  # None: it was done before
    assert seconds is None or seconds < 1
