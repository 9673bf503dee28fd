"""Ids are a prefix and 26 characters that sort as text in the order in which they were made.

The body is 48 bits of milliseconds and 80 bits that are random for the first id of a millisecond
and counted up from there for the next: one process never makes two that sort the wrong way, even
when its clock steps back. They are names, not secrets, and no order in the product rests on them
across processes.
"""

import os
from collections.abc import Callable
from typing import NewType

from greenroom.clock import Clock

UserId = NewType("UserId", str)
ThreadId = NewType("ThreadId", str)
MessageId = NewType("MessageId", str)
RequestId = NewType("RequestId", str)
ReportId = NewType("ReportId", str)

_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
_RANDOM_BITS = 80
LAST_MS = 253_402_300_799_999
"""The end of the year 9999: no time after it can be written down."""


class _Entropy:
    """The system's, fetched for many ids at a time: asking for it costs more than all the rest."""

    def __init__(self) -> None:
        self._left = b""

    def __call__(self, count: int) -> bytes:
        if len(self._left) < count:
            self._left = os.urandom(max(count, 4000))
        taken, self._left = self._left[:count], self._left[count:]
        return taken


class Ids:
    def __init__(self, clock: Clock, entropy: Callable[[int], bytes] | None = None) -> None:
        self._clock = clock
        self._entropy = entropy or _Entropy()
        self._last = 0

    def _random(self) -> int:
        return int.from_bytes(self._entropy(10), "big")

    def _body(self) -> str:
        fresh = (self._clock.now_ms() << _RANDOM_BITS) | self._random()
        if fresh >> _RANDOM_BITS <= self._last >> _RANDOM_BITS:
            fresh = self._last + 1
        self._last = fresh
        return _text(fresh)

    def user(self) -> UserId:
        return UserId("usr_" + self._body())

    def thread(self) -> ThreadId:
        return ThreadId("thr_" + self._body())

    def message(self, ms: int) -> MessageId:
        """Made from the time in the message's key, so that the id alone leads back to the key."""
        return MessageId("msg_" + _text((ms << _RANDOM_BITS) | self._random()))

    def request(self) -> RequestId:
        return RequestId("rqt_" + self._body())

    def report(self) -> ReportId:
        return ReportId("rpt_" + self._body())


def time_of(identifier: str) -> int | None:
    """The milliseconds an id was made from; None where the text is no id of ours."""
    body = identifier[4:]
    if len(body) != 26 or identifier[3] != "_" or not set(body) <= set(_ALPHABET):
        return None
    ms = 0
    for character in body[:10]:
        ms = ms << 5 | _ALPHABET.index(character)
    return ms if ms <= LAST_MS else None


_PAIRS = [one + other for one in _ALPHABET for other in _ALPHABET]
_SHIFTS = tuple(range(120, -1, -10))


def _text(number: int) -> str:
    """Two characters at a time: ids are made for every message."""
    return "".join([_PAIRS[(number >> shift) & 1023] for shift in _SHIFTS])
