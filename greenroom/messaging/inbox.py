"""The inbox: rows of a folder, pins on top, exact unread, and the counts of all folders.

Rows that have settled are where their folder is and as they were; rows on the two shelves where
things stir (fresh, requests) are judged by the head of their thread, by the same rule as the badge.
Everything unread is on those shelves, so the counts need no others. Reads: one query a shelf, and
one batch for the heads.
"""

import asyncio
from functools import partial

from msgspec import Struct

from greenroom.ids import ThreadId, UserId
from greenroom.messaging import items, rules, settle
from greenroom.messaging.context import Messaging
from greenroom.messaging.models import Folder, Member, Thread
from greenroom.messaging.records import (
    ACTIVITY,
    FRESH,
    INBOX,
    MESSAGING,
    activity,
    head_key,
    shelf_key,
)
from greenroom.messaging.rules import Standing
from greenroom.people.actor import Actor
from greenroom.store.expressions import Bound, SortRange
from greenroom.store.limits import MAX_BATCH
from greenroom.store.values import Item

PAGE = 20
MAX_PAGE = 50
MOST_STIRRING = 300
"""How many rows of a shelf where things stir are looked at; beyond that the counts say `more`."""

_SETTLED = (Folder.ACTION, Folder.BOOKINGS, Folder.OFFERS, Folder.OTHER)
_STIRRING = (FRESH, Folder.REQUESTS.value)
_SETTLE_AT_ONCE = 10


class Row(Struct, frozen=True):
    thread: Thread
    mine: Member
    standing: Standing
    rank: str
    """Rows are shown from the highest down."""


class Counts(Struct, frozen=True):
    unread: dict[Folder, int]
    badge: int
    more: bool
    """More stirs than was looked at: the counts are at least that."""


class Inbox(Struct, frozen=True):
    rows: tuple[Row, ...]
    next: str | None
    counts: Counts | None
    """With the first page."""


async def inbox(
    messaging: Messaging,
    actor: Actor,
    folder: Folder = Folder.ALL,
    *,
    cursor: str | None = None,
    limit: int = PAGE,
) -> Inbox:
    limit = max(1, min(limit, MAX_PAGE))
    scope = f"inbox {actor.user} {folder}".encode()
    before = None if cursor is None else messaging.cursors.unseal(scope, cursor)[0]
    stirring, settled = await asyncio.gather(
        _stirring(messaging, actor.user),
        _settled(messaging, actor.user, _shelves(folder), before, limit),
    )
    heads = await _heads(messaging, [*stirring.entries, *settled[: limit + 1]])
    now_ms = messaging.clock.now_ms()
    lively = [_row(heads, entry, now_ms) for entry in stirring.entries]
    resting = [_row(heads, entry, now_ms, settled=True) for entry in settled[: limit + 1]]
    _tidy(messaging, actor.user, lively, now_ms)
    shown = sorted(
        {
            row.thread.id: row
            for row in (*resting, *lively)
            if row is not None and _shows(folder, row.standing)
        }.values(),
        key=lambda row: row.rank,
        reverse=True,
    )
    below = [row for row in shown if before is None or row.rank < before]
    page = below[:limit]
    more = len(below) > limit
    return Inbox(
        rows=tuple(page),
        next=messaging.cursors.seal(scope, (page[-1].rank,)) if more else None,
        counts=_counts(lively, stirring.more) if cursor is None else None,
    )


async def counts(messaging: Messaging, actor: Actor) -> Counts:
    stirring = await _stirring(messaging, actor.user)
    heads = await _heads(messaging, stirring.entries)
    now_ms = messaging.clock.now_ms()
    return _counts([_row(heads, entry, now_ms) for entry in stirring.entries], stirring.more)


def _counts(rows: list[Row | None], more: bool) -> Counts:
    unread = dict.fromkeys(Folder, 0)
    for row in rows:
        if row is not None and row.standing.folder is not None:
            unread[row.standing.folder] += row.standing.unread
    unread[Folder.ALL] = sum(unread.values()) - unread[Folder.ARCHIVED] - unread[Folder.SPAM]
    badge = sum(row.standing.badge for row in rows if row is not None)
    return Counts(unread, badge, more)


class _Entries(Struct):
    entries: list[Item]
    more: bool


async def _stirring(messaging: Messaging, user: UserId) -> _Entries:
    found = await asyncio.gather(
        *(_shelf(messaging, user, shelf, None, MOST_STIRRING) for shelf in _STIRRING)
    )
    return _Entries(
        [entry for shelf in found for entry in shelf.entries], any(s.more for s in found)
    )


async def _shelf(
    messaging: Messaging, user: UserId, shelf: str, sort: SortRange | None, most: int
) -> _Entries:
    found: list[Item] = []
    cursor: str | None = None
    while len(found) < most:
        page = await messaging.store.query(
            MESSAGING,
            shelf_key(user, shelf),
            sort,
            index=INBOX,
            limit=min(MAX_BATCH, most - len(found)),
            backward=True,
            cursor=cursor,
        )
        found += page.items
        cursor = page.next
        if cursor is None:
            break
    return _Entries(found, cursor is not None)


async def _settled(
    messaging: Messaging, user: UserId, shelves: tuple[Folder, ...], before: str | None, limit: int
) -> list[Item]:
    """The highest of each, merged: a row that has settled is where its rank is."""
    sort = None if before is None else Bound("<", before)
    found = await asyncio.gather(
        *(_shelf(messaging, user, shelf.value, sort, limit + 1) for shelf in shelves)
    )
    merged = [entry for shelf in found for entry in shelf.entries]
    return sorted(merged, key=lambda entry: str(entry[ACTIVITY]), reverse=True)


def _shelves(folder: Folder) -> tuple[Folder, ...]:
    match folder:
        case Folder.ALL:
            return _SETTLED
        case Folder.REQUESTS:
            return ()
        case _:
            return (folder,)


def _shows(folder: Folder, standing: Standing) -> bool:
    if folder is Folder.ALL:
        return standing.folder not in (None, Folder.ARCHIVED, Folder.SPAM)
    return standing.folder is folder


async def _heads(messaging: Messaging, entries: list[Item]) -> dict[str, Thread]:
    ids = [ThreadId(str(entry["pk"]).removeprefix("THR#")) for entry in entries]
    keys = [head_key(thread) for thread in dict.fromkeys(ids)]
    batches = await asyncio.gather(
        *(
            messaging.store.batch_get(MESSAGING, keys[start : start + MAX_BATCH])
            for start in range(0, len(keys), MAX_BATCH)
        )
    )
    return {
        key.partition: items.thread_of(item) for batch in batches for key, item in batch.items()
    }


def _row(
    heads: dict[str, Thread], entry: Item, now_ms: int, *, settled: bool = False
) -> Row | None:
    """None where the head is not there: a thread that was never quite opened."""
    thread = heads.get(str(entry["pk"]))
    if thread is None:
        return None
    mine = items.member_of(entry)
    rank = activity(thread.last_ms or thread.created_ms, thread.id, pinned=mine.pinned)
    if settled:
        rank = str(entry[ACTIVITY])
    return Row(thread, mine, rules.standing(thread, mine, now_ms), rank)


def _tidy(messaging: Messaging, user: UserId, rows: list[Row | None], now_ms: int) -> None:
    resting = [
        row for row in rows if row is not None and settle.rests(row.thread, row.mine, now_ms)
    ]
    for row in resting[:_SETTLE_AT_ONCE]:
        messaging.chores.add(partial(settle.settle, messaging, user, row.thread.id))
