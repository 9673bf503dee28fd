"""Returns everything that changed for a user since a cursor, from several named sources.

A cursor has a part for each source: `inbox`, `notices`, … Each source reads what changed since its
part, in pages. If a source's part is too old or missing, `reset` names that source alone, and the
client loads its data again.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import msgspec
from msgspec import UNSET, Struct, UnsetType

from greenroom.api.composition import Contexts
from greenroom.ids import UserId
from greenroom.people.actor import Actor
from greenroom.store.cursors import MAX_SEALED_BYTES, CursorCodec

_VERSION = 1
MAX_SOURCE = 32
"""The longest name of a source."""
_OVERHEAD_BYTES = 32
"""The overhead of a cursor, and of each part of it."""


class Known(Struct, frozen=True):
    """What a resuming client already has, so that it is not sent again."""

    seqs: Mapping[str, int] = {}
    """For each log, the `seq` up to which the client has every entry."""
    sent_live: Mapping[str, int] = {}
    """For each item, the version that was sent on this connection."""


class SourceChanges(Struct, frozen=True, kw_only=True):
    """A page of changes of one source."""

    changes: Struct | None = None
    """The changes in the source's own shape; None if nothing changed."""
    position: bytes
    more: bool = False
    reset: bool = False
    replayed: Mapping[str, int] = {}
    """Items on the page whose events may still arrive, with their versions."""


class SyncSource(Protocol):
    async def changes(
        self, actor: Actor, position: bytes | None, known: Known, room: int
    ) -> SourceChanges:
        """The changes since `position`, which is None for a client without data. The returned
        position has at most `room` bytes."""

    def position_now(self, user: UserId, last: bytes | None, room: int) -> bytes:
        """The position of a client that has everything up to now. `last` is its previous
        position."""


class SyncPart(Struct, frozen=True, kw_only=True):
    """A sync source, as registered by its context."""

    name: str
    shape: type[Struct]
    description: str
    example: Struct
    """An example in the source's shape."""
    source: Callable[[Contexts], SyncSource]
    share: int = 1
    """Its share of the cursor's size, relative to the other sources. One suffices for a time and a
    version."""


class _Cursor(Struct, frozen=True, array_like=True):
    version: int
    round: int
    """0 if no source has more to read; otherwise the index of the next source, plus 1."""
    positions: dict[str, bytes]


class Page(Struct, frozen=True):
    """The result of one call of `Sync.changes`."""

    cursor: str
    more: bool
    reset: tuple[str, ...]
    changes: Mapping[str, Struct]
    replayed: Mapping[str, int]


class Sync:
    def __init__(self, parts: Sequence[SyncPart], contexts: Contexts, cursors: CursorCodec) -> None:
        self._sources = {part.name: part.source(contexts) for part in parts}
        shares = sum(part.share for part in parts) or 1
        room = MAX_SEALED_BYTES - _OVERHEAD_BYTES * (len(parts) + 1)
        self._room = {part.name: room * part.share // shares for part in parts}
        self._cursors = cursors

    def cursor_now(self, user: UserId, last: str | None = None) -> str:
        """The cursor of a client that has everything up to now."""
        known = None if last is None else self._opened(user, last)
        positions = {
            name: source.position_now(
                user, None if known is None else known.positions.get(name), self._room[name]
            )
            for name, source in self._sources.items()
        }
        return self._sealed(user, _Cursor(_VERSION, 0, positions))

    async def changes(self, actor: Actor, cursor: str | None, known: Known) -> Page:
        """The next page. Sources are read in turn, up to the first that has more than one page."""
        opened = None if cursor is None else self._opened(actor.user, cursor)
        positions = {} if opened is None else dict(opened.positions)
        start = 0 if opened is None else max(0, opened.round - 1)
        names = list(self._sources)
        changes: dict[str, Struct] = {}
        replayed: dict[str, int] = {}
        reset = []
        unfinished = 0
        for number, name in enumerate(names[start:], start):
            found = await self._sources[name].changes(
                actor, positions.get(name), known, self._room[name]
            )
            positions[name] = found.position
            replayed |= found.replayed
            if found.changes is not None:
                changes[name] = found.changes
            if found.reset:
                reset.append(name)
            if found.more:
                unfinished = number + 1
                break
        sealed = self._sealed(actor.user, _Cursor(_VERSION, unfinished, positions))
        return Page(sealed, unfinished > 0, tuple(reset), changes, replayed)

    def _opened(self, user: UserId, cursor: str) -> _Cursor | None:
        """None for a cursor of an older format. Raises `InvalidCursor` for one that is not ours."""
        body = self._cursors.unseal_bytes(_scope(user), cursor)
        try:
            found = msgspec.msgpack.decode(body, type=_Cursor)
        except msgspec.MsgspecError:
            return None
        known = {name: one for name, one in found.positions.items() if name in self._sources}
        return _Cursor(found.version, found.round, known) if found.version == _VERSION else None

    def _sealed(self, user: UserId, cursor: _Cursor) -> str:
        return self._cursors.seal_bytes(_scope(user), msgspec.msgpack.encode(cursor))


def changes_shape(parts: Sequence[SyncPart]) -> type[Struct]:
    """The response of `GET /v1/sync`: a field for each source, left out if nothing changed."""
    fields: list[tuple[str, Any, Any]] = [
        (part.name, part.shape | UnsetType, UNSET) for part in parts
    ]
    return msgspec.defstruct(
        "Changes",
        [("cursor", str), ("more", bool), ("reset", list[str]), *fields],
        rename="camel",
        module=__name__,
    )


def rendered(shape: type[Struct], page: Page) -> Struct:
    """The page in the shape of `changes_shape`."""
    return shape(cursor=page.cursor, more=page.more, reset=list(page.reset), **page.changes)


def _scope(user: UserId) -> bytes:
    return f"sync {user}".encode()
