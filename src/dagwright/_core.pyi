"""
The native core of dagwright. Private: use the public names of dagwright.
"""

from collections.abc import Callable, Sequence
import enum
from typing import Annotated, overload

import numpy
import numpy.typing
from numpy.typing import NDArray
from typing_extensions import CapsuleType

class StopReason(enum.Enum):
    none = 0

    time_limit = 1

    callback = 2

    interrupted = 3

    failed = 4

class Progress:
    @property
    def step(self) -> int: ...
    @step.setter
    def step(self, arg: int, /) -> None: ...
    @property
    def families_scored(self) -> int: ...
    @families_scored.setter
    def families_scored(self, arg: int, /) -> None: ...
    @property
    def score(self) -> float: ...
    @score.setter
    def score(self, arg: float, /) -> None: ...
    @property
    def seconds(self) -> float: ...
    @seconds.setter
    def seconds(self, arg: float, /) -> None: ...

def end_spare_threads() -> None: ...

class Run:
    def __init__(
        self, threads: int = 1, time_limit: float = float("inf"), report: Callable | None = None
    ) -> None: ...
    def poll(self) -> None: ...
    @property
    def stopping(self) -> bool: ...
    @property
    def reason(self) -> StopReason: ...
    @property
    def seconds(self) -> float: ...
    @property
    def progress(self) -> Progress: ...

class ValueKind(enum.Enum):
    BOOLEAN = 0

    INTEGER = 1

    UNSIGNED = 2

    TEXT = 3

    DATE = 4

    TIMESTAMP = 5

    FLOAT = 6

    NOTHING = 7

    UNSUPPORTED = 8

