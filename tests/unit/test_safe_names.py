import pytest
from hypothesis import given
from hypothesis import strategies as st

from dagwright.errors import DataError
from dagwright.io.safe_names import IDENTIFIER, decoded, encoded, kept_names, safe_names

any_text = st.text(st.characters(codec=None))  # half characters, too


@given(any_text)
def test_what_is_encoded_is_plain_and_comes_back(text):
    code = encoded(text)
    assert code.isascii()
    assert not set(code) & set(" \n\t;\"'<>&%{}()")
    assert code
    assert decoded(code) == text
    assert kept_names(f" dagwright_name = {code} ") == {"true_name": code}


@given(
    st.lists(any_text | st.sampled_from(["a_b", "a b", "a-b", "node", "NODE", "1"]), unique=True)
)
def test_safe_names_are_different_identifiers_and_no_keywords(names):
    safe = safe_names(names, keywords=["node", "x", "xnode"])
    assert list(safe) == names
    assert len(set(safe.values())) == len(names)
    for name, new in safe.items():
        assert IDENTIFIER.fullmatch(new)
        assert new.lower() not in ("node", "x", "xnode")
        if IDENTIFIER.fullmatch(name) and name.lower() not in ("node", "x", "xnode"):
            assert new == name


def test_many_collisions_are_quick():
    names = [chr(0x4E00 + number) for number in range(20_000)]
    assert len(set(safe_names(names).values())) == 20_000


@pytest.mark.parametrize("text", ["", "~", "~~~", "a b", "~g~", "~110000~", "~ffffff~", "é", "~20"])
def test_what_was_never_encoded_is_refused(text):
    with pytest.raises(DataError, match="no encoded"):
        decoded(text)
