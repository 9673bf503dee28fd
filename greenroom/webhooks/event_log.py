"""Keeps the public events of a source: follows its table, and can add what the feed has lost.

Events get their numbers here. That is safe because a batch is written in one transaction with the
follower's state, under the version that was read before the numbers: there is one writer.

A rebuild adds the events that the tables still show and the log lacks. It looks at the time since
the log last followed the feed, and an hour before that. After it the feed goes on from before the
rebuild; events that both have seen are recognised.

Careful: the time of an event may lie in the future, since times within a thread only go up.
"""

from collections.abc import Iterable, Sequence
from functools import partial

from msgspec.structs import replace

from greenroom.background.follower import Follower
from greenroom.background.progress import load_state
from greenroom.background.public_events import Event, EventSource, SubjectEvents
from greenroom.ids import LAST_MS
from greenroom.store.base import Change, Op
from greenroom.store.values import Item
from greenroom.webhooks.context import Webhooks
from greenroom.webhooks.known_events import KnownEvents
from greenroom.webhooks.models import EventPage, LogState, event_id
from greenroom.webhooks.records import (
    EVENTS,
    packed_size,
    put_page,
    put_state,
    state_key,
    state_of,
)

MAX_PAGE_BYTES = 32 * 1024
"""A reader of a few events reads a whole page."""
_HOUR_MS = 3_600_000
_SKEW_MS = 600_000
"""How far the clocks of nodes and of the store may differ."""
_SETTLED_MS = 60_000
"""Younger events may still be on their way, and are not compared."""


def follower_name(source: EventSource) -> str:
    return f"{source.name}-events"


class EventLog:
    def __init__(self, webhooks: Webhooks, source: EventSource) -> None:
        self._webhooks = webhooks
        self._store = webhooks.store
        self._source = source
        self._known = KnownEvents(webhooks.store, source.name)
        self._all_known = KnownEvents(webhooks.store, source.name)

    def follower(self) -> Follower:
        """A new log begins with the oldest change that is kept: a scan of a table that has been
        there for years would cost as much as the table is large."""
        return Follower(
            follower_name(self._source),
            self._source.table,
            self.handle,
            self.rebuild,
            begins_with_scan=False,
            compare=self.compare,
            prefixes=self._source.prefixes,
            needs_old=False,
            attributes=self._source.attributes,
            max_batch=250,
            linger=0.25,
        )

    async def handle(self, changes: Sequence[Change]) -> Sequence[Op]:
        found = _each(map(self._source.of_change, changes))
        if not found:
            return ()
        log = await self._load()
        if log.repeats_until_ms and _oldest_ms(changes) <= log.repeats_until_ms:
            found = await self._new_among(found, log)
        else:
            self._known.clear()
        log = replace(log, followed_ms=max(log.followed_ms, changes[-1].at_ms))
        return self._written(log, found)

    async def rebuild(self, items: Sequence[Item]) -> Sequence[Op]:
        stored = await self._load()
        log = await self._begun(stored)
        groups = _each(map(self._source.of_item, items))
        found = await self._new_among(groups, log)
        if not found and log == stored:
            return ()
        repeats_until_ms = self._webhooks.clock.now_ms() + _SKEW_MS
        return self._written(replace(log, repeats_until_ms=repeats_until_ms), found)

    async def compare(self, items: Sequence[Item]) -> Sequence[str]:
        """A line for each event that the tables show and the log lacks."""
        log, now_ms = await self._load(), self._webhooks.clock.now_ms()
        since_ms = max(log.began_ms, now_ms - self._webhooks.kept_ms + _HOUR_MS)
        await self._all_known.load(since_ms - _SKEW_MS)
        groups = _each(map(self._source.of_item, items))
        until_ms = now_ms - _SETTLED_MS
        missing = _each(map(self._all_known.missing, _within(groups, since_ms, until_ms)))
        return [
            f"{event_id(group.subject, event)} is missing: {event.kind} of {group.subject}"
            for group in missing
            for event in group.events
        ]

    async def _new_among(
        self, groups: Sequence[SubjectEvents], log: LogState
    ) -> list[SubjectEvents]:
        """Those that the log lacks. It has had every event from before `since_ms`."""
        await self._known.load(log.since_ms - _SKEW_MS)
        return _each(map(self._known.missing, _within(groups, log.since_ms)))

    async def _load(self) -> LogState:
        key = state_key(self._source.name)
        return state_of(await self._store.get(EVENTS, key, consistent=True))

    async def _begun(self, log: LogState) -> LogState:
        """The state with this rebuild in it, if it has just begun. An item that was set aside is
        replayed later, and still belongs to the last rebuild."""
        follower = await load_state(self._store, follower_name(self._source))
        if follower is None or not follower.stage.is_rebuild:
            return log
        rebuild = follower.checkpoint or ""
        if rebuild == log.rebuild:
            return log
        now_ms = self._webhooks.clock.now_ms()
        oldest_ms = now_ms - self._webhooks.kept_ms
        since_ms = max(oldest_ms, log.followed_ms - _HOUR_MS)
        return replace(
            log,
            began_ms=log.began_ms or since_ms,
            rebuild=rebuild,
            since_ms=since_ms,
        )

    def _written(self, log: LogState, found: list[SubjectEvents]) -> list[Op]:
        now_ms = self._webhooks.clock.now_ms()
        if found and not log.began_ms:
            log = replace(log, began_ms=min(event.at_ms for event in _events(found)))
        log = replace(log, order_ms=max(log.order_ms, now_ms))
        put = partial(put_page, self._source.name, kept_ms=self._webhooks.kept_ms)
        ops: list[Op] = []
        for groups in _split(found):
            log = replace(log, last=log.last + sum(len(group.events) for group in groups))
            ops.append(put(EventPage(log.last, now_ms, tuple(groups), log.order_ms)))
        return [*ops, put_state(self._source.name, log)]


def _oldest_ms(changes: Sequence[Change]) -> int:
    return min(change.at_ms for change in changes)


def _each(found: Iterable[SubjectEvents | None]) -> list[SubjectEvents]:
    return [group for group in found if group is not None]


def _events(groups: Iterable[SubjectEvents]) -> list[Event]:
    return [event for group in groups for event in group.events]


def _within(
    groups: Iterable[SubjectEvents], since_ms: int, until_ms: int = LAST_MS
) -> list[SubjectEvents]:
    return [
        SubjectEvents(group.subject, events)
        for group in groups
        if (events := tuple(one for one in group.events if since_ms <= one.at_ms <= until_ms))
    ]


def _split(groups: Sequence[SubjectEvents]) -> list[list[SubjectEvents]]:
    """Into pages of the largest size, at most; a group that is larger is a page of its own."""
    pages: list[list[SubjectEvents]] = []
    room = 0
    for group in groups:
        size = packed_size(group)
        if size > room:
            pages.append([])
            room = MAX_PAGE_BYTES
        pages[-1].append(group)
        room -= size
    return pages
