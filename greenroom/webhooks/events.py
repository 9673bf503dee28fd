"""Reads the event log, for operators."""

from msgspec import Struct

from greenroom.background.public_events import EventSource
from greenroom.webhooks.context import Webhooks
from greenroom.webhooks.models import PublicEvent, public_event
from greenroom.webhooks.records import EVENTS, after as behind, log_partition, page_of

MAX_LIMIT = 1000
_PAGES = 8
"""Pages that one query reads."""


class Events(Struct, frozen=True):
    events: tuple[PublicEvent, ...]
    """In order of their numbers."""
    is_gap: bool
    """Whether events between the number that was asked for and the first one have expired."""
    more: bool


async def read_events(webhooks: Webhooks, source: EventSource, after: int, limit: int) -> Events:
    """The events behind a number; 0 for the oldest that is kept. Careful: it checks no access."""
    fields = {kind.name: kind.fields for kind in source.kinds}
    limit, last = min(limit, MAX_LIMIT), after
    events: list[PublicEvent] = []
    while True:
        found = await webhooks.store.query(
            EVENTS, log_partition(source.name), behind(last), limit=_PAGES
        )
        for item in found.items:
            page = page_of(item)
            for number, subject, event in page.numbered():
                if number <= after:
                    continue
                if len(events) == limit:
                    return Events(tuple(events), _is_gap(after, events), more=True)
                events.append(public_event(fields, number, subject, event))
            last = page.last
        if not found.has_more:
            return Events(tuple(events), _is_gap(after, events), more=False)


def _is_gap(after: int, events: list[PublicEvent]) -> bool:
    return after > 0 and bool(events) and events[0].number != after + 1
