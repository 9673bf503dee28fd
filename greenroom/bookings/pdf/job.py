"""What the child that draws is given, and what it answers."""

from typing import Any, Final, TypeAlias

import msgspec
from msgspec import Struct

MOST_JOB_BYTES: Final = 120_000
"""Of a job in JSON: the time that a page takes grows with its text."""
MOST_PDF_BYTES: Final = 20_000_000


class _Tagged(Struct, frozen=True, tag=True, tag_field="kind"):
    """JSON that says what it is."""


class Job(Struct, frozen=True, kw_only=True):
    template: str
    page: dict[str, Any]
    issued_ms: int
    fonts: tuple[str, ...]
    """Folders with more fonts than those of typst."""
    memory_bytes: int
    cpu_seconds: int


class Drawn(_Tagged, frozen=True):
    pdf: bytes
    missing: tuple[str, ...]
    """Characters that no font has: their numbers are printed instead."""
    memory_bytes: int
    cpu_seconds: float


class Broken(_Tagged, frozen=True):
    reason: str


Answer: TypeAlias = Drawn | Broken
encode = msgspec.json.Encoder().encode
decode_job = msgspec.json.Decoder(Job).decode
decode_answer = msgspec.json.Decoder(Answer).decode
