"""How long to wait before another try, and which errors say nothing about the work itself."""

import random

from greenroom.store.problems import (
    Conflict,
    OutcomeUnknown,
    StoreFailing,
    StoreFull,
    StoreUnavailable,
    Throttled,
)

STORE_TROUBLE = (Conflict, OutcomeUnknown, StoreFailing, StoreFull, StoreUnavailable, Throttled)
"""Temporary failures of the store: they do not count as a try."""


def is_outage(error: BaseException) -> bool:
    """Whether something that the work needs cannot be reached. A follower waits for it, however
    long it takes: it sets nothing aside for that."""
    return isinstance(error, (*STORE_TROUBLE, OSError))


def backoff_ms(tries: int, *, first_ms: int, longest_ms: int, chance: random.Random) -> int:
    """Doubles with each try; up to a quarter of it is left to chance, so that what failed together
    does not come back together."""
    pause = min(longest_ms, first_ms << min(tries - 1, 40))
    return pause - int(chance.random() * pause / 4)


def describe(error: BaseException) -> str:
    text = str(error)
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
