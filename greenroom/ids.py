"""Ids are a prefix and 26 characters that sort as text in the order in which they were made.

The body is 48 bits of milliseconds and 80 bits that are random for the first id of a millisecond
and counted up from there for the next: one process never makes two that sort the wrong way, even
when its clock steps back. They are names, not secrets, and no order in the product rests on them
across processes.
"""

import os
from functools import lru_cache
from typing import NewType

from greenroom.clock import Clock

UserId = NewType("UserId", str)
ThreadId = NewType("ThreadId", str)
MessageId = NewType("MessageId", str)
RequestId = NewType("RequestId", str)
ReportId = NewType("ReportId", str)
NoticeId = NewType("NoticeId", str)

_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
_AS_LETTERS = (_ALPHABET * 8).encode()
"""For `bytes.translate`: each of the 32 for as many of the 256 bytes."""
_RANDOM_BITS = 80
_RANDOM_LETTERS = 16
_AT_ONCE = _RANDOM_LETTERS * 256
LAST_MS = 253_402_300_799_999
"""The end of the year 9999: no time after it can be written down."""


class _Letters:
    """Random ones, sixteen for an id. The system is asked for many at a time: asking costs more
    than all the rest."""

    def __init__(self) -> None:
        self._made = ""
        self._at = 0

    def take(self) -> str:
        if self._at == len(self._made):
            self._made, self._at = os.urandom(_AT_ONCE).translate(_AS_LETTERS).decode(), 0
        self._at += _RANDOM_LETTERS
        return self._made[self._at - _RANDOM_LETTERS : self._at]


class Ids:
    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._letters = _Letters()
        self._last = 0

    def _body(self) -> str:
        fresh = (self._clock.now_ms() << _RANDOM_BITS) | _number(self._letters.take())
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
        return MessageId(f"msg_{_time(ms)}{self._letters.take()}")

    def request(self) -> RequestId:
        return RequestId("rqt_" + self._body())

    def notice(self, ms: int) -> NoticeId:
        """Made from the time in the notice's key, as a message's is."""
        return NoticeId(f"ntc_{_time(ms)}{self._letters.take()}")

    def report(self) -> ReportId:
        return ReportId("rpt_" + self._body())


def time_of(identifier: str) -> int | None:
    """The milliseconds an id was made from; None where the text is no id of ours."""
    body = identifier[4:]
    if len(body) != 26 or identifier[3] != "_" or not set(body) <= set(_ALPHABET):
        return None
    ms = _number(body[:10])
    return ms if ms <= LAST_MS else None


@lru_cache(64)
def _time(ms: int) -> str:
    """The ten letters that all ids of a millisecond begin with."""
    return _text(ms << _RANDOM_BITS)[:10]


def _text(number: int) -> str:
    return "".join([_ALPHABET[(number >> shift) & 31] for shift in range(125, -1, -5)])


def _number(text: str) -> int:
    number = 0
    for character in text:
        number = number << 5 | _ALPHABET.index(character)
    return number
