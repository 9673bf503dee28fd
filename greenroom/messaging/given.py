"""What a sync cursor remembers of the threads that it has given lately, so that none comes twice.

Reading begins a while before the cursor's time, since a write may be seen late. Of each thread that
changed within that while the cursor keeps the head's version, the last seq, and a digest of all
that the user was shown. Careful: a digest covers nothing that the user may not know, or a sync
would tell by its answer that something secret has happened.
"""

from hashlib import blake2b

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from greenroom.ids import ThreadId
from greenroom.messaging import rules
from greenroom.messaging.access import Side
from greenroom.messaging.models import Gate, GateStatus, Member, Thread

MOST = 100
"""So a cursor stays below 4,096 characters. Of more threads within a minute, some come twice."""
_NAME_BYTES = 6
_DIGEST_BYTES = 6


class Given(Struct, frozen=True, array_like=True):
    version: int
    """Of the head; 0 where the thread was said to be gone."""
    seq: int
    digest: bytes
    partial: bool = False
    """A request to come back was given, without the history before it."""


GONE = Given(0, 0, b"")


class Memory:
    """Threads by a short digest of their id."""

    def __init__(self, given: dict[bytes, Given] | None = None) -> None:
        self._given = given or {}

    @classmethod
    def decoded(cls, raw: bytes) -> "Memory":
        return cls(msgspec.msgpack.decode(raw, type=dict[bytes, Given]) if raw else None)

    def encoded(self) -> bytes:
        latest = dict(list(self._given.items())[-MOST:])
        return msgspec.msgpack.encode(latest) if latest else b""

    def get(self, thread: ThreadId) -> Given | None:
        return self._given.get(_name(thread))

    def keep(self, thread: ThreadId, given: Given) -> None:
        self._given.pop(_name(thread), None)
        self._given[_name(thread)] = given


def given(side: Side, members: tuple[Member, ...]) -> Given:
    gate = side.thread.gates.get(side.mine.user)
    partial = gate is not None and gate.away is not None
    return Given(side.thread.version, side.thread.last_seq, _digest(side, members), partial)


def _name(thread: ThreadId) -> bytes:
    return blake2b(thread.encode(), digest_size=_NAME_BYTES).digest()


def _digest(side: Side, members: tuple[Member, ...]) -> bytes:
    others = [replace(member, changed_ms=0) for member in members if member.user != side.mine.user]
    shown = (_shown(side), side.mine, sorted(others, key=lambda member: member.user))
    encoded = msgspec.msgpack.encode(shown, order="deterministic")
    return blake2b(encoded, digest_size=_DIGEST_BYTES).digest()


def _as_others_see(gate: Gate, side: Side) -> Gate:
    withdrawn = gate.status is GateStatus.WITHDRAWN and gate.sender == side.mine.user
    status = gate.status if withdrawn else GateStatus.PENDING
    return replace(gate, status=status, shown_ms=0, shown_by=None, preview="", preview_event="")


def _shown(side: Side) -> Thread:
    """The head without what only the server looks at, and without what a sender may not know."""
    user, seats = side.mine.user, rules.shown_seats(side.thread)
    seats = {
        other: replace(seat, fresh_ms=0, draft=False, missed=seat.missed if other == user else ())
        for other, seat in seats.items()
    }
    gates = {
        other: _as_others_see(gate, side) for other, gate in rules.known_gates(side.thread).items()
    }
    if user in side.thread.gates:
        gates[user] = side.thread.gates[user]
    return replace(
        side.thread,
        seats=seats,
        gates=gates,
        changed_ms=0,
        version=0,
    )
