"""What an access pattern is: a name, words, and how to come to the one act that is measured."""

from collections.abc import Awaitable, Callable
from typing import TypeAlias

from msgspec import Struct

from greenroom.cost.fixture import Fixture

Act: TypeAlias = Callable[[], Awaitable[object]]
Prepare: TypeAlias = Callable[[Fixture], Awaitable[Act]]
"""Sets the stage, which costs nothing, and gives what is to be measured."""


class Pattern(Struct, frozen=True):
    name: str
    words: str
    prepare: Prepare
    times: int = 1
    """How many of them the act is; the figures are for one."""
    most_read: float | None = None
    most_write: float | None = None
