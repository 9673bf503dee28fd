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


class Ids:
    def __init__(self, clock: Clock, entropy: Callable[[int], bytes] = os.urandom) -> None:
        self._clock = clock
        self._entropy = entropy
        self._last = 0

    def _body(self) -> str:
        fresh = (self._clock.now_ms() << _RANDOM_BITS) | int.from_bytes(self._entropy(10), "big")
        if fresh >> _RANDOM_BITS <= self._last >> _RANDOM_BITS:
            fresh = self._last + 1
        self._last = fresh
        return "".join(_ALPHABET[(fresh >> shift) & 31] for shift in range(125, -1, -5))

    def user(self) -> UserId:
        return UserId("usr_" + self._body())

    def thread(self) -> ThreadId:
        return ThreadId("thr_" + self._body())

    def message(self) -> MessageId:
        return MessageId("msg_" + self._body())

    def request(self) -> RequestId:
        return RequestId("rqt_" + self._body())

    def report(self) -> ReportId:
        return ReportId("rpt_" + self._body())
