"""The inbox: rows of a folder, pins on top, exact unread, and the counts of all folders.

Rows that have settled are where their folder is and as they were; rows on the two shelves where
things stir (fresh, requests) are judged by the head of their thread, by the same rule as the badge.
Everything unread is on those shelves, so the counts need no others. Reads: one query a shelf, and
one batch for the heads. Of somebody who lets hundreds of threads lie unread, the older ones are
read page by page as they lie on the shelf.
"""

import asyncio
from collections.abc import Mapping
from functools import partial

from msgspec import Struct
from msgspec.structs import replace

from greenroom.ids import UserId
from greenroom.messaging import deactivate, items, rules
from greenroom.messaging.context import Messaging
from greenroom.messaging.models import Folder, Member, Thread
from greenroom.messaging.records import (
    ACTIVE,
    ACTIVITY,
    INBOX,
    MESSAGING,
    activity,
    head_key,
    inbox_key,
    thread_in,
)
from greenroom.messaging.rules import RowState
from greenroom.messaging.thread_metadata import metadata_of
from greenroom.people.actor import Actor
from greenroom.store.expressions import Bound, SortRange
from greenroom.store.limits import MAX_BATCH
from greenroom.store.values import Item

PAGE = 20
MAX_PAGE = 50
MOST_STIRRING = 300
"""How many rows of a shelf where things stir are looked at; beyond that the counts say `more`."""

_SETTLED = (Folder.ACTION, Folder.BOOKINGS, Folder.OFFERS, Folder.OTHER)
_STIRRING = (ACTIVE, Folder.REQUESTS.value)
_SETTLE_AT_ONCE = 10


class Row(Struct, frozen=True):
    thread: Thread
    mine: Member
    row_state: RowState
    rank: str
    """Rows are shown from the highest down."""
    metadata: str | None = None


class Counts(Struct, frozen=True):
    unread: dict[Folder, int]
    """Without muted conversations, so that the folders of `all` add up to `all`."""
    badge: int
    """The same number as `all`."""
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
    stirring, found = await _entries(messaging, actor.user, folder, before, limit)
    settled = found[:limit]
    floor = _place(settled[-1]) if len(found) > limit else ""
    heads = await _heads(messaging, [*stirring.entries, *settled])
    now_ms = messaging.clock.now_ms()
    lively = [_row(messaging, heads, entry, now_ms) for entry in stirring.entries]
    resting = [_row(messaging, heads, entry, now_ms, settled=True) for entry in settled]
    _tidy(messaging, actor.user, lively, now_ms)
    ahead = [*stirring.entries, *settled]
    _heal(messaging, actor.user, heads, [one for one in ahead if _lies_ahead(heads, one, now_ms)])
    shown = sorted(
        {
            row.thread.id: row
            for row in (*resting, *lively)
            if row is not None and _shows(folder, row.row_state)
        }.values(),
        key=lambda row: row.rank,
        reverse=True,
    )
    below = [row for row in shown if floor <= row.rank and (before is None or row.rank < before)]
    page = below[:limit]
    end = page[-1].rank if len(below) > limit else floor
    metadata = await metadata_of(messaging, (row.thread for row in page))
    return Inbox(
        rows=tuple([replace(row, metadata=metadata.get(row.thread.id)) for row in page]),
        next=messaging.cursors.seal(scope, (end,)) if end else None,
        counts=_counts(lively, bool(stirring.rest)) if cursor is None else None,
    )


async def counts(messaging: Messaging, actor: Actor) -> Counts:
    stirring = await _stirring(messaging, actor.user)
    heads = await _heads(messaging, stirring.entries)
    now_ms = messaging.clock.now_ms()
    rows = [_row(messaging, heads, entry, now_ms) for entry in stirring.entries]
    return _counts(rows, bool(stirring.rest))


async def unread_rows(messaging: Messaging, actor: Actor, folder: Folder) -> tuple[list[Row], bool]:
    """Those of a folder with something unread, the newest first; whether there are more."""
    stirring = await _stirring(messaging, actor.user)
    heads = await _heads(messaging, stirring.entries)
    now_ms = messaging.clock.now_ms()
    found = [_row(messaging, heads, entry, now_ms) for entry in stirring.entries]
    rows = [row for row in found if row and row.row_state.unread and _shows(folder, row.row_state)]
    return sorted(rows, key=lambda row: row.rank, reverse=True), bool(stirring.rest)


def _counts(rows: list[Row | None], more: bool) -> Counts:
    unread = dict.fromkeys(Folder, 0)
    for row in rows:
        if row is not None and row.row_state.folder is not None and not row.row_state.muted:
            unread[row.row_state.folder] += row.row_state.unread
    unread[Folder.ALL] = sum(unread.values()) - sum(unread[folder] for folder in rules.APART)
    badge = sum(row.row_state.badge for row in rows if row is not None)
    return Counts(unread, badge, more)


