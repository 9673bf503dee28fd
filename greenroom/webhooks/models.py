"""The values of the event log: public events, and how far the log of a source has come."""

from collections.abc import Iterator, Mapping
from hashlib import blake2b

from msgspec import Struct

from greenroom.background.public_events import (
    Event,
    EventValue,
    SubjectEvents,
)
from greenroom.ids import as_letters

_ID_BYTES = 16


class PublicEvent(Struct, frozen=True):
    id: str
    """Follows from what happened: a receiver that gets an event twice recognises it."""
    number: int
    """Its place in the log of its source: 1, 2, 3, …, without gaps."""
    kind: str
    at_ms: int
    subject: str
    """What it happened to: the id of a thread."""
    actor: str
    """Who did it."""
    data: Mapping[str, EventValue]
    """Ids, and what happened. A field without a value is left out."""


class EventPage(Struct, frozen=True):
    """A stored batch of events. Their numbers end with `last`."""

    last: int
    written_ms: int
    groups: tuple[SubjectEvents, ...]
    order_ms: int
    """When it was written, or later: never before the page before it, whatever the clock does."""

    @property
    def count(self) -> int:
        return sum([len(group.events) for group in self.groups])

    def numbered(self) -> Iterator[tuple[int, str, Event]]:
        number = self.last - self.count
        for group in self.groups:
            for event in group.events:
                number += 1
                yield number, group.subject, event


class LogState(Struct, frozen=True, rename="camel"):
    """How far the log of a source has come; written with every page."""

    last: int = 0
    """The number of the last event."""
    order_ms: int = 0
    """Of the last page."""
    began_ms: int = 0
    """From when on the log has every event."""
    followed_ms: int = 0
    """When the last change was made whose events came from the feed."""
    rebuild: str = ""
    """Identifies the last rebuild: the checkpoint from which the feed goes on after it."""
    since_ms: int = 0
    """That rebuild adds events from then on."""
    repeats_until_ms: int = 0
    """Changes up to then may have come into the log through a rebuild."""


def event_id(subject: str, event: Event) -> str:
    """The same for the same event, whether it comes from the feed or from a rebuild."""
    first = event.values[0] if event.values else ""
    text = f"{event.kind}\n{subject}\n{first}\n{event.key}"
    return "evt_" + as_letters(blake2b(text.encode(), digest_size=_ID_BYTES).digest())


def public_event(
    fields: Mapping[str, tuple[str, ...]], number: int, subject: str, event: Event
) -> PublicEvent:
    """`fields` are the names of the values, by kind. Later versions may know more of them."""
    values = zip(fields.get(event.kind, ()), event.values, strict=False)
    data = {name: value for name, value in values if value is not None}
    return PublicEvent(
        event_id(subject, event), number, event.kind, event.at_ms, subject, event.actor, data
    )
