"""
The native core of dagwright. Private: use the public names of dagwright.
"""

from collections.abc import Sequence
import enum
from typing import Annotated, overload

import numpy
import numpy.typing
from numpy.typing import NDArray
from typing_extensions import CapsuleType

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
    def take_codes(self) -> numpy.typing.NDArray[numpy.uint8 | numpy.uint16]: ...
    def take_floats(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...
    def take_wholes(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...
    def take_missing(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...

def encode_stream(
    stream: CapsuleType, gathered: Sequence[str]
) -> tuple[int, list[EncodedVariable]]:
    """Number of rows, and the encoded variables of an Arrow stream."""

@overload
def recode(
    codes: numpy.typing.NDArray[numpy.uint8], new_code: Sequence[int], n_states: int
) -> numpy.typing.NDArray[numpy.uint8 | numpy.uint16]:
    """new_code[codes], in the width that n_states asks for."""

@overload
def recode(
    codes: numpy.typing.NDArray[numpy.uint16], new_code: Sequence[int], n_states: int
) -> numpy.typing.NDArray[numpy.uint8 | numpy.uint16]: ...
