"""The pool of parent sets that order search chooses from, against comparing all sets."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dagwright as dw
from dagwright import _core
from instances import PRIORS, SCORES, dense_table
from oracle import parent_sets as oracle
from strategies import constraints, tables

NO_CONSTRAINTS = dw.Constraints()
APART = 1e-7  # closer than this, rounding may decide which of two sets is the better


def close(value):
    return pytest.approx(value, rel=1e-9, abs=1e-8)


class Pool:
    """The native pool of one child, by name."""

    def __init__(self, scorer, child, constraints=NO_CONSTRAINTS, candidates=None):
        self.scorer, self.child, self.constraints = scorer, child, constraints
        self.names = scorer.source.names
        self.n_states = scorer.data.n_states
        self.required, self.adjacent = oracle.asked_for(self.names, child, constraints)
        self.possible = [
            name
            for name in self.names
            if name != child and oracle.allowed(name, child, constraints)
        ]
        self.native = _core.ParentSets(
            scorer.native,
            constraints.resolve(self.names, scorer.source.n_states),
            self.names.index(child),
            self.numbers(self.possible if candidates is None else candidates),
            _core.Run(),
        )

    def numbers(self, names):
        return [self.names.index(name) for name in names]

    def members(self, parents):
        places = [self.native.candidates.index(number) for number in self.numbers(parents)]
        return sum(1 << place for place in places)

    @property
    def kept(self):
        """The sets and their scores, as they come."""
        return {
            frozenset(self.names[number] for number in self.native.parents(members)): score
            for members, score in self.native.sets
        }

    def allowed(self, size=None):
        """Every set that the constraints allow and its score."""
        sets = list(
            oracle.allowed_sets(self.names, self.child, self.constraints, self.n_states, size)
        )
        scores = self.scorer.batch((self.child, sorted(parents)) for parents in sets)
        return dict(zip(sets, scores, strict=True))

    def check(self, scores):
        """What holds for the kept sets when these were scored, in whatever order."""
        kept = self.kept
        values = list(kept.values())
        assert len(kept) == len(self.native.sets)
        assert values == sorted(values, reverse=True)
        for parents, score in kept.items():
            assert score == close(scores[parents])
            assert not oracle.dominated(parents, kept, self.adjacent, 1e-10)
        for parents in scores:
            if not oracle.dominated(parents, scores, self.adjacent, APART):
                assert parents in kept

    def covers(self, parents):
        """Whether the set is kept, or one that may stand for it."""
        score = self.scorer.local(self.child, sorted(parents))
        return oracle.dominated(parents, self.kept | {parents: score}, self.adjacent, APART) or (
            parents in self.kept
        )


@st.composite
def cases(draw):
    """A table, with ties or with large sets that are worth keeping, and constraints or none."""
    if draw(st.booleans()):
        table = draw(tables())
    else:
        n, n_rows = draw(st.integers(4, 6)), draw(st.integers(20, 150))
        table = dense_table(draw(st.integers(0, 1000)), n, n_rows, draw(st.integers(2, 3)))
    return table, draw(st.one_of(st.just(NO_CONSTRAINTS), constraints(table.names)))


@given(data=st.data())
@settings(max_examples=100)
def test_all_sets_up_to_a_size_are_kept_but_the_dominated(data):
    table, allowed = data.draw(cases())
    score = data.draw(st.sampled_from(["log-likelihood", "aic", "bic", "k2", "bdeu"]))
    prior = PRIORS[data.draw(st.sampled_from(list(PRIORS)))](table).spec
    scorer = dw.Scorer(table, SCORES[score](table).spec, structure_prior=prior)
    pool = Pool(scorer, data.draw(st.sampled_from(table.names)), allowed)
    pool.check(pool.allowed(size=0))
    sizes = st.lists(st.integers(0, len(table.names)), min_size=1, max_size=2)
    for size in sorted(data.draw(sizes)):
        pool.native.expand_all(size, _core.Run())
        scores = pool.allowed(size)
        pool.check(scores)
        tied = {
            parents
            for parents in pool.kept
            if oracle.dominated(parents, scores, pool.adjacent, 1e-10)
        }
        assert not tied


@given(data=st.data())
@settings(max_examples=100)
def test_sets_in_any_order_are_kept_but_the_dominated(data):
    """Every family is written down when it is scored, by a structure prior that changes nothing."""
    table, allowed = data.draw(cases())
    spec = SCORES[data.draw(st.sampled_from(["aic", "bic", "k2", "bdeu"]))](table).spec
    child = data.draw(st.sampled_from(table.names))
    seen = set()

    def note(of, parents):
        if of == child:
            seen.add(frozenset(parents))
        return 0.0

    noting = dw.Scorer(table, spec, structure_prior=dw.Modular(note))
    pool = Pool(dw.Scorer(table, spec), child, allowed)
    everything = pool.allowed()
    some = data.draw(st.sets(st.sampled_from(pool.possible))) if pool.possible else set()
    candidates = sorted(pool.required | pool.adjacent | some)
    noted = Pool(noting, child, allowed, candidates)
    noted.scorer = pool.scorer  # what the test asks for is not to be noted
    for _ in range(data.draw(st.integers(4, 8))):
        match data.draw(st.sampled_from(["all", "best", "one", "add"])):
            case "all":
                noted.native.expand_all(data.draw(st.integers(0, 3)), _core.Run())
            case "best":
                noted.native.expand_best(data.draw(st.integers(0, 4)), _core.Run())
            case "one":
                parents = data.draw(st.sampled_from(list(noted.kept)))
                members = noted.members(parents)
                noted.native.expand(members, _core.Run())
                for name in pool.possible:
                    if parents | {name} in everything:
                        assert noted.covers(parents | {name})
                assert not noted.native.expand(members, _core.Run())
            case "add":
                parents = data.draw(st.sampled_from(list(everything)))
                noted.native.add(noted.numbers(sorted(parents)), everything[parents])
                seen.add(parents)
                assert noted.covers(parents)
        noted.check({parents: everything[parents] for parents in seen})


@given(data=st.data())
def test_what_is_expanded_best_first_ends_with_no_set_to_expand(data):
    table, allowed = data.draw(cases())
    pool = Pool(dw.Scorer(table, dw.AIC()), table.names[0], allowed)
    everything = pool.allowed()
    pool.native.expand_best(1000, _core.Run())
    for parents in pool.kept:
        for name in pool.possible:
            if parents | {name} in everything:
                assert pool.covers(parents | {name})


def wide(n=70):
    """The first variable is a copy of the last."""
    codes = np.random.default_rng(0).integers(2, size=(200, n))
    codes[:, 0] = codes[:, -1]
    return dw.Table.from_codes(codes, names=[f"x{i}" for i in range(n)])


def test_a_variable_that_gains_becomes_a_candidate_where_there_is_room():
    scorer = dw.Scorer(wide())
    few = [f"x{i}" for i in range(1, 10)]
    pool = Pool(scorer, "x0", candidates=few)
    assert pool.native.expand(0, _core.Run())
    names = [pool.names[number] for number in pool.native.candidates]
    assert names[:9] == few
    assert "x69" in names
    assert next(iter(pool.kept)) == {"x69"}
    for name in names[9:]:
        assert scorer.local("x0", [name]) > scorer.local("x0")


def test_without_room_there_are_no_other_candidates():
    scorer = dw.Scorer(wide())
    first = [f"x{i}" for i in range(1, 65)]
    pool = Pool(scorer, "x0", candidates=first)
    assert pool.native.expand(0, _core.Run())
    pool.native.add(pool.numbers(["x1", "x69"]), scorer.local("x0", ["x1", "x69"]))
    assert pool.native.candidates == pool.numbers(first)
    assert all(parents <= set(first) for parents in pool.kept)
    assert all(pool.covers(frozenset([name])) for name in first)


def test_rounding_does_not_save_a_set_from_a_subset_that_comes_later():
    table = dw.Table({"a": [0, 1] * 9, "b": [0, 1] * 9, "c": [0, 0, 1] * 6})
    scorer = dw.Scorer(table, dw.LogLikelihood())  # c adds nothing to b, and costs nothing
    pool = Pool(scorer, "a")
    pool.native.add(pool.numbers(["b", "c"]), scorer.local("a", ["b", "c"]) + 1e-12)
    assert list(pool.kept) == [{"b", "c"}, set()]
    pool.native.expand_all(1, _core.Run())
    assert list(pool.kept) == [{"b"}, set()]
