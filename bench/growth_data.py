"""Builds a user with many threads and a thread with many messages, as after a year of use.

The items are made by messaging's own functions and written through the store, in transactions of
100 with many in flight: the real layout, built quickly. Only the change log is left out, because it
keeps one day. `check` reads the result through the use cases.
"""

import asyncio
import itertools
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec
from msgspec import Struct

from bench.unlimited import messaging_on
from greenroom.clock import SystemClock
from greenroom.ids import Ids, MessageId, ThreadId, UserId
from greenroom.messaging import Messaging, items, rules
from greenroom.messaging.claims import claim_op
from greenroom.messaging.history import history
from greenroom.messaging.inbox import inbox
from greenroom.messaging.models import (
    Folder,
    Kind,
    Member,
    MemberSummary,
    Message,
    MessageKind,
    Role,
    Status,
    Thread,
)
from greenroom.messaging.new_message import with_message
from greenroom.messaging.outgoing import Outgoing
from greenroom.messaging.records import ACTIVE, MESSAGING, TABLES, activity, inbox_key
from greenroom.people.actor import Actor
from greenroom.people.join import join
from greenroom.people.records import TABLES as PEOPLE
from greenroom.safety.records import TABLES as SAFETY
from greenroom.store.base import Put
from greenroom.store.ephemeral import EPHEMERAL
from greenroom.store.sqlite import SqliteStore
from greenroom.store.values import Item

SECRET = b"benchmark"
FRESH_ROWS = 20
BODY = "A message of the usual length, a hundred and twenty bytes of it. " + "x" * 55
_FILLED = msgspec.structs.replace(MESSAGING, stream=False)
_KINDS = (Kind.INQUIRY, Kind.BOOKING, Kind.DIRECT, Kind.INVITE)
_YEAR_MS = 365 * 86_400_000
_OPS, _IN_FLIGHT = 100, 48


class Dataset(Struct, frozen=True):
    """One installation: Ana has many threads, and one long thread with Ben."""

    path: Path
    ana: Actor
    ben: Actor
    threads: tuple[ThreadId, ...]
    long: ThreadId
    messages: int
    middle: MessageId
    """The id of a message in the middle of the long thread."""


async def build_dataset(path: Path, *, threads: int, messages: int) -> Dataset:
    tables = (_FILLED, *PEOPLE, *SAFETY, EPHEMERAL)
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
    return Dataset(path, ana, ben, tuple(made), long, messages, middle)


async def opened(dataset: Dataset) -> SqliteStore:
    tables = (*TABLES, *PEOPLE, *SAFETY, EPHEMERAL)
    return await SqliteStore.open(
        dataset.path, tables, clock=SystemClock(), cursor_secret=SECRET, check=False
    )


async def check(messaging: Messaging, dataset: Dataset) -> None:
    """Checks that the use cases find what they would have built: pages, counts, seqs and rows."""
    first = await inbox(messaging, dataset.ana)
    assert first.counts is not None
    assert first.counts.unread[Folder.ALL] == FRESH_ROWS
    assert first.next is not None
    second = await inbox(messaging, dataset.ana, cursor=first.next)
    assert len(first.rows) == len(second.rows) == 20
    assert not {row.thread.id for row in first.rows} & {row.thread.id for row in second.rows}
    for thread in (
        dataset.threads[0],
        dataset.threads[len(dataset.threads) // 2],
        dataset.threads[-1],
    ):
        page = await history(messaging, dataset.ana, thread)
        assert [message.seq for message in page.messages] == [1, 2]
    newest = await history(messaging, dataset.ben, dataset.long)
    seqs = [message.seq for message in newest.messages]
    assert seqs == list(range(dataset.messages - 49, dataset.messages + 1))
    before = await history(messaging, dataset.ben, dataset.long, before=newest.messages[0].id)
    assert before.messages[-1].seq == seqs[0] - 1


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
    """A thread of two messages. The last threads are active and unread, the others inactive."""
    other = UserId(f"usr_{place % 1000:026d}")
    fresh = place >= threads - FRESH_ROWS
    begun = now_ms - _YEAR_MS + place * (_YEAR_MS // threads)
    head = _head(thread_id, ana, other, _KINDS[place % len(_KINDS)], begun)
    for seq, author in ((1, ana), (2, other)):
        message = _message(ids, thread_id, author, seq, begun + seq)
        head = with_message(head, message)
        yield items.message_item(message)
        yield claim_op(message, Outgoing(_client_id(seq), BODY)).item
    members = {
        user: msgspec.structs.replace(seat, row_active_ms=now_ms if fresh else 0)
        for user, seat in head.members.items()
    }
    head = msgspec.structs.replace(
        head, members=members, changed_ms=now_ms if fresh else head.last_ms
    )
    for user in (ana, other):
        read = 2 if user == other or not fresh else 0
        yield _member_item(head, user, read, ACTIVE if fresh else None, now_ms)
    yield items.head_item(head)


def _long_items(
    ids: Ids, thread_id: ThreadId, ana: UserId, ben: UserId, messages: int, now_ms: int
) -> Iterator[Item]:
    """An active thread: both rows are active, everything is read."""
    head = _head(thread_id, ana, ben, Kind.BOOKING, _when(0, messages, now_ms))
    for seq in range(1, messages + 1):
        author = ana if seq % 2 else ben
        message = _message(ids, thread_id, author, seq, _when(seq, messages, now_ms))
        yield items.message_item(message)
        yield claim_op(message, Outgoing(_client_id(seq), BODY)).item
        if seq > messages - 2:
            head = with_message(head, message)
    members = {
        u: msgspec.structs.replace(seat, row_active_ms=now_ms) for u, seat in head.members.items()
    }
    head = msgspec.structs.replace(head, members=members, changed_ms=now_ms)
    for user in (ana, ben):
        yield _member_item(head, user, messages, ACTIVE, now_ms)
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
        members={ana: MemberSummary(role=Role.BUYER), other: MemberSummary(role=Role.SELLER)},
        gates={},
        pair=(ana, other),
        subject="Portraits in March",
        changed_ms=begun,
    )


def _message(ids: Ids, thread: ThreadId, author: UserId, seq: int, ms: int) -> Message:
    return Message(
        thread=thread,
        id=ids.message(ms),
        seq=seq,
        ms=ms,
        kind=MessageKind.TEXT,
        author=author,
        body=BODY,
    )


def _member_item(
    head: Thread, user: UserId, read: int, active_index: str | None, now_ms: int
) -> Item:
    member = Member(
        thread=head.id,
        user=user,
        role=head.members[user].role,
        read_seq=read,
        read_ms=head.last_ms,
        delivered_seq=read,
        changed_ms=head.changed_ms,
    )
    folder = active_index or str(rules.folder_of(head, member, now_ms))
    place = activity(now_ms if active_index else head.last_ms, head.id)
    return items.member_item(member, inbox_key(user, folder), place)


def _client_id(number: int) -> str:
    """Increase with time, as UUIDs of version 7 do."""
    return f"{number:012x}-7b1e-8c3a-9d2f-7a6b8c9d0e1f"
