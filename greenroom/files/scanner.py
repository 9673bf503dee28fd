"""The interface of the virus scanner, and what it may say."""

from collections.abc import AsyncIterator, Callable
from typing import Protocol, TypeAlias

from msgspec import Struct

from greenroom.errors import Unavailable


class Clean(Struct, frozen=True):
    pass


class Infected(Struct, frozen=True):
    signature: str
    """The scanner's name of what it found."""


class Unscannable(Struct, frozen=True):
    """The scanner cannot tell. Never the same as clean."""

    reason: str
    """A clause: "the scanner took too long"."""


ScanOutcome: TypeAlias = Clean | Infected | Unscannable

Content: TypeAlias = Callable[[], AsyncIterator[bytes]]
"""Reads a file from its beginning. It is called again if the scanner must read the file again."""


class ScannerUnavailable(Unavailable):
    """The scanner is down, or too busy. The file is scanned later."""


class Scanner(Protocol):
    async def scan(self, content: Content) -> ScanOutcome:
        """Raises `ScannerUnavailable`, and whatever `content` raises."""

    async def version(self) -> str:
        """Raises `ScannerUnavailable`."""
