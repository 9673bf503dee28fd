"""What a sync cursor remembers of recently delivered threads, so that none comes twice.

Reading begins a while before the cursor's time, since a write may become visible late. For each
thread that changed within that while the cursor keeps the head's version, the last seq, and a
digest of everything that the user was shown. Careful: a digest must cover nothing that the user may
not know, or the answer would reveal it.
"""

from hashlib import blake2b

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from greenroom.ids import ThreadId
from greenroom.messaging import rules
from greenroom.messaging.access import ThreadView
from greenroom.messaging.models import Gate, GateStatus, Member, Thread

MOST = 100
"""How many threads a cursor remembers. If more change within a minute, some come twice."""
_NAME_BYTES = 6
_DIGEST_BYTES = 6


class KnownThread(Struct, frozen=True, array_like=True):
    version: int
    """Of the head; 0 where the client was told that the thread is gone."""
    seq: int
    digest: bytes
    partial: bool = False
    """A request to return was delivered, without the history before it."""


GONE = KnownThread(0, 0, b"")
_KNOWN_TO_SENDER = (GateStatus.EXPIRED, GateStatus.WITHDRAWN)
"""The ends of a request that its sender learns of while it has a gate."""


class KnownThreads:
    """Keyed by a short digest of the thread's id."""

    def __init__(self, known_thread: dict[bytes, KnownThread] | None = None) -> None:
        self._given = known_thread or {}

    @classmethod
    def decoded(cls, raw: bytes) -> "KnownThreads":
        return cls(msgspec.msgpack.decode(raw, type=dict[bytes, KnownThread]) if raw else None)

    def encoded(self, most_bytes: int, without: "KnownThreads | None" = None) -> bytes:
        """The latest ones that fit, except those in `without`."""
        others = {} if without is None else without._given
        latest = [one for one in self._given.items() if one[0] not in others][-MOST:]
        raw = msgspec.msgpack.encode(dict(latest))
        while latest and len(raw) > most_bytes:
            latest = latest[len(latest) // 8 + 1 :]
            raw = msgspec.msgpack.encode(dict(latest))
        return raw if latest else b""

    def joined(self, other: "KnownThreads") -> "KnownThreads":
        """Merged; `other` is the later one and wins."""
        return KnownThreads(self._given | other._given)

    def get(self, thread: ThreadId) -> KnownThread | None:
        return self._given.get(_name(thread))

    def keep(self, thread: ThreadId, known_thread: KnownThread) -> None:
        self._given.pop(_name(thread), None)
        self._given[_name(thread)] = known_thread


def known_thread(view: ThreadView, members: tuple[Member, ...]) -> KnownThread:
    gate = view.thread.gates.get(view.mine.user)
    partial = gate is not None and gate.away is not None
    return KnownThread(view.thread.version, view.thread.last_seq, _digest(view, members), partial)


def _name(thread: ThreadId) -> bytes:
    return blake2b(thread.encode(), digest_size=_NAME_BYTES).digest()


def _digest(view: ThreadView, members: tuple[Member, ...]) -> bytes:
    others = [replace(member, changed_ms=0) for member in members if member.user != view.mine.user]
    shown = (_shown(view), view.mine, sorted(others, key=lambda member: member.user))
    encoded = msgspec.msgpack.encode(shown, order="deterministic")
    return blake2b(encoded, digest_size=_DIGEST_BYTES).digest()


def _as_others_see(gate: Gate, view: ThreadView) -> Gate:
    is_known = gate.status in _KNOWN_TO_SENDER and gate.sender == view.mine.user
    status = gate.status if is_known else GateStatus.PENDING
    return replace(gate, status=status, shown_ms=0, shown_by=None, preview="", preview_event="")


def _shown(view: ThreadView) -> Thread:
    """The head without internal fields, and without what a sender may not know."""
    user, members = view.mine.user, rules.shown_members(view.thread)
    members = {
        other: replace(
            member, row_active_ms=0, draft=False, missed=member.missed if other == user else ()
        )
        for other, member in members.items()
    }
    gates = {
        other: _as_others_see(gate, view) for other, gate in rules.known_gates(view.thread).items()
    }
    if user in view.thread.gates:
        gates[user] = view.thread.gates[user]
    return replace(
        view.thread,
        members=members,
        gates=gates,
        changed_ms=0,
        version=0,
    )