class EncodedVariable:
    @property
    def name(self) -> str: ...
    @property
    def format(self) -> str: ...
    @property
    def kind(self) -> ValueKind: ...
    @property
    def keeps_unused(self) -> bool: ...
    @property
    def keeps_order(self) -> bool: ...
    @property
    def too_many(self) -> bool: ...
    @property
    def integers(self) -> list[int]: ...
    @property
    def texts(self) -> list[bytes]: ...
    @property
    def in_room(self) -> bool: ...
    def take_codes(self) -> numpy.typing.NDArray[numpy.uint8 | numpy.uint16]: ...
    def take_floats(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...
    def take_wholes(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...
    def take_missing(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...

def encode_stream(
    stream: CapsuleType,
    gathered: Sequence[str],
    until_too_many: bool,
    room: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order="C", device="cpu")],
) -> tuple[int, list[EncodedVariable]]:
    """Number of rows, and the encoded variables of an Arrow stream."""

@overload
def recode(
    codes: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu")],
    new_code: Sequence[int],
) -> None:
    """Replace codes by new_code[codes], in place."""

@overload
def recode(
    codes: Annotated[NDArray[numpy.uint16], dict(shape=(None,), order="C", device="cpu")],
    new_code: Sequence[int],
) -> None: ...

class ObservedCells:
    @property
    def config_states(self) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,))]: ...
    @property
    def config_totals(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...
    @property
    def cell_configs(self) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,))]: ...
    @property
    def cell_states(self) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,))]: ...
    @property
    def cell_counts(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

class FamilyCounts:
    @property
    def child(self) -> int: ...
    @property
    def parents(self) -> list[int]: ...
    @property
    def n_states(self) -> int: ...
    @property
    def parents_n_states(self) -> list[int]: ...
    @property
    def n_configs(self) -> float: ...
    @property
    def total(self) -> float: ...
    @property
    def is_dense(self) -> bool: ...
    def observed(self) -> ObservedCells: ...

class WeightUnit:
    def __init__(self) -> None: ...
    def add(
        self,
        weights: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
    ) -> None: ...
    def add_rows(self, n_rows: int) -> None: ...
    @property
    def value(self) -> float: ...
    def round(
        self,
        weights: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
    ) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

class Table:
    def __init__(
        self,
        codes: Sequence[object],
        arities: Sequence[int],
        n_rows: int,
        weights: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
    ) -> None: ...
    @property
    def total(self) -> float: ...
    def state_totals(self) -> list[list[float]]: ...
    def reordered(self, order: Sequence[int]) -> Table: ...
    def count(self, child: int, parents: Sequence[int], counter: str) -> FamilyCounts: ...

def kernel_sets() -> list[str]: ...
def count_bitmap(
    table: Table, child: int, parents: Sequence[int], kernels: str
) -> FamilyCounts | None: ...
def count_extensions(
    table: Table,
    child: int,
    parents: Sequence[int],
    candidates: Sequence[int],
    kernels: str,
    threads: int,
    histogram: bool,
) -> list[FamilyCounts] | None: ...
def count_pairs(
    table: Table, begin: int, end: int, kernels: str, threads: int
) -> list[tuple[int, int, list[float]]]: ...

class Counter(enum.Enum):
    bitmap = 0

    dense = 1

    sparse = 2

def cheapest_counter(table: Table, child: int, parents: Sequence[int]) -> Counter: ...
def seconds_to_count(
    table: Table, child: int, parents: Sequence[int], counter: Counter
) -> float: ...
def seconds_one_against_all(
    table: Table, child: int, parents: Sequence[int], candidates: Sequence[int]
) -> tuple[float, float]: ...

class CountSource:
    @property
    def n_rows(self) -> float: ...
    @property
    def total(self) -> float: ...
    @property
    def arities(self) -> list[int]: ...
    def reweighted(
        self,
        weights: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
    ) -> CountSource: ...
    def count(self, child: int, parents: Sequence[int], run: Run) -> FamilyCounts: ...
    def count_all(
        self, families: Sequence[tuple[int, Sequence[int]]], run: Run
    ) -> list[FamilyCounts]: ...

class TableSource(CountSource):
    def __init__(self, table: Table) -> None: ...

class ChunkedSource(CountSource):
    def __init__(self, arities: Sequence[int], chunks: Callable) -> None: ...

def find_cycle(n: int, edges: Sequence[tuple[int, int]]) -> list[int] | None: ...
def topological_order(parents: Sequence[Sequence[int]]) -> list[int]: ...
def cpdag(parents: Sequence[Sequence[int]]) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """The compelled and the reversible edges."""

def consistent_extension(
    n: int,
    directed: Sequence[tuple[int, int]],
    undirected: Sequence[tuple[int, int]],
    constraints: Constraints | None = None,
) -> list[list[int]] | None:
    """The parents of each node, or None."""

def all_dags(n: int) -> list[list[int]]:
    """The parents of each node as bits."""

class Dag:
    """A mutable graph over numbered nodes, as searches use it."""

    @overload
    def __init__(self, n: int) -> None: ...
    @overload
    def __init__(self, parents: Sequence[Sequence[int]]) -> None: ...
    def __len__(self) -> int: ...
    @property
    def n_edges(self) -> int: ...
    @property
    def parent_lists(self) -> list[list[int]]: ...
    @property
    def edges(self) -> list[tuple[int, int]]: ...
    def has_edge(self, from_: int, to: int) -> bool: ...
    def parents(self, node: int) -> list[int]: ...
    def parent_set(self, node: int) -> list[int]: ...
    def ancestors(self, node: int) -> list[int]: ...
    def can_add(self, from_: int, to: int) -> bool: ...
    def can_reverse(self, from_: int, to: int) -> bool: ...
    def can_set_parents(self, node: int, parents: Sequence[int]) -> bool: ...
    def add(self, from_: int, to: int) -> None: ...
    def remove(self, from_: int, to: int) -> None: ...
    def reverse(self, from_: int, to: int) -> None: ...
    def set_parents(self, node: int, parents: Sequence[int]) -> None: ...
    def topological_order(self) -> list[int]: ...
    def __eq__(self, arg: object, /) -> bool: ...

class Constraints:
    """What a search over numbered nodes may do."""

    def __init__(
        self,
        n: int,
        *,
        required: Sequence[tuple[int, int]] = [],
        forbidden: Sequence[tuple[int, int]] = [],
        adjacent: Sequence[tuple[int, int]] = [],
        tiers: Sequence[int] = [],
        max_parents: int | None = None,
        max_parameters: float | None = None,
        arities: Sequence[int] = [],
    ) -> None: ...
    def __len__(self) -> int: ...
    @property
    def limits_edges(self) -> bool: ...
    def allowed(self, parent: int, child: int) -> bool: ...
    def required(self, parent: int, child: int) -> bool: ...
    def adjacent(self, a: int, b: int) -> bool: ...
    def may_add(self, parent: int, child: int) -> bool: ...
    def may_remove(self, parent: int, child: int) -> bool: ...
    def may_reverse(self, from_: int, to: int) -> bool: ...
    def fits(self, child: int, parents: Sequence[int]) -> bool: ...
    def fits_with(self, child: int, parents: Sequence[int], extra: int) -> bool: ...
    def satisfied_by(self, dag: Dag) -> bool: ...
    def feasible_dag(self) -> tuple[Dag | None, list[int]]:
        """
        The smallest graph that satisfies the constraints, or None and the nodes in the way.
        """

class Score:
    def local(self, arg: FamilyCounts, /) -> float: ...
    def upper_bound(self, arg: FamilyCounts, /) -> float: ...
    @property
    def score_equivalent(self) -> bool: ...
    @property
    def set_function(self) -> bool: ...

class LogLikelihood(Score):
    def __init__(self) -> None: ...

class AIC(Score):
    def __init__(self) -> None: ...

class BIC(Score):
    def __init__(self) -> None: ...

class Penalized(Score):
    def __init__(self, phi: float) -> None: ...

class K2(Score):
    def __init__(self) -> None: ...

class BDeu(Score):
    def __init__(self, ess: float) -> None: ...

class SymmetricDirichlet(Score):
    def __init__(self, alpha: float) -> None: ...

class BDe(Score):
    @overload
    def __init__(self, ess: float, joint: Sequence[float], arities: Sequence[int]) -> None: ...
    @overload
    def __init__(self, ess: float, network: Network) -> None: ...

class PythonScore(Score):
    def __init__(self, local: Callable, score_equivalent: bool) -> None: ...

class StructurePrior:
    pass

class EdgePenalty(StructurePrior):
    def __init__(self, log_weight: float) -> None: ...

class EdgeWeights(StructurePrior):
    def __init__(self, n: int, log_weights: Sequence[float]) -> None: ...

class ParentCountPrior(StructurePrior):
    def __init__(self, log_weights: Sequence[float]) -> None: ...

class ModularPrior(StructurePrior):
    def __init__(self, log_weight: Callable[[int, Sequence[int]], float]) -> None: ...

class FamilyError(RuntimeError):
    pass

class Fingerprint:
    def __init__(self) -> None: ...
    @property
    def low(self) -> int: ...
    @property
    def high(self) -> int: ...
    @staticmethod
    def of_member(number: int) -> Fingerprint: ...
    @staticmethod
    def of_sets(
        sets: Annotated[
            NDArray[numpy.uint32], dict(shape=(None, None), order="C", device="cpu", writable=False)
        ],
    ) -> tuple[
        Annotated[NDArray[numpy.uint64], dict(shape=(None,))],
        Annotated[NDArray[numpy.uint64], dict(shape=(None,))],
    ]:
        """The low and high words of many sets of one size, a set a row."""

    def __add__(self, arg: Fingerprint, /) -> Fingerprint: ...
    def __sub__(self, arg: Fingerprint, /) -> Fingerprint: ...
    def __eq__(self, arg: object, /) -> bool: ...

class ScorerStats:
    @property
    def asked(self) -> int: ...
    @property
    def counted(self) -> int: ...
    @property
    def cached(self) -> int: ...
    @property
    def cache_bytes(self) -> int: ...

class Families:
    def __init__(self, numbered: Sequence[tuple[int, Sequence[int]]]) -> None: ...
    @staticmethod
    def by_name(numbers: dict, pairs: list) -> Families | None: ...
    @staticmethod
    def of_graph(parents: Sequence[Sequence[int]], numbers: Sequence[int]) -> Families:
        """The families of a graph whose nodes have other numbers here."""

class Scorer:
    def __init__(
        self, source: CountSource, score: Score, prior: StructurePrior | None, cache_bytes: int
    ) -> None: ...
    @property
    def score_equivalent(self) -> bool: ...
    def local(
        self, families: Families, run: Run
    ) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...
    def gains(
        self, family: tuple[int, Sequence[int]], candidates: Sequence[int], run: Run
    ) -> list[float]: ...
    def pair_information(
        self, begin: int, end: int, given: int | None, run: Run
    ) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...
    def pair_gains(
        self, begin: int, end: int, run: Run
    ) -> tuple[
        Annotated[NDArray[numpy.float64], dict(shape=(None,))],
        Annotated[NDArray[numpy.float64], dict(shape=(None,))],
    ]: ...
    def entropy(self, variables: Sequence[int], run: Run) -> float: ...
    def upper_bounds(self, families: Families, run: Run) -> list[float]: ...
    def drop_hopeless(
        self,
        family: tuple[int, Sequence[int]],
        score: float,
        information: Sequence[float],
        candidates: Sequence[int],
    ) -> list[int]: ...
    def log_prior(self, family: tuple[int, Sequence[int]]) -> float: ...
    def stats(self) -> ScorerStats: ...

class Operator(enum.Enum):
    add = 0

    remove = 1

    reverse = 2

class Finish(enum.Enum):
    local_optimum = 0

    max_steps = 1

    patience = 2

    phases_done = 3

    subset_limit = 4

    not_equivalent = 5

    stopped = 6

    done = 7

class Found:
    def renumbered(self, numbers: Sequence[int]) -> tuple[tuple, tuple]:
        """The parents and the children of each node, sorted, with other numbers."""

    @property
    def score(self) -> float: ...
    def trace(self, names: tuple[str, ...]) -> list[tuple[str, str, str, float, float]]:
        """Steps (operator, start, end, gain, score), with names."""

    @property
    def finish(self) -> Finish: ...
    @property
    def edges_left_out(self) -> int: ...

class AllParentSets:
    def __init__(self, members: Sequence[int], scores: Sequence[float], adjacent: int) -> None: ...
    @property
    def members(self) -> Annotated[NDArray[numpy.uint64], dict(shape=(None,))]: ...
    @property
    def scores(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...
    @property
    def n_scored(self) -> int: ...
    @property
    def complete(self) -> bool: ...
    @property
    def rest(self) -> float: ...

def all_parent_sets(
    scorer: Scorer, constraints: Constraints, max_bytes: float, run: Run
) -> list[AllParentSets]: ...

class Optimum:
    @property
    def parents(self) -> list[list[int]] | None: ...
    @property
    def score(self) -> float: ...
    @property
    def complete(self) -> bool: ...

class NoRoom(Exception):
    pass

@overload
def exact_dp_bytes(n_variables: int) -> float: ...
@overload
def exact_dp_bytes(parent_sets: Sequence[AllParentSets]) -> float: ...
def exact_dp(
    parent_sets: Sequence[AllParentSets], max_bytes: float, scratch: str, run: Run
) -> Optimum: ...
def exhaustive(scorer: Scorer, constraints: Constraints, run: Run) -> Optimum: ...
def empty_start(constraints: Constraints) -> Dag: ...
def complete_start(constraints: Constraints) -> Dag: ...
def tree_start(scorer: Scorer, constraints: Constraints, run: Run) -> Dag: ...
def random_start(constraints: Constraints, seed: int) -> Dag: ...
def hill_climb(
    scorer: Scorer,
    constraints: Constraints,
    start: Dag,
    first: bool,
    max_steps: int,
    min_gain: float,
    sideways: bool,
    restarts: int,
    perturbation: int,
    seed: int,
    run: Run,
) -> Found: ...
def tabu(
    scorer: Scorer,
    constraints: Constraints,
    start: Dag,
    tenure: int,
    patience: int,
    states: bool,
    explore: int,
    restarts: int,
    seed: int,
    run: Run,
) -> Found: ...
def anneal(
    scorer: Scorer,
    constraints: Constraints,
    start: Dag,
    proposals: int,
    acceptance: float,
    temperature: float,
    last_temperature: float,
    reheats: int,
    restarts: int,
    seed: int,
    run: Run,
) -> Found: ...
def order_search(
    scorer: Scorer,
    constraints: Constraints,
    start: Dag,
    chains: int,
    patience: int,
    enrichments: int,
    candidates: int,
    restarts: int,
    seed: int,
    run: Run,
) -> Found: ...
def ges(
    scorer: Scorer, constraints: Constraints, turning: bool, repeat: bool, run: Run
) -> Found: ...
def class_moves(
    n: int, directed: Sequence[tuple[int, int]], undirected: Sequence[tuple[int, int]], op: Operator
) -> list[
    tuple[int, int, list[int], list[tuple[int, int]], list[tuple[int, int]], list[list[int]]]
]:
    """
    All legal moves of a kind from a class: x, y, what points at y, the edges afterwards, and what the move makes of a member.
    """

def parts_taken(n: int, n_threads: int, fronts: Sequence[bool]) -> list[tuple[int, int]]: ...
def class_changes(
    members: Sequence[Sequence[Sequence[int]]],
) -> list[
    tuple[
        list[tuple[int, int]],
        list[tuple[int, int]],
        int,
        list[int],
        list[tuple[int, int]],
        list[tuple[int, int]],
    ]
]:
    """
    The class of each graph: edges, undirected ones both ways, their number, the nodes and ways that differ from the class before, and the pairs that a path joins.
    """

def largest_of(n: int, changes: Sequence[tuple[int, float]]) -> list[tuple[int, float]]:
    """The largest of n numbers, and its place, after each change."""

def chow_liu(
    scorer: Scorer, constraints: Constraints, root: int | None, forest: bool, run: Run
) -> Found: ...
def tree_augmented_naive_bayes(
    scorer: Scorer, constraints: Constraints, target: int, run: Run
) -> Found: ...
def tree_is_directed(constraints: Constraints, root: int | None, target: int | None) -> bool: ...
def best_branching(n: int, weights: Sequence[float], run: Run) -> list[list[int]]: ...
def spanning_forest(
    n: int,
    kept: Sequence[tuple[int, int]],
    weights: Sequence[float],
    rows_at_once: int,
    root: int | None,
) -> list[list[int]]: ...

class ParentSets:
    def __init__(
        self,
        scorer: Scorer,
        constraints: Constraints,
        child: int,
        candidates: Sequence[int],
        run: Run,
    ) -> None: ...
    @property
    def candidates(self) -> list[int]: ...
    @property
    def adjacent(self) -> int: ...
    @property
    def sets(self) -> list[tuple[int, float]]: ...
    def parents(self, members: int) -> list[int]: ...
    def expand_all(self, size: int, run: Run) -> None: ...
    def expand_best(self, n_sets: int, run: Run) -> None: ...
    def expand(self, members: int, run: Run) -> bool: ...
    def add(self, parents: Sequence[int], score: float) -> None: ...

class OrderWalk:
    def __init__(self, of_child: Sequence[ParentSets], order: Sequence[int]) -> None: ...
    @property
    def order(self) -> list[int]: ...
    @property
    def score(self) -> float: ...
    @property
    def parents(self) -> list[list[int]]: ...
    def climb(self, seed: int, run: Run) -> None: ...
    def shake(self, n_moves: int, seed: int) -> None: ...

class OrdersFound:
    @property
    def best(self) -> Found: ...
    @property
    def scores(self) -> list[float]: ...

def k2_search(
    scorer: Scorer, constraints: Constraints, orders: Sequence[Sequence[int]], run: Run
) -> OrdersFound: ...
def random_orders(
    constraints: Constraints, count: int, seed: int, first: int = 0
) -> list[list[int]]: ...
def chow_liu_order(scorer: Scorer, constraints: Constraints, run: Run) -> list[int]: ...
def perturb(
    scorer: Scorer,
    constraints: Constraints,
    start: Dag,
    rounds: int,
    strength: float,
    restarts: int,
    seed: int,
    run: Run,
) -> Found: ...

class ImpossibleEvidence(RuntimeError):
    pass

class Network:
    def __init__(
        self,
        arities: Sequence[int],
        scopes: Sequence[Sequence[int]],
        values: Sequence[
            Annotated[
                NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
            ]
        ],
    ) -> None: ...

def relevant_families(
    network: Network,
    targets: Sequence[int],
    observed: Sequence[int],
    intervened: Sequence[int],
    soft: Sequence[int],
    probability_of_evidence: bool,
) -> list[int]: ...
def joint_table(
    network: Network, variables: Sequence[int]
) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

class CliqueTree:
    def __init__(
        self,
        network: Network,
        targets: Sequence[int],
        observed: Sequence[int],
        intervened: Sequence[int],
        soft: Sequence[int],
        every_variable: bool,
        maximize_targets: bool,
        probability_of_evidence: bool,
    ) -> None: ...
    @property
    def cells(self) -> float: ...
    @property
    def largest(self) -> float: ...
    @property
    def bytes(self) -> float: ...
    @property
    def own_bytes(self) -> float: ...
    @property
    def operations(self) -> float: ...
    @property
    def families(self) -> list[int]: ...
    @property
    def order(self) -> list[int]: ...
    @property
    def cliques(self) -> list[list[int]]: ...

class Propagation:
    def __init__(self, tree: CliqueTree) -> None: ...
    def set(
        self,
        states: Sequence[tuple[int, int]],
        likelihoods: Sequence[
            tuple[
                int,
                Annotated[
                    NDArray[numpy.float64],
                    dict(shape=(None,), order="C", device="cpu", writable=False),
                ],
            ]
        ],
    ) -> None: ...
    @property
    def cells(self) -> float: ...
    def log_probability(self, run: Run) -> float: ...
    def in_one_clique(self, variables: Sequence[int]) -> bool: ...
    def joint(
        self, variables: Sequence[int], run: Run
    ) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...
    def marginals(self, variables: Sequence[int], run: Run) -> list: ...
    def most_probable(self, all: bool, run: Run) -> list[tuple[int, int]]: ...
    def sample(self, n_rows: int, seed: int, keep: Sequence[int], run: Run) -> list: ...

def predict(
    tree: CliqueTree, target: int, given: Sequence[int], table: Table, run: Run
) -> tuple[
    Annotated[NDArray[numpy.float64], dict(shape=(None,))],
    Annotated[NDArray[numpy.float64], dict(shape=(None,))],
]: ...
def sample_rows(
    network: Network,
    n_rows: int,
    seed: int,
    states: Sequence[tuple[int, int]],
    likelihoods: Sequence[
        tuple[
            int,
            Annotated[
                NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
            ],
        ]
    ],
    intervened: Sequence[int],
    keep: Sequence[int],
    run: Run,
) -> tuple[list, Annotated[NDArray[numpy.float64], dict(shape=(None,))]]: ...
def gibbs(
    network: Network,
    chains: int,
    warmup: int,
    n_rows: int,
    seed: int,
    states: Sequence[tuple[int, int]],
    likelihoods: Sequence[
        tuple[
            int,
            Annotated[
                NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
            ],
        ]
    ],
    intervened: Sequence[int],
    keep: Sequence[int],
    run: Run,
) -> list: ...

class Beliefs:
    @property
    def marginals(self) -> list[list[float]]: ...
    @property
    def iterations(self) -> int: ...
    @property
    def change(self) -> float: ...

def belief_propagation(
    network: Network,
    states: Sequence[tuple[int, int]],
    likelihoods: Sequence[
        tuple[
            int,
            Annotated[
                NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
            ],
        ]
    ],
    intervened: Sequence[int],
    variables: Sequence[int],
    max_iterations: int,
    tolerance: float,
    damping: float,
    run: Run,
) -> Beliefs: ...

class Over(enum.Enum):
    dags = 0

    orders = 1

class ExactPosterior:
    @property
    def log_total(self) -> float: ...
    @property
    def n_families(self) -> int: ...
    @property
    def total(self) -> tuple[int, int, int]:
        """For tests: the sum over all DAGs, each child's largest weight being 1."""

    def edge_probabilities(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...
    def parent_sets(
        self, child: int
    ) -> tuple[
        Annotated[NDArray[numpy.uint32], dict(shape=(None,))],
        Annotated[NDArray[numpy.float64], dict(shape=(None,))],
    ]:
        """The sets of parents as bits, and their probabilities."""

    def sample(
        self, n_graphs: int, seed: int, run: Run
    ) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,))]: ...
    def best(
        self, k: int, run: Run
    ) -> tuple[
        Annotated[NDArray[numpy.uint32], dict(shape=(None,))],
        Annotated[NDArray[numpy.float64], dict(shape=(None,))],
    ]: ...
    def path_probabilities(
        self, run: Run
    ) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