class _Stirring(Struct):
    entries: list[Item]
    rest: dict[str, str]
    """Of a shelf where there are more: the last place that was looked at."""


async def _entries(
    messaging: Messaging, user: UserId, folder: Folder, before: str | None, limit: int
) -> tuple[_Stirring, list[Item]]:
    """What stirs, and from the highest down what else lies below a place: one more than a page."""
    shelves = dict.fromkeys(_shelves(folder), before)
    stirring, found = await asyncio.gather(
        _stirring(messaging, user), _below(messaging, user, shelves, limit)
    )
    if stirring.rest:
        rest = {shelf: min(end, before or end) for shelf, end in stirring.rest.items()}
        found += await _below(messaging, user, rest, limit)
    return stirring, sorted(found, key=_place, reverse=True)


async def _stirring(messaging: Messaging, user: UserId) -> _Stirring:
    shelves = await asyncio.gather(
        *(_shelf(messaging, user, shelf, None, MOST_STIRRING + 1) for shelf in _STIRRING)
    )
    looked_at = [found[:MOST_STIRRING] for found in shelves]
    rest = {
        name: _place(found[MOST_STIRRING - 1])
        for name, found in zip(_STIRRING, shelves, strict=True)
        if len(found) > MOST_STIRRING
    }
    return _Stirring([entry for shelf in looked_at for entry in shelf], rest)


async def _below(
    messaging: Messaging, user: UserId, shelves: Mapping[str, str | None], limit: int
) -> list[Item]:
    """The highest of each shelf below a place in it, with one more than a page takes."""
    found = await asyncio.gather(
        *(
            _shelf(messaging, user, shelf, None if end is None else Bound("<", end), limit + 1)
            for shelf, end in shelves.items()
        )
    )
    return [entry for shelf in found for entry in shelf]


async def _shelf(
    messaging: Messaging, user: UserId, shelf: str, sort: SortRange | None, most: int
) -> list[Item]:
    found: list[Item] = []
    cursor: str | None = None
    while len(found) < most:
        page = await messaging.store.query(
            MESSAGING,
            inbox_key(user, shelf),
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
    return found


def _place(entry: Item) -> str:
    return str(entry[ACTIVITY])


def _shelves(folder: Folder) -> tuple[str, ...]:
    match folder:
        case Folder.ALL:
            return tuple(shelf.value for shelf in _SETTLED)
        case Folder.REQUESTS:
            return ()
        case _:
            return (folder.value,)


def _shows(folder: Folder, row_state: RowState) -> bool:
    if folder is Folder.ALL:
        return row_state.folder is not None and row_state.folder not in rules.APART
    return row_state.folder is folder


async def _heads(messaging: Messaging, entries: list[Item]) -> dict[str, Thread]:
    ids = [thread_in(entry["pk"]) for entry in entries]
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
    messaging: Messaging,
    heads: dict[str, Thread],
    entry: Item,
    now_ms: int,
    *,
    settled: bool = False,
) -> Row | None:
    """A row that has settled is where its rank is. None where the head is not there: a thread that
    was never quite opened."""
    thread = heads.get(str(entry["pk"]))
    if thread is None:
        return None
    mine = items.member_of(entry)
    thread = rules.as_shown(thread, mine.user)
    active_ms = deactivate.corrected_ms(messaging, thread.active_ms)
    rank = activity(active_ms, thread.id, pinned=mine.pinned)
    if settled and not deactivate.is_in_future(entry, now_ms):
        rank = _place(entry)
    return Row(thread, mine, rules.row_state(thread, mine, now_ms), rank)


def _tidy(messaging: Messaging, user: UserId, rows: list[Row | None], now_ms: int) -> None:
    found = [row for row in rows if row is not None]
    resting = [row for row in found if deactivate.is_inactive(row.thread, row.mine, now_ms)]
    for row in resting[:_SETTLE_AT_ONCE]:
        messaging.deferred.add(partial(deactivate.deactivate, messaging, user, row.thread.id))
    over = [row for row in found if not rules.is_let_in(row.thread, user, now_ms)]
    for row in over[:_SETTLE_AT_ONCE]:
        messaging.deferred.add(
            partial(deactivate.remove_expired_request, messaging, user, row.thread.id)
        )


def _lies_ahead(heads: dict[str, Thread], entry: Item, now_ms: int) -> bool:
    """Written while the clock was wrong."""
    thread = heads.get(str(entry["pk"]))
    if thread is None:
        return False
    return thread.active_ms > now_ms + rules.AHEAD_MS or deactivate.is_in_future(entry, now_ms)


def _heal(
    messaging: Messaging, user: UserId, heads: dict[str, Thread], entries: list[Item]
) -> None:
    """The thread that was written first is put right first, and so stays below the others."""
    entries.sort(key=lambda entry: heads[str(entry["pk"])].active_ms)
    for entry in entries[:_SETTLE_AT_ONCE]:
        messaging.deferred.add(
            partial(deactivate.correct_future_time, messaging, user, thread_in(entry["pk"]))
        )
