"""Generates ids: a prefix and 26 characters that sort in creation order.

The body is 48 bits of milliseconds and 80 bits that are random for the first id of a millisecond
and incremented for the next. So ids of one process sort correctly, even if its clock steps back.

Careful: ids are not secrets, and ids of different processes have no reliable order.
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
ScheduledId = NewType("ScheduledId", str)
FileId = NewType("FileId", str)
ManifestId = NewType("ManifestId", str)
GroupId = NewType("GroupId", str)
LegId = NewType("LegId", str)
CardId = NewType("CardId", str)
DocumentId = NewType("DocumentId", str)
TransferId = NewType("TransferId", str)

_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
_AS_LETTERS = (_ALPHABET * 8).encode()
"""For `bytes.translate`: maps 256 byte values evenly to 32 letters."""
_RANDOM_BITS = 80
_RANDOM_LETTERS = 16
_SALT_BYTES = 16
_AT_ONCE = _RANDOM_LETTERS * 256
LAST_MS = 253_402_300_799_999
"""The end of the year 9999, the last time that can be formatted."""


class _Letters:
    """Random letters, sixteen per id. Reads many random bytes at once: the system call costs more
    than the rest."""

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

    def new(self, prefix: str) -> str:
        """For a context's own kind of id: `ids.new("rem_")`."""
        return prefix + self._body()

    def user(self) -> UserId:
        return UserId("usr_" + self._body())

    def thread(self) -> ThreadId:
        return ThreadId("thr_" + self._body())

    def message(self, ms: int) -> MessageId:
        """Contains the time of the message's key, so the key can be found from the id alone."""
        return MessageId(f"msg_{_time(ms)}{self._letters.take()}")

    def request(self) -> RequestId:
        return RequestId("rqt_" + self._body())

    def notice(self, ms: int) -> NoticeId:
        """Contains the time of the notice's key, like a message id."""
        return NoticeId(f"ntc_{_time(ms)}{self._letters.take()}")

    def scheduled(self) -> ScheduledId:
        return ScheduledId("sch_" + self._body())

    def file(self) -> FileId:
        return FileId("fil_" + self._body())

    def manifest(self) -> ManifestId:
        return ManifestId("mnf_" + self._body())

    def group(self) -> GroupId:
        return GroupId("lbg_" + self._body())

    def leg(self) -> LegId:
        return LegId("leg_" + self._body())

    def card(self) -> CardId:
        return CardId("crd_" + self._body())

    def document(self) -> DocumentId:
        return DocumentId("doc_" + self._body())

    def report(self) -> ReportId:
        return ReportId("rpt_" + self._body())

    def salt(self) -> str:
        """For a hash of what could be guessed: 128 random bits in hexadecimal. Unlike an id it is a
        secret."""
        return os.urandom(_SALT_BYTES).hex()


def is_id(text: str, prefix: str) -> bool:
    """Whether the text could be an id with this prefix, such as `usr_`."""
    return text.startswith(prefix) and len(text) == 30 and set(text[4:]) <= set(_ALPHABET)


def time_of(identifier: str) -> int | None:
    """The milliseconds in an id, or None if the text is not a valid id."""
    if identifier[3:4] != "_" or not is_id(identifier, identifier[:4]):
        return None
    ms = _number(identifier[4:14])
    return ms if ms <= LAST_MS else None


@lru_cache(64)
def _time(ms: int) -> str:
    """The ten letters that all ids of this millisecond start with."""
    return _text(ms << _RANDOM_BITS)[:10]


def as_letters(digest: bytes) -> str:
    """The body of an id that is made from a digest of 16 bytes, and has no time."""
    return _text(int.from_bytes(digest, "big"))


def _text(number: int) -> str:
    return "".join([_ALPHABET[(number >> shift) & 31] for shift in range(125, -1, -5)])


def _number(text: str) -> int:
    number = 0
    for character in text:
        number = number << 5 | _ALPHABET.index(character)
    return number
