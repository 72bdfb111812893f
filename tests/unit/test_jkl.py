"""Local scores in .jkl files: written, read, solved, and refused with the line."""

import pytest

import dagwright as dw

GIVEN = """3
a 2
-10.5 0
-7.25 1 b
b 2
-11 0
-8 2 a c
c 1
-3 0
"""


def written(tmp_path, text):
    path = tmp_path / "scores.jkl"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_file_is_read_and_solved(tmp_path):
    sets = dw.ParentSets.load(written(tmp_path, GIVEN))
    assert sets.names == ("a", "b", "c")
    assert sets["b"] == {("a", "c"): -8.0, (): -11.0}
    assert sets.complete
    assert sets.bound == -7.25 - 8 - 3
    for search in dw.ExactDP(), dw.ExactILP(), None:
        result = dw.learn(sets, search=search)
        assert result.optimal
        assert result.score == -7.25 - 11 - 3
        assert result.dag.edges == (("b", "a"),)
        again = dw.Result.from_dict(result.to_dict())
        assert again == result
        with pytest.raises(dw.DataError, match="does not have its data"):
            result.fit()


def test_sets_that_a_subset_matches_are_left_out(tmp_path):
    sets = dw.ParentSets.load(written(tmp_path, GIVEN.replace("-7.25", "-10.5")))
    assert sets["a"] == {(): -10.5}


def test_what_is_written_is_read_again(tmp_path):
    rows = dw.networks.load("child").sample(300, seed=4)
    sets = dw.parent_sets(rows, score=dw.BDeu(1), constraints=dw.Constraints(max_parents=3))
    path = tmp_path / "child.jkl"
    sets.save(path)
    again = dw.ParentSets.load(path)
    assert again.names == sets.names
    for name in sets.names:
        assert again[name] == sets[name]
    scorer = dw.Scorer(rows, dw.BDeu(1))
    exact = dw.learn(again)
    assert exact.optimal
    assert exact.score == pytest.approx(scorer.score(exact.dag), abs=1e-8)


@pytest.mark.parametrize("damage", ["left out", "twice", "a word more", "a word less"])
@pytest.mark.parametrize("place", range(len(GIVEN.splitlines())))
def test_each_damage_is_refused_with_its_line(tmp_path, place, damage):
    lines = GIVEN.splitlines()
    lines[place : place + 1] = {
        "left out": [],
        "twice": [lines[place], lines[place]],
        "a word more": [lines[place] + " b"],
        "a word less": [" ".join(lines[place].split()[:-1])],
    }[damage]
    with pytest.raises(dw.DataError, match=r"scores\.jkl.* line \d"):
        dw.ParentSets.load(written(tmp_path, "\n".join(lines)))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "ends after line 0"),
        ("two\n", "line 1: the number of variables must be a whole number, not 'two'"),
        ("1\na\n", "line 2: a name and a number of parent sets should be here"),
        ("1\na 2\n-1 0\n", "ends after line 3"),
        ("1\na 1\n-1 1\n", "line 3: 1 parents are announced, 0 follow"),
        ("1\na 1\n-1 1 b\n", "line 3: 'b' is a parent, but no variable"),
        ("1\na 1\n-1 1 a\n", "line 3: the parents of 'a' must be distinct, and others"),
        ("1\na 1\nnan 0\n", "line 3: a score must be a number .* not 'nan'"),
        ("1\na 1\n1e305 0\n", "from -1e300 to 1e300, not '1e305'"),
        ("1\na 1\n1_0 0\n", "not '1_0'"),
        ("1\na 2\n-1 0\n-2 0\n", "line 4: this parent set of 'a' is there twice"),
        ("2\na 1\n-1 0\na 1\n-1 0\n", "line 4: the variable 'a' is there twice"),
        ("1\na 1\n-1 0\nb 1\n", "line 4: nothing more was announced"),
        ("0\n", "there are no variables"),
        ("1\na 0\n", "'a' has no parent set"),
    ],
)
def test_broken_files(tmp_path, text, message):
    with pytest.raises(dw.DataError, match=message):
        dw.ParentSets.load(written(tmp_path, text))


def test_what_the_format_cannot_say_is_refused(tmp_path):
    rows = dw.Table({"low risk": ["n", "y"] * 9, "b": ["n", "y"] * 9})
    with pytest.raises(dw.DataError, match="'low risk' has a space"):
        dw.parent_sets(rows).save(tmp_path / "x.jkl")
    rows = dw.networks.load("cancer").sample(50, seed=1)
    some = dw.parent_sets(rows, time_limit=0)
    with pytest.raises(dw.DataError, match="not all parent sets were found .time limit"):
        some.save(tmp_path / "x.jkl")
    pair = dw.Constraints(adjacent=[rows.names[:2]])
    with pytest.raises(dw.DataError, match="must be connected"):
        dw.parent_sets(rows, constraints=pair).save(tmp_path / "x.jkl")
    assert not list(tmp_path.iterdir())


def test_what_belongs_to_data_is_refused_for_sets(tmp_path):
    sets = dw.ParentSets.load(written(tmp_path, GIVEN))
    with pytest.raises(dw.SpecError, match="leave out score"):
        dw.learn(sets, score=dw.BIC())
    with pytest.raises(dw.SpecError, match="leave out constraints"):
        dw.learn(sets, constraints=dw.Constraints(max_parents=1))
    with pytest.raises(dw.SpecError, match=r"ExactDP\(\) or ExactILP\(\)"):
        dw.learn(sets, search=dw.HillClimb())
