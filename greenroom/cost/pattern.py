"""An access pattern: a name, a description, and the operation that is measured."""

from collections.abc import Awaitable, Callable
from typing import TypeAlias

from msgspec import Struct

from greenroom.cost.fixture import Fixture

Act: TypeAlias = Callable[[], Awaitable[object]]
Prepare: TypeAlias = Callable[[Fixture], Awaitable[Act]]
"""Prepares the data, which is not counted, and returns the operation to measure."""


class Pattern(Struct, frozen=True):
    name: str
    words: str
    prepare: Prepare
    times: float = 1
    """How many operations the act performs, or which part of one; the figures are for one."""
    most_read: float | None = None
    most_write: float | None = None
