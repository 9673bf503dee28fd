"""Reads the inbox: the rows of a folder, pins on top, and exact unread counts of all folders.

Inactive rows are sorted in their folder. Rows in the active index and in `requests` are assigned to
a folder when they are read, by the head of their thread and `rules.row_state`, as the badge is.
Everything unread is in those two, so the counts read nothing else. Reads: one query for each
partition, and one batch for the heads. For a user with hundreds of unread threads the older ones
are read page by page in the order of the active index.
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
MAX_ACTIVE_ROWS = 300
"""How many rows of each active partition are read; beyond that the counts say `more`."""

_FOLDERS_OF_ALL = (Folder.ACTION, Folder.BOOKINGS, Folder.OFFERS, Folder.OTHER)
_ACTIVE_PARTITIONS = (ACTIVE, Folder.REQUESTS.value)
_MAX_DEFERRED = 10


class Row(Struct, frozen=True):
    thread: Thread
    mine: Member
    state: RowState
    rank: str
    """Sorts the rows, the highest first."""
    metadata: str | None = None


class Counts(Struct, frozen=True):
    unread: dict[Folder, int]
    """Without muted conversations, so that the folders of `all` add up to `all`."""
    badge: int
    """The same number as `all`."""
    more: bool
    """There are more active rows than were read: the counts are lower bounds."""


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
    before = None if cursor is None else messaging.cursors.unseal_text(scope, cursor)
    active, found = await _entries(messaging, actor.user, folder, before, limit)
    inactive = found[:limit]
    floor = _position(inactive[-1]) if len(found) > limit else ""
    heads = await _heads(messaging, [*active.entries, *inactive])
    now_ms = messaging.clock.now_ms()
    active_rows = [_row(messaging, heads, entry, now_ms) for entry in active.entries]
    inactive_rows = [_row(messaging, heads, entry, now_ms, inactive=True) for entry in inactive]
    _defer_moves(messaging, actor.user, active_rows, now_ms)
    ahead = [*active.entries, *inactive]
    _defer_corrections(
        messaging, actor.user, heads, [one for one in ahead if _is_in_future(heads, one, now_ms)]
    )
    shown = sorted(
        {
            row.thread.id: row
            for row in (*inactive_rows, *active_rows)
            if row is not None and _shows(folder, row.state)
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
        next=messaging.cursors.seal_text(scope, end) if end else None,
        counts=_counts(active_rows, bool(active.rest)) if cursor is None else None,
    )


async def counts(messaging: Messaging, actor: Actor) -> Counts:
    active = await _active_entries(messaging, actor.user)
    heads = await _heads(messaging, active.entries)
    now_ms = messaging.clock.now_ms()
    rows = [_row(messaging, heads, entry, now_ms) for entry in active.entries]
    return _counts(rows, bool(active.rest))


async def unread_rows(messaging: Messaging, actor: Actor, folder: Folder) -> tuple[list[Row], bool]:
    """The unread rows of a folder, the newest first, and whether there are more."""
    active = await _active_entries(messaging, actor.user)
    heads = await _heads(messaging, active.entries)
    now_ms = messaging.clock.now_ms()
    found = [_row(messaging, heads, entry, now_ms) for entry in active.entries]
    rows = [row for row in found if row and row.state.unread and _shows(folder, row.state)]
    return sorted(rows, key=lambda row: row.rank, reverse=True), bool(active.rest)


def _counts(rows: list[Row | None], more: bool) -> Counts:
    unread = dict.fromkeys(Folder, 0)
    for row in rows:
        if row is not None and row.state.folder is not None and not row.state.muted:
            unread[row.state.folder] += row.state.unread
    unread[Folder.ALL] = sum(unread.values()) - sum(unread[folder] for folder in rules.OUTSIDE_ALL)
    badge = sum(row.state.badge for row in rows if row is not None)
    return Counts(unread, badge, more)


class _ActiveEntries(Struct):
    entries: list[Item]
    rest: dict[str, str]
    """Where to go on in each partition that has more rows."""


async def _entries(
    messaging: Messaging, user: UserId, folder: Folder, before: str | None, limit: int
) -> tuple[_ActiveEntries, list[Item]]:
    """The active rows, and the inactive ones below `before`: the highest first, a page and one."""
    partitions = dict.fromkeys(_partitions_of(folder), before)
    active, found = await asyncio.gather(
        _active_entries(messaging, user), _below(messaging, user, partitions, limit)
    )
    if active.rest:
        rest = {partition: min(end, before or end) for partition, end in active.rest.items()}
        found += await _below(messaging, user, rest, limit)
    return active, sorted(found, key=_position, reverse=True)


async def _active_entries(messaging: Messaging, user: UserId) -> _ActiveEntries:
    partitions = await asyncio.gather(
        *(
            _read_partition(messaging, user, partition, None, MAX_ACTIVE_ROWS + 1)
            for partition in _ACTIVE_PARTITIONS
        )
    )
    looked_at = [found[:MAX_ACTIVE_ROWS] for found in partitions]
    rest = {
        name: _position(found[MAX_ACTIVE_ROWS - 1])
        for name, found in zip(_ACTIVE_PARTITIONS, partitions, strict=True)
        if len(found) > MAX_ACTIVE_ROWS
    }
    return _ActiveEntries([entry for partition in looked_at for entry in partition], rest)


async def _below(
    messaging: Messaging, user: UserId, partitions: Mapping[str, str | None], limit: int
) -> list[Item]:
    """The highest rows of each partition below a position, one more than a page."""
    found = await asyncio.gather(
        *(
            _read_partition(
                messaging, user, partition, None if end is None else Bound("<", end), limit + 1
            )
            for partition, end in partitions.items()
        )
    )
    return [entry for partition in found for entry in partition]


async def _read_partition(
    messaging: Messaging, user: UserId, partition: str, sort: SortRange | None, most: int
) -> list[Item]:
    found: list[Item] = []
    cursor: str | None = None
    while len(found) < most:
        page = await messaging.store.query(
            MESSAGING,
            inbox_key(user, partition),
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


def _position(entry: Item) -> str:
    return str(entry[ACTIVITY])


def _partitions_of(folder: Folder) -> tuple[str, ...]:
    match folder:
        case Folder.ALL:
            return tuple(partition.value for partition in _FOLDERS_OF_ALL)
        case Folder.REQUESTS:
            return ()
        case _:
            return (folder.value,)


def _shows(folder: Folder, row_state: RowState) -> bool:
    if folder is Folder.ALL:
        return row_state.folder is not None and row_state.folder not in rules.OUTSIDE_ALL
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
    inactive: bool = False,
) -> Row | None:
    """An inactive row is ranked by its stored position. None where there is no head: opening the
    thread did not finish."""
    thread = heads.get(str(entry["pk"]))
    if thread is None:
        return None
    mine = items.member_of(entry)
    thread = rules.as_shown(thread, mine.user)
    active_ms = deactivate.corrected_ms(messaging, thread.active_ms)
    rank = activity(active_ms, thread.id, pinned=mine.pinned)
    if inactive and not deactivate.is_in_future(entry, now_ms):
        rank = _position(entry)
    return Row(thread, mine, rules.row_state(thread, mine, now_ms), rank)


def _defer_moves(messaging: Messaging, user: UserId, rows: list[Row | None], now_ms: int) -> None:
    found = [row for row in rows if row is not None]
    inactive_rows = [row for row in found if deactivate.is_inactive(row.thread, row.mine, now_ms)]
    for row in inactive_rows[:_MAX_DEFERRED]:
        messaging.deferred.add(partial(deactivate.deactivate, messaging, user, row.thread.id))
    over = [row for row in found if not rules.has_access(row.thread, user, now_ms)]
    for row in over[:_MAX_DEFERRED]:
        messaging.deferred.add(
            partial(deactivate.remove_expired_request, messaging, user, row.thread.id)
        )


def _is_in_future(heads: dict[str, Thread], entry: Item, now_ms: int) -> bool:
    """Whether the thread or the row was written while the clock was ahead."""
    thread = heads.get(str(entry["pk"]))
    if thread is None:
        return False
    return thread.active_ms > now_ms + rules.AHEAD_MS or deactivate.is_in_future(entry, now_ms)


def _defer_corrections(
    messaging: Messaging, user: UserId, heads: dict[str, Thread], entries: list[Item]
) -> None:
    """Corrects the oldest thread first, so that it stays below the others."""
    entries.sort(key=lambda entry: heads[str(entry["pk"])].active_ms)
    for entry in entries[:_MAX_DEFERRED]:
        messaging.deferred.add(
            partial(deactivate.correct_future_time, messaging, user, thread_in(entry["pk"]))
        )
