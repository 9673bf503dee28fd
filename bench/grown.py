"""A user with many threads and a thread with many messages, as they would have grown over a year.

The items are made by messaging's own functions and written through the store, in transactions of
100 with many in flight: the layout is the real one, and quick to build. Only the change log is left
out, as it is of what is older than a day. `check` reads what was built through the use cases.
"""

import asyncio
import itertools
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec
from msgspec import Struct

from bench.limitless import messaging_on
from greenroom.clock import SystemClock
from greenroom.ids import Ids, MessageId, ThreadId, UserId
from greenroom.messaging import Messaging, items, rules
from greenroom.messaging.append import said
from greenroom.messaging.history import history
from greenroom.messaging.inbox import inbox
from greenroom.messaging.models import (
    Folder,
    Frame,
    FrameKind,
    Kind,
    Member,
    Role,
    Seat,
    Status,
    Thread,
)
from greenroom.messaging.records import FRESH, MESSAGING, TABLES, activity, shelf_key
from greenroom.messaging.send import Outgoing, claim_op
from greenroom.people.actor import Actor
from greenroom.people.join import join
from greenroom.people.records import TABLES as PEOPLE
from greenroom.safety.records import TABLES as SAFETY
from greenroom.store.base import Put
from greenroom.store.sqlite import SqliteStore
from greenroom.store.values import Item

SECRET = b"benchmark"
FRESH_ROWS = 20
BODY = "A message of the usual length, a hundred and twenty bytes of it. " + "x" * 55
_FILLED = msgspec.structs.replace(MESSAGING, stream=False)
_KINDS = (Kind.INQUIRY, Kind.BOOKING, Kind.DIRECT, Kind.INVITE)
_YEAR_MS = 365 * 86_400_000
_OPS, _IN_FLIGHT = 100, 48


class Grown(Struct, frozen=True):
    """One installation: Ana has many threads, with Ben she has a long one of its own."""

    path: Path
    ana: Actor
    ben: Actor
    threads: tuple[ThreadId, ...]
    long: ThreadId
    messages: int
    middle: MessageId
    """An id that leads to the middle of the long thread."""


