"""Remembers which events the log has, so that a rebuild adds only those that are missing.

Careful: it takes about 60 bytes of memory for each event since the time that it is asked for.
"""

from hashlib import blake2b

from greenroom.background.public_events import Event, SubjectEvents
from greenroom.store.base import Page, Store
from greenroom.store.expressions import SortRange
from greenroom.webhooks.models import EventPage, event_id
from greenroom.webhooks.records import EVENTS, after, log_partition, page_of

_PAGES = 20


class KnownEvents:
    def __init__(self, store: Store, source: str) -> None:
        self._store = store
        self._partition = log_partition(source)
        self._digests: set[bytes] = set()
        self._since_ms: int | None = None
        self._last = 0

    async def load(self, since_ms: int) -> None:
        """Reads what was written to the log since then, and is not known yet."""
        if self._since_ms is not None and since_ms >= self._since_ms:
            await self._read_on()
        else:
            self.clear()
            await self._read_back(since_ms)

    def clear(self) -> None:
        if self._since_ms is not None:
            self._since_ms, self._last = None, 0
            self._digests = set()

    def missing(self, group: SubjectEvents) -> SubjectEvents | None:
        """Its events that the log does not have."""
        events = tuple(event for event in group.events if not self._has(group.subject, event))
        return SubjectEvents(group.subject, events) if events else None

    def _has(self, subject: str, event: Event) -> bool:
        return _digest(subject, event) in self._digests

    async def _read_on(self) -> None:
        while pages := await self._pages(after(self._last)):
            for page in pages:
                self._add(page)

    async def _read_back(self, since_ms: int) -> None:
        self._since_ms = since_ms
        cursor: str | None = None
        while True:
            found = await self._query(None, cursor, backward=True)
            for item in found.items:
                page = page_of(item)
                self._add(page)
                if page.order_ms < since_ms:
                    return
            cursor = found.next
            if cursor is None:
                return

    async def _pages(self, sort: SortRange) -> list[EventPage]:
        found = await self._query(sort, None)
        return [page_of(item) for item in found.items]

    async def _query(
        self, sort: SortRange | None, cursor: str | None, *, backward: bool = False
    ) -> Page:
        return await self._store.query(
            EVENTS,
            self._partition,
            sort,
            limit=_PAGES,
            cursor=cursor,
            backward=backward,
            consistent=True,
        )

    def _add(self, page: EventPage) -> None:
        self._last = max(self._last, page.last)
        self._digests.update(_digest(subject, event) for _, subject, event in page.numbered())


def _digest(subject: str, event: Event) -> bytes:
    return blake2b(event_id(subject, event).encode(), digest_size=8).digest()
