"""The cursor over all sync sources: one part each, sealed for its user, reset source by source."""

from base64 import urlsafe_b64decode

import msgspec
import pytest

from greenroom.api.composition import Contexts
from greenroom.api.sync import Known, Page, SourceChanges, Sync, SyncPart
from greenroom.ids import UserId
from greenroom.people.actor import Actor
from greenroom.store.cursors import MAX_CURSOR, MAX_SEALED_BYTES, CursorCodec
from greenroom.store.problems import InvalidCursor

ANA, BEN = Actor(UserId("usr_ana")), Actor(UserId("usr_ben"))
CODEC = CursorCodec(b"a secret of thirty-two bytes, at least")


class Shape(msgspec.Struct):
    entries: list[int]


class Log:
    """A source: numbered entries, three in a page."""

    def __init__(self, filler: int = 0) -> None:
        self.entries = 0
        self.oldest = 0
        self._filler = filler

    async def changes(
        self, actor: Actor, position: bytes | None, known: Known, room: int
    ) -> SourceChanges:
        at = None if position is None else int(position.split(b".")[0])
        if at is None or at < self.oldest:
            return SourceChanges(position=self._position(self.entries, room), reset=True)
        upto = min(at + 3, self.entries)
        return SourceChanges(
            changes=Shape(list(range(at, upto))) if upto > at else None,
            position=self._position(upto, room),
            more=upto < self.entries,
        )

    def position_now(self, user: UserId, last: bytes | None, room: int) -> bytes:
        return self._position(self.entries, room)

    def _position(self, at: int, room: int) -> bytes:
        return (b"%d." % at).ljust(min(self._filler, room), b"x")


def sync_of(**sources: Log) -> Sync:
    parts = [
        SyncPart(
            name=name,
            shape=Shape,
            description="Entries.",
            example=Shape([1]),
            source=lambda _, source=source: source,  # type: ignore[misc]
            share=2 if name == "first" else 1,
        )
        for name, source in sources.items()
    ]
    return Sync(parts, Contexts(), CODEC)


async def all_pages(sync: Sync, cursor: str | None) -> list[Page]:
    pages = [await sync.changes(ANA, cursor, Known())]
    while pages[-1].more:
        pages.append(await sync.changes(ANA, pages[-1].cursor, Known()))
    return pages


def given(pages: list[Page], name: str) -> list[int]:
    found = [page.changes[name] for page in pages if name in page.changes]
    return [entry for one in found for entry in msgspec.structs.asdict(one)["entries"]]


async def test_every_source_gives_everything_once_in_order() -> None:
    first, second = Log(), Log()
    sync = sync_of(first=first, second=second)
    (start,) = await all_pages(sync, None)
    assert set(start.reset) == {"first", "second"}
    first.entries, second.entries = 7, 5
    pages = await all_pages(sync, start.cursor)
    assert (given(pages, "first"), given(pages, "second")) == (list(range(7)), list(range(5)))
    assert [page.reset for page in pages] == [()] * len(pages)
    second.entries = 6
    pages = await all_pages(sync, pages[-1].cursor)
    assert (given(pages, "first"), given(pages, "second")) == ([], [5])


async def test_a_source_resets_alone() -> None:
    first, second = Log(), Log()
    sync = sync_of(first=first, second=second)
    cursor = sync.cursor_now(ANA.user)
    first.entries = second.entries = 2
    first.oldest = 1
    pages = await all_pages(sync, cursor)
    assert [name for page in pages for name in page.reset] == ["first"]
    assert given(pages, "second") == [0, 1]


async def test_a_source_that_the_cursor_does_not_know_resets_alone() -> None:
    first, second = Log(), Log()
    cursor = sync_of(first=first).cursor_now(ANA.user)
    first.entries = 1
    pages = await all_pages(sync_of(first=first, second=second), cursor)
    assert [name for page in pages for name in page.reset] == ["second"]
    assert given(pages, "first") == [0]


async def test_a_source_that_is_gone_is_ignored() -> None:
    first, second = Log(), Log()
    cursor = sync_of(first=first, second=second).cursor_now(ANA.user)
    first.entries = 1
    pages = await all_pages(sync_of(first=first), cursor)
    assert given(pages, "first") == [0]


@pytest.mark.parametrize(
    "body", [b"", b"nonsense", msgspec.msgpack.encode([1, 2]), msgspec.msgpack.encode([0, 0, {}])]
)
async def test_a_cursor_of_an_older_format_resets_all_sources(body: bytes) -> None:
    sync = sync_of(first=Log(), second=Log())
    old = CODEC.seal_bytes(b"sync usr_ana", body)
    (page,) = await all_pages(sync, old)
    assert set(page.reset) == {"first", "second"}
    assert sync.cursor_now(ANA.user, old)


async def test_a_cursor_is_for_its_user_alone_and_cannot_be_altered() -> None:
    sync = sync_of(first=Log())
    cursor = sync.cursor_now(ANA.user)
    with pytest.raises(InvalidCursor):
        await sync.changes(BEN, cursor, Known())
    for altered in (cursor[:-2] + "AA", "x" + cursor, "", "é"):
        with pytest.raises(InvalidCursor):
            await sync.changes(ANA, altered, Known())


async def test_a_cursor_does_not_show_its_positions() -> None:
    source = Log()
    source.entries = 123456
    cursor = sync_of(first=source).cursor_now(ANA.user)
    assert b"123456" not in urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))


async def test_a_full_cursor_is_one_that_the_server_accepts() -> None:
    sources = {name: Log(filler=MAX_SEALED_BYTES) for name in ("first", "second", "third")}
    sync = sync_of(**sources)
    cursor = sync.cursor_now(ANA.user)
    assert 0.9 * MAX_CURSOR < len(cursor) <= MAX_CURSOR
    (page,) = await all_pages(sync, cursor)
    assert page.reset == ()