async def grow(path: Path, *, threads: int, messages: int) -> Grown:
    tables = (_FILLED, *PEOPLE, *SAFETY)
    clock = SystemClock()
    store = await SqliteStore.open(path, tables, clock=clock, cursor_secret=SECRET)
    async with store:
        people = messaging_on(store, clock, SECRET).people
        ana, ben = [Actor((await join(people, name)).id) for name in ("ana", "ben")]
        ids, now_ms = Ids(clock), clock.now_ms()
        made = [ids.thread() for _ in range(threads)]
        long = ids.thread()
        rows = itertools.chain.from_iterable(
            _thread_items(ids, thread, ana.user, place, threads, now_ms)
            for place, thread in enumerate(made)
        )
        await _write(store, rows)
        await _write(store, _long_items(ids, long, ana.user, ben.user, messages, now_ms))
    middle = ids.message(_when(messages // 2, messages, now_ms))
    return Grown(path, ana, ben, tuple(made), long, messages, middle)


async def opened(grown: Grown) -> SqliteStore:
    tables = (*TABLES, *PEOPLE, *SAFETY)
    return await SqliteStore.open(
        grown.path, tables, clock=SystemClock(), cursor_secret=SECRET, check=False
    )


async def check(messaging: Messaging, grown: Grown) -> None:
    """What was built is what the use cases would have built: pages, counts, seqs and rows."""
    first = await inbox(messaging, grown.ana)
    assert first.counts is not None
    assert first.counts.unread[Folder.ALL] == FRESH_ROWS
    assert first.next is not None
    second = await inbox(messaging, grown.ana, cursor=first.next)
    assert len(first.rows) == len(second.rows) == 20
    assert not {row.thread.id for row in first.rows} & {row.thread.id for row in second.rows}
    for thread in (grown.threads[0], grown.threads[len(grown.threads) // 2], grown.threads[-1]):
        page = await history(messaging, grown.ana, thread)
        assert [frame.seq for frame in page.frames] == [1, 2]
    newest = await history(messaging, grown.ben, grown.long)
    seqs = [frame.seq for frame in newest.frames]
    assert seqs == list(range(grown.messages - 49, grown.messages + 1))
    before = await history(messaging, grown.ben, grown.long, before=newest.frames[0].id)
    assert before.frames[-1].seq == seqs[0] - 1


async def _write(store: SqliteStore, rows: Iterable[Item]) -> None:
    turns = asyncio.Semaphore(_IN_FLIGHT)
    tasks: set[asyncio.Task[None]] = set()

    async def write(batch: list[Item]) -> None:
        try:
            await store.write(*(Put(_FILLED, item) for item in batch))
        finally:
            turns.release()

    rest = iter(rows)
    while batch := list(itertools.islice(rest, _OPS)):
        await turns.acquire()
        task = asyncio.create_task(write(batch))
        tasks.add(task)
        task.add_done_callback(tasks.discard)
    await asyncio.gather(*tasks)


def _thread_items(
    ids: Ids, thread_id: ThreadId, ana: UserId, place: int, threads: int, now_ms: int
) -> Iterator[Item]:
    """A thread of two messages. The last ones are fresh and unread, the others have settled."""
    other = UserId(f"usr_{place % 1000:026d}")
    fresh = place >= threads - FRESH_ROWS
    begun = now_ms - _YEAR_MS + place * (_YEAR_MS // threads)
    head = _head(thread_id, ana, other, _KINDS[place % len(_KINDS)], begun)
    for seq, author in ((1, ana), (2, other)):
        frame = _frame(ids, thread_id, author, seq, begun + seq)
        head = said(head, frame)
        yield items.frame_item(frame)
        yield claim_op(frame, Outgoing(_client_id(seq), BODY)).item
    seats = {
        user: msgspec.structs.replace(seat, fresh_ms=now_ms if fresh else 0)
        for user, seat in head.seats.items()
    }
    head = msgspec.structs.replace(head, seats=seats, changed_ms=now_ms if fresh else head.last_ms)
    for user in (ana, other):
        read = 2 if user == other or not fresh else 0
        yield _member_item(head, user, read, FRESH if fresh else None, now_ms)
    yield items.head_item(head)


def _long_items(
    ids: Ids, thread_id: ThreadId, ana: UserId, ben: UserId, messages: int, now_ms: int
) -> Iterator[Item]:
    """A conversation that is under way: both rows are fresh, everything is read."""
    head = _head(thread_id, ana, ben, Kind.BOOKING, _when(0, messages, now_ms))
    for seq in range(1, messages + 1):
        author = ana if seq % 2 else ben
        frame = _frame(ids, thread_id, author, seq, _when(seq, messages, now_ms))
        yield items.frame_item(frame)
        yield claim_op(frame, Outgoing(_client_id(seq), BODY)).item
        if seq > messages - 2:
            head = said(head, frame)
    seats = {u: msgspec.structs.replace(seat, fresh_ms=now_ms) for u, seat in head.seats.items()}
    head = msgspec.structs.replace(head, seats=seats, changed_ms=now_ms)
    for user in (ana, ben):
        yield _member_item(head, user, messages, FRESH, now_ms)
    yield items.head_item(head)


def _when(seq: int, messages: int, now_ms: int) -> int:
    return now_ms - _YEAR_MS + seq * (_YEAR_MS // (messages + 1))


def _head(thread: ThreadId, ana: UserId, other: UserId, kind: Kind, begun: int) -> Thread:
    return Thread(
        id=thread,
        kind=kind,
        status=Status.OPEN,
        opened_by=ana,
        created_ms=begun,
        seats={ana: Seat(role=Role.BUYER), other: Seat(role=Role.SELLER)},
        gates={},
        pair=(ana, other),
        subject="Portraits in March",
        changed_ms=begun,
    )


def _frame(ids: Ids, thread: ThreadId, author: UserId, seq: int, ms: int) -> Frame:
    return Frame(
        thread=thread,
        id=ids.message(ms),
        seq=seq,
        ms=ms,
        kind=FrameKind.TEXT,
        author=author,
        body=BODY,
    )


def _member_item(head: Thread, user: UserId, read: int, shelf: str | None, now_ms: int) -> Item:
    member = Member(
        thread=head.id,
        user=user,
        role=head.seats[user].role,
        read_seq=read,
        read_ms=head.last_ms,
        delivered_seq=read,
        changed_ms=head.changed_ms,
    )
    folder = shelf or str(rules.folder_of(head, member, now_ms))
    place = activity(now_ms if shelf else head.last_ms, head.id)
    return items.member_item(member, shelf_key(user, folder), place)


def _client_id(number: int) -> str:
    """They rise with time, as a UUID of version 7 does."""
    return f"{number:012x}-7b1e-8c3a-9d2f-7a6b8c9d0e1f"