def exact_posterior(
    scorer: Scorer, constraints: Constraints, over: Over, run: Run
) -> ExactPosterior: ...
def log_total_of_prior(scorer: Scorer, constraints: Constraints, over: Over, run: Run) -> float: ...
def exact_posterior_of_weights(
    logs: Sequence[Sequence[float]], over: Over, run: Run
) -> ExactPosterior:
    """
    Of any logs of weights: for each child those of all sets of others, -inf for none.
    """

def exact_posterior_bytes(n: int, over: Over, n_families: float) -> float: ...
def best_dags_bytes(n: int, k: int) -> float: ...
def dag_error_bound(n: int) -> float: ...
def wide_exp(x: float) -> tuple[int, int, int]:
    """For tests: the weight of a log."""

class ParentTable:
    def __init__(
        self,
        scorer: Scorer,
        constraints: Constraints,
        candidates: Sequence[Sequence[int]],
        run: Run,
    ) -> None: ...
    @staticmethod
    def bytes(candidates: Sequence[Sequence[int]]) -> float: ...

class Draws:
    @property
    def parent_sets(self) -> list[list[list[int]]]: ...
    @property
    def numbers(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]: ...
    @property
    def scores(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...
    @property
    def log_corrections(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

class Sampler:
    def blocks(self, n_blocks: int, keep: bool, run: Run) -> Draws: ...
    @property
    def n_done(self) -> int: ...
    @property
    def states(self) -> list[list[list[int]]]: ...
    @property
    def log_densities(self) -> list[float]:
        """By chain, at temperature 1."""

    @property
    def stats(self) -> list[tuple[str, int, int]]: ...

def structure_sampler(
    scorer: Scorer,
    table: ParentTable,
    constraints: Constraints,
    states: Sequence[Sequence[Sequence[int]]],
    betas: Sequence[float],
    thin: int,
    seed: int,
    n_done: int,
    reversal: float,
    run: Run,
) -> Sampler: ...
def order_sampler(
    table: ParentTable,
    states: Sequence[Sequence[Sequence[int]]],
    betas: Sequence[float],
    thin: int,
    seed: int,
    n_done: int,
    run: Run,
) -> Sampler: ...
def partition_sampler(
    table: ParentTable,
    constraints: Constraints,
    states: Sequence[Sequence[Sequence[int]]],
    betas: Sequence[float],
    thin: int,
    seed: int,
    n_done: int,
    reversal: float,
    orders: float,
    run: Run,
) -> Sampler: ...
def time_order_moves(table: ParentTable, n_moves: int, seed: int) -> tuple[float, float]: ...
def log_linear_extensions(parents: Sequence[Sequence[int]]) -> float: ...

class NeighbourhoodLoss(enum.Enum):
    logistic = 0

    rise = 1

    log_rise = 2

class Spins:
    def __init__(
        self,
        bits: Annotated[
            NDArray[numpy.uint8], dict(shape=(None, None), order="C", device="cpu", writable=False)
        ],
        weights: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
    ) -> None: ...

class NeighbourhoodSettings:
    def __init__(self, loss: NeighbourhoodLoss, ridge: float, tolerance: float) -> None: ...

class Neighbourhood:
    @property
    def penalty(self) -> float: ...
    @property
    def field(self) -> float: ...
    @property
    def variables(self) -> list[int]: ...
    @property
    def couplings(self) -> list[float]: ...
    @property
    def loss(self) -> float: ...
    @property
    def residual(self) -> float: ...
    @property
    def steps(self) -> int: ...

class PathStep:
    @property
    def penalty(self) -> float: ...
    @property
    def n_neighbours(self) -> int: ...
    @property
    def criterion(self) -> float: ...

class ChosenNeighbourhood:
    @property
    def best(self) -> Neighbourhood: ...
    @property
    def path(self) -> list[PathStep]: ...

def neighbourhoods(
    spins: Spins,
    candidates: Sequence[Sequence[int]],
    penalties: Sequence[float],
    settings: NeighbourhoodSettings,
    run: Run,
) -> list[list[Neighbourhood]]: ...
def choose_neighbourhoods(
    spins: Spins,
    candidates: Sequence[Sequence[int]],
    n_rows: float,
    gamma: float,
    n_possible: float,
    n_penalties: int,
    smallest: float,
    patience: int,
    settings: NeighbourhoodSettings,
    run: Run,
) -> list[ChosenNeighbourhood]: ...
def neighbourhood_gradients(
    spins: Spins,
    fields: Sequence[float],
    variables: Sequence[Sequence[int]],
    couplings: Sequence[Sequence[float]],
    loss: NeighbourhoodLoss,
    run: Run,
) -> tuple: ...
def spin_kernel_names() -> list[str]: ...
def run_spin_kernels(
    name: str, spins: Spins, target: int, start: float, values: Sequence[float], logistic: bool
) -> tuple: ...

class ImpossibleFactors(RuntimeError):
    pass

class FactorScopes:
    def __init__(self, arities: Sequence[int], scopes: Sequence[Sequence[int]]) -> None: ...
    @property
    def n_cells(self) -> int: ...
    def shares_of_forests(
        self, n_forests: int
    ) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

class GibbsChains:
    def __init__(self, scopes: FactorScopes, n_chains: int, seed: int) -> None: ...
    def set_log_values(
        self,
        log_values: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
    ) -> None: ...
    def count(
        self, n_rows: int, thin: int, by_chain: bool, run: Run
    ) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,))]: ...
    def rows(self, n_rows: int, thin: int, run: Run) -> list: ...

class FactorBeliefs:
    @property
    def marginals(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...
    @property
    def cells(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...
    @property
    def log_z(self) -> float: ...
    @property
    def iterations(self) -> int: ...
    @property
    def inconsistency(self) -> float: ...

class FactorBeliefPropagation:
    def __init__(self, scopes: FactorScopes, shares: Sequence[float]) -> None: ...
    def propagate(
        self,
        log_values: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        max_iterations: int,
        tolerance: float,
        damping: float,
        run: Run,
    ) -> FactorBeliefs: ...
