"""The table of events.

    Events
    ├─ LOG#{source}
    │  └─ {number}        a page: the events of a batch, under the number of its last one
    └─ SOURCE#{source}
       └─ STATE           the last number, and how far the log has come

Pages keep the price low: a batch of events is one item, not one each. The first page behind a
number, by `sk > number`, has the event after it. A page expires as a whole; the state never does,
so that numbers go on after a silence that is longer than events are kept.

Careful: the log of a source is one partition, which takes 1,000 write units a second on DynamoDB:
about 5,000 events of 100 bytes, written in transactions.
"""

from typing import Any

import msgspec

from greenroom.background.public_events import SubjectEvents
from greenroom.store.base import Key, Put
from greenroom.store.expressions import Bound
from greenroom.store.tables import Kind, Table
from greenroom.store.values import Item
from greenroom.webhooks.models import EventPage, LogState

TTL = "goneAt"

EVENTS = Table(
    "Events",
    "Public events, in pages, for the operator's own systems.",
    kinds=(
        Kind(
            "LOG#{source}",
            "{number}",
            "A page of events, packed, under the number of its last one; when it was written.",
        ),
        Kind("SOURCE#{source}", "STATE", "The last number of the log, and how far it has come."),
    ),
    ttl=TTL,
)

TABLES: tuple[Table, ...] = (EVENTS,)

_STATE = "STATE"
_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(tuple[SubjectEvents, ...]).decode


def log_partition(source: str) -> str:
    return f"LOG#{source}"


def state_key(source: str) -> Key:
    return Key(f"SOURCE#{source}", _STATE)


def number_key(number: int) -> str:
    """Sorts as the number does."""
    return f"{number:015d}"


def after(number: int) -> Bound:
    return Bound(">", number_key(number))


def packed_size(group: SubjectEvents) -> int:
    return len(_encode(group))


def put_page(source: str, page: EventPage, kept_ms: int) -> Put:
    item: Item = {
        "pk": log_partition(source),
        "sk": number_key(page.last),
        "writtenMs": page.written_ms,
        "orderMs": page.order_ms,
        "events": _encode(page.groups),
        TTL: (page.written_ms + kept_ms) // 1000,
    }
    return Put(EVENTS, item)


def page_of(item: Item) -> EventPage:
    it: Any = item
    return EventPage(int(it["sk"]), it["writtenMs"], _decode(it["events"]), it["orderMs"])


def put_state(source: str, state: LogState) -> Put:
    key = state_key(source)
    return Put(EVENTS, {"pk": key.partition, "sk": key.sort, **msgspec.to_builtins(state)})


def state_of(item: Item | None) -> LogState:
    return LogState() if item is None else msgspec.convert(item, LogState)
